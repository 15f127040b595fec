-- Pipelines whose configuration was wrong.
CREATE INDEX ci_pipelines_broken ON ci_pipelines (project_id, id) WHERE yaml_errors IS NOT NULL;
