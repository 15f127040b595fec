-- Set up by an administrator while nobody else may set up mirrors; such a mirror goes on.
ALTER TABLE remote_mirrors ADD COLUMN granted INTEGER NOT NULL DEFAULT 0 CHECK (granted IN (0, 1));
ALTER TABLE pull_mirrors ADD COLUMN granted INTEGER NOT NULL DEFAULT 0 CHECK (granted IN (0, 1));
CREATE INDEX pull_mirrors_started ON pull_mirrors (last_update_started_at) WHERE update_status = 'started';

-- Branches and tags are also moved by what was pulled from elsewhere.
CREATE TABLE ref_journal_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  actor_id INTEGER,
  source TEXT NOT NULL CHECK (source IN ('push', 'api', 'merge', 'mirror')),
  updates TEXT NOT NULL CHECK (json_valid(updates)),
  created_at TEXT NOT NULL,
  push_options TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(push_options))
) STRICT;
INSERT INTO ref_journal_new (id, project_id, actor_id, source, updates, created_at, push_options)
  SELECT id, project_id, actor_id, source, updates, created_at, push_options FROM ref_journal;
DROP TABLE ref_journal;
ALTER TABLE ref_journal_new RENAME TO ref_journal;
CREATE INDEX ref_journal_project ON ref_journal (project_id);
