-- Pushes since the instance was made, for the periods after which a repository is tidied up.
ALTER TABLE projects ADD COLUMN pushes_count INTEGER NOT NULL DEFAULT 0;
-- When all objects of the repository were last looked at, and whether something was wrong with them.
ALTER TABLE projects ADD COLUMN last_repository_check_at TEXT;
ALTER TABLE projects ADD COLUMN last_repository_check_failed INTEGER CHECK (last_repository_check_failed IN (0, 1));
CREATE INDEX projects_repository_check ON projects (last_repository_check_at, id);
CREATE INDEX projects_repository_check_failed ON projects (id) WHERE last_repository_check_failed = 1;
