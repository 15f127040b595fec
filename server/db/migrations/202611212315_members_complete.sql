-- Groups invited into projects, up to the given level.
CREATE TABLE project_group_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  access_level INTEGER NOT NULL CHECK (access_level IN (10, 20, 30, 40, 50)),
  expires_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX project_group_links_pair ON project_group_links (project_id, group_id);
CREATE INDEX project_group_links_group ON project_group_links (group_id);

-- People invited by their address, until somebody with that address accepts.
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  email TEXT NOT NULL COLLATE NOCASE,
  access_level INTEGER NOT NULL CHECK (access_level IN (5, 10, 20, 30, 40, 50)),
  expires_at TEXT,
  token TEXT NOT NULL UNIQUE,
  created_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (namespace_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX invitations_to_project ON invitations (project_id, email) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX invitations_to_namespace ON invitations (namespace_id, email) WHERE namespace_id IS NOT NULL;
CREATE INDEX invitations_email ON invitations (email);
CREATE INDEX invitations_created_by ON invitations (created_by_id) WHERE created_by_id IS NOT NULL;

-- People who ask to become members.
CREATE TABLE access_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  requested_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (namespace_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX access_requests_to_project ON access_requests (project_id, user_id) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX access_requests_to_namespace ON access_requests (namespace_id, user_id) WHERE namespace_id IS NOT NULL;
CREATE INDEX access_requests_user ON access_requests (user_id);
