-- Variables of pipelines: of a project, of a group, or of the instance.
CREATE TABLE ci_variables (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  -- Sealed.
  value TEXT NOT NULL,
  variable_type TEXT NOT NULL DEFAULT 'env_var' CHECK (variable_type IN ('env_var', 'file')),
  protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
  masked INTEGER NOT NULL DEFAULT 0 CHECK (masked IN (0, 1)),
  raw INTEGER NOT NULL DEFAULT 0 CHECK (raw IN (0, 1)),
  environment_scope TEXT NOT NULL DEFAULT '*',
  description TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (project_id IS NULL OR group_id IS NULL)
) STRICT;
CREATE UNIQUE INDEX ci_variables_of_project ON ci_variables (project_id, key, environment_scope) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX ci_variables_of_group ON ci_variables (group_id, key, environment_scope) WHERE group_id IS NOT NULL;
CREATE UNIQUE INDEX ci_variables_of_instance ON ci_variables (key) WHERE project_id IS NULL AND group_id IS NULL;

-- Files that jobs need and nobody else may read: keystores, profiles, certificates. The content lies sealed on disk.
CREATE TABLE secure_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- Of the content as it was uploaded, SHA-256 in hex.
  checksum TEXT NOT NULL,
  size INTEGER NOT NULL,
  -- Name of its file below the folder of secure files.
  stored_as TEXT NOT NULL,
  -- What a certificate or profile says of itself; null until it was read, and for other files.
  metadata TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
  expires_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX secure_files_name ON secure_files (project_id, name);

CREATE TABLE runners (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  runner_type TEXT NOT NULL CHECK (runner_type IN ('instance_type', 'group_type', 'project_type')),
  -- Of a group's runner.
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  -- Digest of the authentication token, and its first characters, by which people tell runners apart.
  token_digest TEXT NOT NULL,
  short_token TEXT NOT NULL,
  description TEXT,
  maintenance_note TEXT,
  paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
  run_untagged INTEGER NOT NULL DEFAULT 1 CHECK (run_untagged IN (0, 1)),
  access_level TEXT NOT NULL DEFAULT 'not_protected' CHECK (access_level IN ('not_protected', 'ref_protected')),
  -- Seconds; null for none.
  maximum_timeout INTEGER,
  tag_list TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tag_list)),
  -- What it told about itself the last time.
  name TEXT,
  version TEXT,
  revision TEXT,
  platform TEXT,
  architecture TEXT,
  executor TEXT,
  features TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(features)),
  config TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(config)),
  ip_address TEXT,
  contacted_at TEXT,
  creator_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((runner_type = 'group_type') = (group_id IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX runners_token ON runners (token_digest);
CREATE INDEX runners_group ON runners (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX runners_type ON runners (runner_type, id);
CREATE INDEX runners_creator ON runners (creator_id) WHERE creator_id IS NOT NULL;

-- Projects that a project's runner works for.
CREATE TABLE runner_projects (
  runner_id INTEGER NOT NULL REFERENCES runners (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (runner_id, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX runner_projects_project ON runner_projects (project_id, runner_id);

-- Processes that use one runner's token.
CREATE TABLE runner_managers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  runner_id INTEGER NOT NULL REFERENCES runners (id) ON DELETE CASCADE,
  system_id TEXT NOT NULL,
  version TEXT,
  revision TEXT,
  platform TEXT,
  architecture TEXT,
  ip_address TEXT,
  contacted_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX runner_managers_system ON runner_managers (runner_id, system_id);
