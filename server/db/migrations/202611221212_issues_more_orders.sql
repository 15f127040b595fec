-- The orders that people choose for the lists of a project.
CREATE INDEX issues_due_date ON issues (project_id, due_date, id);
CREATE INDEX issues_weight ON issues (project_id, weight, id);
CREATE INDEX issues_popularity ON issues (project_id, upvotes, id);
CREATE INDEX issues_position ON issues (project_id, relative_position, id DESC);
CREATE INDEX merge_requests_popularity ON merge_requests (project_id, upvotes, id);
