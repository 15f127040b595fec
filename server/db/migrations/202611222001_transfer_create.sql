-- Archives of projects and groups that were asked for.
CREATE TABLE exports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'started', 'finished', 'failed', 'canceled')),
  -- What the archive says instead of the owner's description.
  description TEXT,
  -- Where the archive is sent once it is made; sealed. What follows the making: sending, or telling by mail.
  upload_url TEXT,
  upload_method TEXT CHECK (upload_method IN ('PUT', 'POST')),
  after_state TEXT NOT NULL DEFAULT 'none' CHECK (after_state IN ('none', 'running', 'finished', 'failed')),
  -- Stored name below the folder of exports; null while there is none, and once it is gone.
  file TEXT,
  -- The name that a download has.
  file_name TEXT,
  size INTEGER,
  expires_at TEXT,
  step TEXT,
  done INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  finished_at TEXT,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE INDEX exports_project ON exports (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX exports_group ON exports (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX exports_user ON exports (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX exports_expires ON exports (expires_at) WHERE file IS NOT NULL;

-- Single relations as files, for whoever takes a project or a group over directly.
CREATE TABLE relation_exports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  relation TEXT NOT NULL,
  -- 0 begun, 1 finished, -1 failed.
  status INTEGER NOT NULL DEFAULT 0 CHECK (status IN (0, 1, -1)),
  batched INTEGER NOT NULL DEFAULT 0 CHECK (batched IN (0, 1)),
  batches_count INTEGER NOT NULL DEFAULT 0,
  total_objects_count INTEGER NOT NULL DEFAULT 0,
  file TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX relation_exports_project ON relation_exports (project_id, relation) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX relation_exports_group ON relation_exports (group_id, relation) WHERE group_id IS NOT NULL;
CREATE INDEX relation_exports_user ON relation_exports (user_id) WHERE user_id IS NOT NULL;

-- How a project is being filled, or was. Its status stands in the project.
CREATE TABLE import_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- The project that this one takes the place of when all is well.
  overwrites_project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  correlation_id TEXT NOT NULL,
  -- Where it comes from as people read it: owner/repository, a file's name, a host.
  import_source TEXT,
  -- The page of that source, without credentials.
  provider_link TEXT,
  -- What is needed to go on after a restart (addresses, options), JSON; credentials apart and sealed, dropped at the end.
  source TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(source)),
  credentials TEXT,
  override_params TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(override_params)),
  -- The archive below the data folder while it is needed.
  file TEXT,
  -- How far it is: a step's name, and how much of it.
  step TEXT,
  done INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL DEFAULT 0,
  -- Where a source with pages goes on, JSON.
  cursor TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(cursor)),
  -- {"fetched": {kind: n}, "imported": {kind: n}}; null where the contract shows none.
  stats TEXT CHECK (stats IS NULL OR json_valid(stats)),
  waiting_until TEXT,
  heartbeat_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE INDEX import_runs_user ON import_runs (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX import_runs_overwrites ON import_runs (overwrites_project_id) WHERE overwrites_project_id IS NOT NULL;

-- What of a source was taken over already, so that a second run does not make it twice.
CREATE TABLE import_marks (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  source_key TEXT NOT NULL,
  -- The row that came of it; null where nothing did.
  target_id INTEGER,
  PRIMARY KEY (project_id, kind, source_key)
) STRICT, WITHOUT ROWID;

-- Records that could not be taken over.
CREATE TABLE import_failures (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  correlation_id TEXT,
  relation_name TEXT,
  line_number INTEGER,
  source TEXT NOT NULL,
  exception_class TEXT NOT NULL,
  exception_message TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX import_failures_project ON import_failures (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX import_failures_group ON import_failures (group_id, id) WHERE group_id IS NOT NULL;

-- One relation of an archive that is taken into a project once more.
CREATE TABLE relation_imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  relation TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'created' CHECK (status IN ('created', 'started', 'finished', 'failed')),
  file TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX relation_imports_project ON relation_imports (project_id, id);
CREATE INDEX relation_imports_user ON relation_imports (user_id) WHERE user_id IS NOT NULL;

-- Groups that come from an archive. Their API has no status; the window shows it.
CREATE TABLE group_imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL UNIQUE REFERENCES namespaces (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  state TEXT NOT NULL DEFAULT 'created' CHECK (state IN ('created', 'started', 'finished', 'failed')),
  file TEXT,
  error TEXT,
  step TEXT,
  done INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX group_imports_user ON group_imports (user_id) WHERE user_id IS NOT NULL;

-- Groups and projects that are taken over directly from another instance.
CREATE TABLE bulk_imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  source_url TEXT NOT NULL,
  -- Sealed; dropped at the end.
  access_token TEXT,
  source_version TEXT,
  -- 0 created, 1 started, 2 finished, 3 timeout, -1 failed, -2 canceled.
  status INTEGER NOT NULL DEFAULT 0 CHECK (status IN (0, 1, 2, 3, -1, -2)),
  has_failures INTEGER NOT NULL DEFAULT 0 CHECK (has_failures IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX bulk_imports_user ON bulk_imports (user_id, id);
CREATE TABLE bulk_import_entities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bulk_import_id INTEGER NOT NULL REFERENCES bulk_imports (id) ON DELETE CASCADE,
  parent_id INTEGER REFERENCES bulk_import_entities (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE SET NULL,
  project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  source_type TEXT NOT NULL CHECK (source_type IN ('group_entity', 'project_entity')),
  source_full_path TEXT NOT NULL,
  source_xid INTEGER,
  destination_slug TEXT NOT NULL,
  destination_name TEXT NOT NULL,
  destination_namespace TEXT NOT NULL,
  migrate_projects INTEGER NOT NULL DEFAULT 1 CHECK (migrate_projects IN (0, 1)),
  migrate_memberships INTEGER NOT NULL DEFAULT 1 CHECK (migrate_memberships IN (0, 1)),
  status INTEGER NOT NULL DEFAULT 0 CHECK (status IN (0, 1, 2, 3, -1, -2)),
  has_failures INTEGER NOT NULL DEFAULT 0 CHECK (has_failures IN (0, 1)),
  -- {relation: {"source": n, "fetched": n, "imported": n}}
  stats TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(stats)),
  -- Which relations are done, for going on after a restart.
  cursor TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(cursor)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX bulk_import_entities_import ON bulk_import_entities (bulk_import_id, id);
CREATE INDEX bulk_import_entities_parent ON bulk_import_entities (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX bulk_import_entities_namespace ON bulk_import_entities (namespace_id) WHERE namespace_id IS NOT NULL;
CREATE INDEX bulk_import_entities_project ON bulk_import_entities (project_id) WHERE project_id IS NOT NULL;
CREATE TABLE bulk_import_failures (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entity_id INTEGER NOT NULL REFERENCES bulk_import_entities (id) ON DELETE CASCADE,
  relation TEXT NOT NULL,
  step TEXT NOT NULL,
  exception_class TEXT NOT NULL,
  exception_message TEXT NOT NULL,
  correlation_id TEXT,
  source_url TEXT,
  source_title TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX bulk_import_failures_entity ON bulk_import_failures (entity_id, id);
