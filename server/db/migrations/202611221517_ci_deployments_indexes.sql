-- What was brought to an environment, the latest first; deployments by status, and by their end.
CREATE INDEX deployments_of_environment ON deployments (environment_id, id);
CREATE INDEX deployments_status ON deployments (project_id, status, id);
CREATE INDEX deployments_finished ON deployments (project_id, finished_at, id);
