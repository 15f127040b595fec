-- Few projects are imported; lists ask for those of one user.
CREATE INDEX projects_imported ON projects (creator_id, id) WHERE import_type IS NOT NULL;
