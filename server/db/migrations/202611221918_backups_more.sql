-- Where a backup comes from: somebody asked for it, the clock did, it was uploaded, or its file was found in the folder.
ALTER TABLE backups ADD COLUMN origin TEXT NOT NULL DEFAULT 'asked'
  CHECK (origin IN ('asked', 'scheduled', 'uploaded', 'found'));
-- 1 where it needs a passphrase.
ALTER TABLE backups ADD COLUMN is_sealed INTEGER NOT NULL DEFAULT 0 CHECK (is_sealed IN (0, 1));
-- What it says of itself, as JSON; null where that is sealed, or not known yet.
ALTER TABLE backups ADD COLUMN head TEXT CHECK (head IS NULL OR json_valid(head));
-- How many of the newest are kept once it is finished; null keeps all.
ALTER TABLE backups ADD COLUMN keep INTEGER;
-- Where it is to be written, if not into the folder of backups.
ALTER TABLE backups ADD COLUMN place TEXT;

-- When backups are made by themselves; one row at most.
CREATE TABLE backup_schedule (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  frequency TEXT NOT NULL CHECK (frequency IN ('off', 'daily', 'weekly')),
  -- UTC; 0 is Sunday.
  hour INTEGER NOT NULL CHECK (hour BETWEEN 0 AND 23),
  weekday INTEGER NOT NULL CHECK (weekday BETWEEN 0 AND 6),
  keep INTEGER NOT NULL CHECK (keep BETWEEN 1 AND 1000),
  -- Sealed (lib/secrets.ts).
  passphrase TEXT,
  updated_at TEXT NOT NULL
) STRICT;
