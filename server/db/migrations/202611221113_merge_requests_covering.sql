-- With the project at their end, these indexes say by themselves who may see a row of a long list.
DROP INDEX merge_requests_author;
CREATE INDEX merge_requests_author ON merge_requests (author_id, state, created_at, id, project_id);
DROP INDEX merge_requests_state_created;
CREATE INDEX merge_requests_state_created ON merge_requests (state, created_at, id, project_id);
DROP INDEX merge_requests_all_created;
CREATE INDEX merge_requests_all_created ON merge_requests (created_at, id, project_id);
DROP INDEX merge_requests_all_updated;
CREATE INDEX merge_requests_all_updated ON merge_requests (updated_at, id, project_id);
