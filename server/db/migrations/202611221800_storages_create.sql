-- Folders for repositories beside the one named `default`, as an administrator added them; those of the start options are
-- not here.
CREATE TABLE repository_storages (
  name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 64),
  folder TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT;

ALTER TABLE snippets ADD COLUMN repository_read_only INTEGER NOT NULL DEFAULT 0 CHECK (repository_read_only IN (0, 1));
CREATE INDEX snippets_storage ON snippets (repository_storage, id);

-- The moving of one repository (and the wiki beside it) from one storage to another.
CREATE TABLE repository_storage_moves (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('project', 'snippet', 'group')),
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  snippet_id INTEGER REFERENCES snippets (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  state TEXT NOT NULL DEFAULT 'scheduled' CHECK (state IN ('initial', 'scheduled', 'started', 'replicated', 'finished',
    'failed', 'cleanup failed')),
  source_storage_name TEXT NOT NULL,
  destination_storage_name TEXT NOT NULL,
  -- Where the move is: bytes that are there already, and bytes in all, once counted.
  bytes_done INTEGER NOT NULL DEFAULT 0,
  bytes_total INTEGER,
  error_message TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((project_id IS NOT NULL) + (snippet_id IS NOT NULL) + (group_id IS NOT NULL) = 1)
) STRICT;
CREATE INDEX repository_storage_moves_kind ON repository_storage_moves (kind, id);
CREATE INDEX repository_storage_moves_project ON repository_storage_moves (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX repository_storage_moves_snippet ON repository_storage_moves (snippet_id, id) WHERE snippet_id IS NOT NULL;
CREATE INDEX repository_storage_moves_group ON repository_storage_moves (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX repository_storage_moves_open ON repository_storage_moves (state, id)
  WHERE state IN ('initial', 'scheduled', 'started', 'replicated');
