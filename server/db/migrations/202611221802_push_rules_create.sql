-- What pushes have to be like. One row at most for a project, a group, and the instance (neither).
CREATE TABLE push_rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER UNIQUE REFERENCES namespaces (id) ON DELETE CASCADE,
  commit_message_regex TEXT,
  commit_message_negative_regex TEXT,
  branch_name_regex TEXT,
  author_email_regex TEXT,
  file_name_regex TEXT,
  deny_delete_tag INTEGER NOT NULL DEFAULT 0 CHECK (deny_delete_tag IN (0, 1)),
  member_check INTEGER NOT NULL DEFAULT 0 CHECK (member_check IN (0, 1)),
  prevent_secrets INTEGER NOT NULL DEFAULT 0 CHECK (prevent_secrets IN (0, 1)),
  -- Megabytes; 0 for any.
  max_file_size INTEGER NOT NULL DEFAULT 0 CHECK (max_file_size >= 0),
  -- Null follows the rule of the instance when a push is judged.
  commit_committer_check INTEGER CHECK (commit_committer_check IN (0, 1)),
  commit_committer_name_check INTEGER CHECK (commit_committer_name_check IN (0, 1)),
  reject_unsigned_commits INTEGER CHECK (reject_unsigned_commits IN (0, 1)),
  reject_non_dco_commits INTEGER CHECK (reject_non_dco_commits IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (project_id IS NULL OR group_id IS NULL)
) STRICT;
CREATE UNIQUE INDEX push_rules_of_instance ON push_rules (project_id IS NULL AND group_id IS NULL)
  WHERE project_id IS NULL AND group_id IS NULL;
