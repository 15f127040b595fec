-- Personal namespaces and groups share one table and one sequence of ids, as on the wire.
CREATE TABLE namespaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'group')),
  name TEXT NOT NULL,
  path TEXT NOT NULL COLLATE NOCASE,
  -- `a/b` and `a / b`: kept beside the parts, because every answer and every look-up by path needs them.
  full_path TEXT NOT NULL COLLATE NOCASE,
  full_name TEXT NOT NULL,
  parent_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  -- Ids from the top-level namespace down to this one, as a JSON array.
  lineage TEXT NOT NULL CHECK (json_valid(lineage)),
  owner_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  description TEXT NOT NULL DEFAULT '',
  visibility TEXT NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'internal', 'public')),
  avatar TEXT,
  share_with_group_lock INTEGER NOT NULL DEFAULT 0 CHECK (share_with_group_lock IN (0, 1)),
  require_two_factor_authentication INTEGER NOT NULL DEFAULT 0 CHECK (require_two_factor_authentication IN (0, 1)),
  two_factor_grace_period INTEGER NOT NULL DEFAULT 48,
  project_creation_level TEXT NOT NULL DEFAULT 'developer'
    CHECK (project_creation_level IN ('noone', 'maintainer', 'developer')),
  subgroup_creation_level TEXT NOT NULL DEFAULT 'maintainer' CHECK (subgroup_creation_level IN ('owner', 'maintainer')),
  auto_devops_enabled INTEGER CHECK (auto_devops_enabled IN (0, 1)),
  emails_disabled INTEGER CHECK (emails_disabled IN (0, 1)),
  mentions_disabled INTEGER CHECK (mentions_disabled IN (0, 1)),
  lfs_enabled INTEGER NOT NULL DEFAULT 1 CHECK (lfs_enabled IN (0, 1)),
  request_access_enabled INTEGER NOT NULL DEFAULT 1 CHECK (request_access_enabled IN (0, 1)),
  default_branch_protection INTEGER NOT NULL DEFAULT 2 CHECK (default_branch_protection BETWEEN 0 AND 4),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((kind = 'user') = (owner_id IS NOT NULL)),
  CHECK (kind = 'group' OR parent_id IS NULL)
) STRICT;
CREATE UNIQUE INDEX namespaces_full_path ON namespaces (full_path);
CREATE UNIQUE INDEX namespaces_owner ON namespaces (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX namespaces_parent ON namespaces (parent_id);
CREATE INDEX namespaces_name ON namespaces (name COLLATE NOCASE, id);
CREATE INDEX namespaces_visibility ON namespaces (visibility, id) WHERE kind = 'group';
