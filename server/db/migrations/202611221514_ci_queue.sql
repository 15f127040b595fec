-- Which kinds of jobs wait for runners, and which jobs of a kind, without reading the jobs.
CREATE INDEX ci_jobs_kinds ON ci_jobs (project_id, protected, tag_list, id) WHERE status = 'pending' AND kind = 'job';
