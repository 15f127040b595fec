-- Free key-value pairs that administrators keep on users, groups and projects.
CREATE TABLE custom_attributes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((user_id IS NOT NULL) + (namespace_id IS NOT NULL) + (project_id IS NOT NULL) = 1)
) STRICT;
CREATE UNIQUE INDEX custom_attributes_of_user ON custom_attributes (user_id, key) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX custom_attributes_of_namespace ON custom_attributes (namespace_id, key) WHERE namespace_id IS NOT NULL;
CREATE UNIQUE INDEX custom_attributes_of_project ON custom_attributes (project_id, key) WHERE project_id IS NOT NULL;
CREATE INDEX custom_attributes_value ON custom_attributes (key, value);
