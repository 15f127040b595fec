-- Comments of a project are searched, the newest first.
CREATE INDEX notes_of_project ON notes (project_id, id) WHERE system = 0 AND project_id IS NOT NULL;
