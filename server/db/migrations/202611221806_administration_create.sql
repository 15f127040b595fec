-- Limits of the plan of the instance that differ from their defaults, as JSON by name (administration/plan_limits).
CREATE TABLE plan_limits (
  plan_name TEXT PRIMARY KEY,
  changes TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(changes)),
  updated_at TEXT NOT NULL
) STRICT;

-- Switches of the instance by name, with their gates as JSON: [{"key": "boolean", "value": true}, …].
CREATE TABLE instance_features (
  name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 255),
  gates TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(gates)),
  updated_at TEXT NOT NULL
) STRICT;

-- Copies of everything, one file each below `backups/`.
CREATE TABLE backups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
  -- Name of the file in the folder of backups, once it is complete.
  file TEXT UNIQUE,
  size INTEGER,
  sha256 TEXT,
  -- What is being done, and how much of it: bytes, or things.
  step TEXT,
  done INTEGER NOT NULL DEFAULT 0,
  total INTEGER,
  version TEXT,
  error TEXT,
  asked_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE INDEX backups_asked_by ON backups (asked_by_id) WHERE asked_by_id IS NOT NULL;
