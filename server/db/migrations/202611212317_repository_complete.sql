ALTER TABLE protected_branch_levels ADD COLUMN deploy_key_id INTEGER REFERENCES ssh_keys (id) ON DELETE CASCADE;
CREATE INDEX protected_branch_levels_key ON protected_branch_levels (deploy_key_id) WHERE deploy_key_id IS NOT NULL;

CREATE TABLE protected_tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- A tag name, or a pattern with `*`.
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX protected_tags_name ON protected_tags (project_id, name);
CREATE TABLE protected_tag_levels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  protected_tag_id INTEGER NOT NULL REFERENCES protected_tags (id) ON DELETE CASCADE,
  access_level INTEGER NOT NULL CHECK (access_level IN (0, 30, 40, 60)),
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  deploy_key_id INTEGER REFERENCES ssh_keys (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX protected_tag_levels_tag ON protected_tag_levels (protected_tag_id);
CREATE INDEX protected_tag_levels_user ON protected_tag_levels (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX protected_tag_levels_group ON protected_tag_levels (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX protected_tag_levels_key ON protected_tag_levels (deploy_key_id) WHERE deploy_key_id IS NOT NULL;

-- Reports of other systems about a commit.
CREATE TABLE commit_statuses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  ref TEXT,
  name TEXT NOT NULL DEFAULT 'default',
  stage TEXT NOT NULL DEFAULT 'external',
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'success', 'failed', 'canceled')),
  target_url TEXT,
  description TEXT,
  coverage REAL,
  allow_failure INTEGER NOT NULL DEFAULT 0 CHECK (allow_failure IN (0, 1)),
  pipeline_id INTEGER,
  author_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- A newer report has the same name and ref.
  retried INTEGER NOT NULL DEFAULT 0 CHECK (retried IN (0, 1)),
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT
) STRICT;
CREATE INDEX commit_statuses_commit ON commit_statuses (project_id, sha, id);
CREATE INDEX commit_statuses_author ON commit_statuses (author_id) WHERE author_id IS NOT NULL;

-- What people write under commits, snippets and, later, everything else that is discussed.
CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  noteable_type TEXT NOT NULL,
  -- Null for commits, which have a sha.
  noteable_id INTEGER,
  commit_id TEXT,
  discussion_id TEXT NOT NULL,
  -- `DiscussionNote` and `DiffNote` belong to a thread that can be answered; null does not.
  type TEXT CHECK (type IN ('DiscussionNote', 'DiffNote')),
  author_id INTEGER NOT NULL REFERENCES users (id),
  note TEXT NOT NULL,
  system INTEGER NOT NULL DEFAULT 0 CHECK (system IN (0, 1)),
  internal INTEGER NOT NULL DEFAULT 0 CHECK (internal IN (0, 1)),
  -- A place in a diff, as the wire shows it.
  position TEXT CHECK (position IS NULL OR json_valid(position)),
  -- The older, simpler place of a commit comment.
  path TEXT,
  line INTEGER,
  line_type TEXT CHECK (line_type IN ('new', 'old')),
  resolvable INTEGER NOT NULL DEFAULT 0 CHECK (resolvable IN (0, 1)),
  resolved_at TEXT,
  resolved_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_edited_at TEXT,
  CHECK ((noteable_id IS NULL) <> (commit_id IS NULL))
) STRICT;
CREATE INDEX notes_of_commit ON notes (project_id, commit_id, id) WHERE commit_id IS NOT NULL;
CREATE INDEX notes_of_noteable ON notes (noteable_type, noteable_id, id) WHERE noteable_id IS NOT NULL;
CREATE INDEX notes_discussion ON notes (discussion_id);
CREATE INDEX notes_author ON notes (author_id);
CREATE INDEX notes_resolved_by ON notes (resolved_by_id) WHERE resolved_by_id IS NOT NULL;
