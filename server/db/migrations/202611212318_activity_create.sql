-- The feed: what users did, written from the facts.
CREATE TABLE activity_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The word of the `action` filter; `action_name` on the wire follows from it and the target.
  action TEXT NOT NULL CHECK (action IN ('approved', 'closed', 'commented', 'created', 'destroyed', 'expired', 'joined',
    'left', 'merged', 'pushed', 'reopened', 'updated', 'imported', 'transferred', 'archived', 'unarchived')),
  target_type TEXT,
  target_id INTEGER,
  target_iid INTEGER,
  target_title TEXT,
  -- Push data, a note's text or a page's slug, as the wire shows it.
  details TEXT CHECK (details IS NULL OR json_valid(details)),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX activity_events_author ON activity_events (author_id, id);
CREATE INDEX activity_events_project ON activity_events (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX activity_events_namespace ON activity_events (namespace_id, id) WHERE namespace_id IS NOT NULL;
CREATE INDEX activity_events_created_at ON activity_events (created_at, id);
