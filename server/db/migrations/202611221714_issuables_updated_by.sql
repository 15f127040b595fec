-- Who changed it last, which webhooks are told.
ALTER TABLE issues ADD COLUMN updated_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX issues_updated_by ON issues (updated_by_id) WHERE updated_by_id IS NOT NULL;
ALTER TABLE merge_requests ADD COLUMN updated_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX merge_requests_updated_by ON merge_requests (updated_by_id) WHERE updated_by_id IS NOT NULL;
