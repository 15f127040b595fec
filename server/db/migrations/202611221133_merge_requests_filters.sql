-- Clients ask for the merge request of a branch again and again, and drafts are few.
CREATE INDEX merge_requests_branch ON merge_requests (source_branch, project_id);
CREATE INDEX merge_requests_drafts ON merge_requests (project_id, created_at) WHERE draft = 1;
