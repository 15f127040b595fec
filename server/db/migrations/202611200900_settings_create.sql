-- One row. `changes` holds, as JSON, only the settings that differ from their defaults; the catalogue of settings with
-- types, defaults and rules is code (domains/settings/catalogue.ts).
CREATE TABLE application_settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  changes TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(changes)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
