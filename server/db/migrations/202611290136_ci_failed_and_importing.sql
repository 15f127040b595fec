-- The icon of the application asks for these every few seconds.
CREATE INDEX ci_pipelines_failed ON ci_pipelines (finished_at) WHERE status = 'failed';
CREATE INDEX projects_under_way ON projects (id) WHERE import_status IN ('scheduled', 'started');
