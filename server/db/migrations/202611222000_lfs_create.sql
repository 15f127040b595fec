-- Large files of git, kept once by their digest however many repositories refer to them.
CREATE TABLE lfs_objects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256 of the content, 64 hex digits; also where it lies.
  oid TEXT NOT NULL UNIQUE CHECK (length(oid) = 64),
  size INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
-- Which repositories of a project refer to them: its code (0), its wiki (1), its designs (2).
CREATE TABLE lfs_objects_projects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lfs_object_id INTEGER NOT NULL REFERENCES lfs_objects (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  repository_type INTEGER NOT NULL DEFAULT 0 CHECK (repository_type IN (0, 1, 2)),
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX lfs_objects_projects_once ON lfs_objects_projects (project_id, lfs_object_id, repository_type);
CREATE INDEX lfs_objects_projects_object ON lfs_objects_projects (lfs_object_id);
CREATE TRIGGER lfs_objects_projects_added AFTER INSERT ON lfs_objects_projects
WHEN NOT EXISTS (SELECT 1 FROM lfs_objects_projects o WHERE o.project_id = new.project_id
  AND o.lfs_object_id = new.lfs_object_id AND o.id <> new.id)
BEGIN
  UPDATE projects SET lfs_objects_size = lfs_objects_size
    + (SELECT size FROM lfs_objects WHERE id = new.lfs_object_id) WHERE id = new.project_id;
END;
CREATE TRIGGER lfs_objects_projects_removed AFTER DELETE ON lfs_objects_projects
WHEN NOT EXISTS (SELECT 1 FROM lfs_objects_projects o WHERE o.project_id = old.project_id
  AND o.lfs_object_id = old.lfs_object_id)
BEGIN
  UPDATE projects SET lfs_objects_size = max(0, lfs_objects_size
    - coalesce((SELECT size FROM lfs_objects WHERE id = old.lfs_object_id), 0)) WHERE id = old.project_id;
END;
-- Who keeps a path to themselves.
CREATE TABLE lfs_locks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  ref TEXT,
  locked_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX lfs_locks_path ON lfs_locks (project_id, path);
CREATE INDEX lfs_locks_user ON lfs_locks (user_id);
