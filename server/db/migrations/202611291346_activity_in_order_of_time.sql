DROP INDEX activity_events_author;
DROP INDEX activity_events_project;
DROP INDEX activity_events_namespace;
CREATE INDEX activity_events_author ON activity_events (author_id, created_at, id);
CREATE INDEX activity_events_project ON activity_events (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX activity_events_namespace ON activity_events (namespace_id, created_at, id) WHERE namespace_id IS NOT NULL;
