-- Pipelines of one person, and those with a name.
CREATE INDEX ci_pipelines_project_user ON ci_pipelines (project_id, user_id, id);
CREATE INDEX ci_pipelines_name ON ci_pipelines (project_id, name, id) WHERE name IS NOT NULL;
