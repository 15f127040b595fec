-- Secrets are kept when a project is imported, also where its original is on the same instance: one of a name per owner.
CREATE TABLE uploads_of_owners (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  file_name TEXT NOT NULL,
  size INTEGER NOT NULL,
  uploaded_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL
) STRICT;
INSERT INTO uploads_of_owners SELECT id, project_id, namespace_id, secret, file_name, size, uploaded_by_id, created_at FROM uploads;
DROP TABLE uploads;
ALTER TABLE uploads_of_owners RENAME TO uploads;
CREATE UNIQUE INDEX uploads_secret ON uploads (secret, ifnull(project_id, 0), file_name);
CREATE INDEX uploads_project ON uploads (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX uploads_namespace ON uploads (namespace_id, id) WHERE namespace_id IS NOT NULL;
CREATE INDEX uploads_uploaded_by ON uploads (uploaded_by_id) WHERE uploaded_by_id IS NOT NULL;
