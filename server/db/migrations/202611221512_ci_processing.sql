-- The status of a pipeline follows from how its newest jobs stand, which this answers without reading them.
CREATE INDEX ci_jobs_standing ON ci_jobs (pipeline_id, retried, status, stage_index, allow_failure);
-- Who waits for a resource, and who has it.
CREATE INDEX ci_jobs_awaiting ON ci_jobs (resource_group_id) WHERE status = 'waiting_for_resource';
CREATE INDEX ci_jobs_holding ON ci_jobs (resource_group_id) WHERE holds_resource = 1;
