-- The wiki of a project or a group: a git repository. The row is written when the first page is, or when somebody first
-- clones it. A project's wiki lies beside the code, in the same storage; a group's has a place of its own.
CREATE TABLE wikis (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER UNIQUE REFERENCES namespaces (id) ON DELETE CASCADE,
  -- Of a group's wiki; a project's follows its project.
  repository_storage TEXT NOT NULL DEFAULT 'default',
  repository_read_only INTEGER NOT NULL DEFAULT 0 CHECK (repository_read_only IN (0, 1)),
  disk_path TEXT NOT NULL,
  repository_state TEXT NOT NULL DEFAULT 'pending' CHECK (repository_state IN ('pending', 'ready')),
  default_branch TEXT NOT NULL,
  repository_size INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE INDEX wikis_storage ON wikis (repository_storage, id) WHERE group_id IS NOT NULL;

-- What outlives the renaming of a page: what the feed and webhooks call it by.
CREATE TABLE wiki_pages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  wiki_id INTEGER NOT NULL REFERENCES wikis (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX wiki_pages_slug ON wiki_pages (wiki_id, slug);
