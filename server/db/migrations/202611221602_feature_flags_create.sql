CREATE TABLE feature_flags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  iid INTEGER NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  version TEXT NOT NULL DEFAULT 'new_version_flag' CHECK (version IN ('legacy_flag', 'new_version_flag')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX feature_flags_name ON feature_flags (project_id, name);
CREATE UNIQUE INDEX feature_flags_iid ON feature_flags (project_id, iid);

-- Only of legacy flags: each environment is on or off for itself.
CREATE TABLE feature_flag_legacy_scopes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feature_flag_id INTEGER NOT NULL REFERENCES feature_flags (id) ON DELETE CASCADE,
  environment_scope TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  strategies TEXT NOT NULL DEFAULT '[{"name":"default","parameters":{}}]' CHECK (json_valid(strategies)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX feature_flag_legacy_scopes_scope
  ON feature_flag_legacy_scopes (feature_flag_id, environment_scope);

CREATE TABLE feature_flag_user_lists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  iid INTEGER NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- Separated by commas, as clients give it.
  user_xids TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX feature_flag_user_lists_iid ON feature_flag_user_lists (project_id, iid);
CREATE UNIQUE INDEX feature_flag_user_lists_name ON feature_flag_user_lists (project_id, name);

CREATE TABLE feature_flag_strategies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feature_flag_id INTEGER NOT NULL REFERENCES feature_flags (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name IN ('default', 'gradualRolloutUserId', 'userWithId', 'serviceUserList', 'flexibleRollout')),
  parameters TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(parameters)),
  -- Deferred: a project that is deleted takes both along, in whatever order.
  user_list_id INTEGER REFERENCES feature_flag_user_lists (id) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX feature_flag_strategies_flag ON feature_flag_strategies (feature_flag_id, id);
CREATE INDEX feature_flag_strategies_user_list ON feature_flag_strategies (user_list_id) WHERE user_list_id IS NOT NULL;

CREATE TABLE feature_flag_scopes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  strategy_id INTEGER NOT NULL REFERENCES feature_flag_strategies (id) ON DELETE CASCADE,
  environment_scope TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX feature_flag_scopes_scope ON feature_flag_scopes (strategy_id, environment_scope);

-- The token with which programs ask for the flags of a project.
CREATE TABLE feature_flag_clients (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  token_digest TEXT NOT NULL UNIQUE,
  -- Sealed: people look it up in the window.
  token TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
