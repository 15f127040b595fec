-- With names, so that what jobs need is answered by the index too.
DROP INDEX ci_jobs_standing;
CREATE INDEX ci_jobs_standing ON ci_jobs (pipeline_id, retried, status, stage_index, allow_failure, kind, name);
-- Jobs that have not been let through yet: those that wait for stages apart from those with needs.
CREATE INDEX ci_jobs_created ON ci_jobs (pipeline_id, needs IS NULL, stage_index) WHERE retried = 0 AND status = 'created';
