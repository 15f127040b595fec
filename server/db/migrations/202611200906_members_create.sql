-- Direct memberships of a project or of a group; what is inherited is worked out when asked.
CREATE TABLE members (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  access_level INTEGER NOT NULL CHECK (access_level IN (5, 10, 20, 30, 40, 50)),
  expires_at TEXT,
  created_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (namespace_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX members_of_project ON members (project_id, user_id) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX members_of_namespace ON members (namespace_id, user_id) WHERE namespace_id IS NOT NULL;
CREATE INDEX members_user ON members (user_id, access_level);
CREATE INDEX members_created_by ON members (created_by_id);
