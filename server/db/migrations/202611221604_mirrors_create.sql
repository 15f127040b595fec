-- Repositories elsewhere that follow a project.
CREATE TABLE remote_mirrors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Without user name and password.
  url TEXT NOT NULL,
  -- Sealed: {user, password}.
  credentials TEXT,
  auth_method TEXT NOT NULL DEFAULT 'password' CHECK (auth_method IN ('password', 'ssh_public_key')),
  ssh_private_key TEXT,
  ssh_public_key TEXT,
  -- Lines of a known_hosts file, as they were met first.
  ssh_known_hosts TEXT,
  enabled INTEGER NOT NULL DEFAULT 0 CHECK (enabled IN (0, 1)),
  only_protected_branches INTEGER NOT NULL DEFAULT 0 CHECK (only_protected_branches IN (0, 1)),
  keep_divergent_refs INTEGER NOT NULL DEFAULT 0 CHECK (keep_divergent_refs IN (0, 1)),
  mirror_branch_regex TEXT,
  update_status TEXT NOT NULL DEFAULT 'none' CHECK (update_status IN ('none', 'started', 'finished', 'to_retry', 'failed')),
  last_error TEXT,
  last_update_started_at TEXT,
  last_update_at TEXT,
  last_successful_update_at TEXT,
  -- Failed attempts since the last that worked.
  tries INTEGER NOT NULL DEFAULT 0,
  -- Maintainers were told, and are not told again until it worked.
  error_told INTEGER NOT NULL DEFAULT 0 CHECK (error_told IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX remote_mirrors_project ON remote_mirrors (project_id, id);
CREATE INDEX remote_mirrors_started ON remote_mirrors (last_update_started_at) WHERE update_status = 'started';

-- How following a repository elsewhere goes, for projects with `mirror`.
CREATE TABLE pull_mirrors (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  -- Sealed: {user, password}. The address itself is projects.import_url.
  credentials TEXT,
  update_status TEXT NOT NULL DEFAULT 'none' CHECK (update_status IN ('none', 'scheduled', 'started', 'finished', 'failed')),
  last_error TEXT,
  last_update_started_at TEXT,
  last_update_at TEXT,
  last_successful_update_at TEXT,
  next_update_at TEXT,
  retry_count INTEGER NOT NULL DEFAULT 0,
  -- Branches that moved here too and so were left alone: a list of names.
  diverged TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(diverged)),
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX pull_mirrors_due ON pull_mirrors (next_update_at) WHERE next_update_at IS NOT NULL;
