-- Lists of every state, and lists by title, walk along an index too.
CREATE INDEX issues_of_project ON issues (project_id, created_at, id);
CREATE INDEX issues_title ON issues (project_id, title, id);
CREATE INDEX issues_state_created ON issues (state, created_at, id);
CREATE INDEX merge_requests_of_project ON merge_requests (project_id, created_at, id);
CREATE INDEX merge_requests_title ON merge_requests (project_id, title, id);
