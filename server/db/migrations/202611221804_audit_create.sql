-- Who changed what that matters: kept when the people and things that it names are gone, so it refers to none of them.
CREATE TABLE audit_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  author_id INTEGER NOT NULL,
  author_name TEXT NOT NULL,
  entity_type TEXT NOT NULL CHECK (entity_type IN ('Instance', 'Group', 'Project', 'User')),
  entity_id INTEGER NOT NULL,
  entity_path TEXT NOT NULL,
  -- A word for what happened (`member_created`), for filters.
  event_type TEXT NOT NULL,
  target_type TEXT,
  target_id INTEGER,
  target_details TEXT,
  -- The `details` object of the contract without what has a column.
  details TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(details)),
  ip_address TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX audit_events_entity ON audit_events (entity_type, entity_id, id);
CREATE INDEX audit_events_author ON audit_events (author_id, id);
CREATE INDEX audit_events_created ON audit_events (created_at, id);
CREATE INDEX audit_events_type ON audit_events (event_type, id);
