-- The charts count the pipelines of a period without their other columns.
CREATE INDEX ci_pipelines_created ON ci_pipelines (project_id, created_at, source, ref, status, duration);
