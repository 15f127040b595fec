-- What the overview of the instance counts and sums up, so that it reads no table from end to end.
CREATE INDEX users_active ON users (id) WHERE state = 'active' AND kind = 'human';
CREATE INDEX jobs_failed ON jobs (finished_at, id) WHERE state = 'failed';
CREATE INDEX projects_sizes ON projects (repository_size, wiki_size, job_artifacts_size, pipeline_artifacts_size,
  uploads_size, snippets_size);
