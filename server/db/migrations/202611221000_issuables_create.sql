-- The last number given out for one kind of thing in a project or group: issues, merge requests, milestones.
CREATE TABLE internal_ids (
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  usage TEXT NOT NULL CHECK (usage IN ('issues', 'merge_requests', 'milestones')),
  last_value INTEGER NOT NULL,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX internal_ids_of_project ON internal_ids (project_id, usage) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX internal_ids_of_group ON internal_ids (group_id, usage) WHERE group_id IS NOT NULL;

CREATE TABLE labels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  -- `#rrggbb`, in lower or upper case as it was given.
  color TEXT NOT NULL,
  description TEXT,
  -- A label that merges depend on cannot be removed.
  locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX labels_of_project ON labels (project_id, title) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX labels_of_group ON labels (group_id, title) WHERE group_id IS NOT NULL;
CREATE INDEX labels_title ON labels (title);

-- How a project ranks labels, its own and those of its groups.
CREATE TABLE label_priorities (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  priority INTEGER NOT NULL CHECK (priority >= 0),
  PRIMARY KEY (project_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_priorities_label ON label_priorities (label_id);

CREATE TABLE milestones (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  iid INTEGER NOT NULL,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'closed')),
  -- Calendar days.
  start_date TEXT,
  due_date TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (group_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX milestones_of_project ON milestones (project_id, iid) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX milestones_of_group ON milestones (group_id, iid) WHERE group_id IS NOT NULL;
CREATE UNIQUE INDEX milestones_title_of_project ON milestones (project_id, title) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX milestones_title_of_group ON milestones (group_id, title) WHERE group_id IS NOT NULL;
CREATE INDEX milestones_title ON milestones (title);

CREATE TABLE issues (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  iid INTEGER NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id),
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL DEFAULT 'opened' CHECK (state IN ('opened', 'closed')),
  issue_type TEXT NOT NULL DEFAULT 'issue' CHECK (issue_type IN ('issue', 'incident', 'test_case', 'task')),
  confidential INTEGER NOT NULL DEFAULT 0 CHECK (confidential IN (0, 1)),
  discussion_locked INTEGER CHECK (discussion_locked IN (0, 1)),
  severity TEXT NOT NULL DEFAULT 'UNKNOWN' CHECK (severity IN ('UNKNOWN', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL')),
  -- A calendar day.
  due_date TEXT,
  weight INTEGER,
  health_status TEXT CHECK (health_status IN ('on_track', 'needs_attention', 'at_risk')),
  milestone_id INTEGER REFERENCES milestones (id) ON DELETE SET NULL,
  -- Where it stands among the others when people order by hand.
  relative_position INTEGER,
  -- Seconds.
  time_estimate INTEGER NOT NULL DEFAULT 0,
  total_time_spent INTEGER NOT NULL DEFAULT 0,
  moved_to_id INTEGER REFERENCES issues (id) ON DELETE SET NULL,
  duplicated_to_id INTEGER REFERENCES issues (id) ON DELETE SET NULL,
  closed_at TEXT,
  closed_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  last_edited_at TEXT,
  last_edited_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- Kept by triggers.
  user_notes_count INTEGER NOT NULL DEFAULT 0,
  upvotes INTEGER NOT NULL DEFAULT 0,
  downvotes INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX issues_iid ON issues (project_id, iid);
CREATE INDEX issues_created ON issues (project_id, state, created_at, id);
CREATE INDEX issues_updated ON issues (project_id, updated_at, id);
CREATE INDEX issues_all_created ON issues (created_at, id);
CREATE INDEX issues_all_updated ON issues (updated_at, id);
CREATE INDEX issues_author ON issues (author_id, state, created_at);
CREATE INDEX issues_milestone ON issues (milestone_id) WHERE milestone_id IS NOT NULL;
CREATE INDEX issues_moved_to ON issues (moved_to_id) WHERE moved_to_id IS NOT NULL;
CREATE INDEX issues_duplicated_to ON issues (duplicated_to_id) WHERE duplicated_to_id IS NOT NULL;
CREATE INDEX issues_closed_by ON issues (closed_by_id) WHERE closed_by_id IS NOT NULL;
CREATE INDEX issues_last_edited_by ON issues (last_edited_by_id) WHERE last_edited_by_id IS NOT NULL;
CREATE INDEX issues_due ON issues (due_date) WHERE due_date IS NOT NULL;

CREATE TABLE issue_assignees (
  issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (issue_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_assignees_user ON issue_assignees (user_id, issue_id);

CREATE TABLE issue_labels (
  issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  PRIMARY KEY (issue_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_labels_label ON issue_labels (label_id, issue_id);

CREATE TABLE issue_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  target_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  -- What the source does to the target; `is_blocked_by` is stored the other way round.
  link_type TEXT NOT NULL DEFAULT 'relates_to' CHECK (link_type IN ('relates_to', 'blocks')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (source_id <> target_id)
) STRICT;
CREATE UNIQUE INDEX issue_links_pair ON issue_links (source_id, target_id);
CREATE INDEX issue_links_target ON issue_links (target_id);

-- Open issues that everybody who sees the project sees.
CREATE TRIGGER issues_opened AFTER INSERT ON issues WHEN new.state = 'opened' AND new.confidential = 0 BEGIN
  UPDATE projects SET open_issues_count = open_issues_count + 1 WHERE id = new.project_id;
END;
CREATE TRIGGER issues_removed AFTER DELETE ON issues WHEN old.state = 'opened' AND old.confidential = 0 BEGIN
  UPDATE projects SET open_issues_count = open_issues_count - 1 WHERE id = old.project_id;
END;
CREATE TRIGGER issues_changed AFTER UPDATE OF state, confidential ON issues BEGIN
  UPDATE projects SET open_issues_count = open_issues_count
      + (new.state = 'opened' AND new.confidential = 0) - (old.state = 'opened' AND old.confidential = 0)
    WHERE id = new.project_id
      AND (new.state = 'opened' AND new.confidential = 0) <> (old.state = 'opened' AND old.confidential = 0);
END;

-- Search in the middle of words. Holds trigrams only; the text stays in issues.
CREATE VIRTUAL TABLE issues_fts USING fts5 (
  title, description, content = 'issues', content_rowid = 'id', tokenize = 'trigram'
);
CREATE TRIGGER issues_fts_added AFTER INSERT ON issues BEGIN
  INSERT INTO issues_fts (rowid, title, description) VALUES (new.id, new.title, new.description);
END;
CREATE TRIGGER issues_fts_removed AFTER DELETE ON issues BEGIN
  INSERT INTO issues_fts (issues_fts, rowid, title, description) VALUES ('delete', old.id, old.title, old.description);
END;
CREATE TRIGGER issues_fts_changed AFTER UPDATE OF title, description ON issues BEGIN
  INSERT INTO issues_fts (issues_fts, rowid, title, description) VALUES ('delete', old.id, old.title, old.description);
  INSERT INTO issues_fts (rowid, title, description) VALUES (new.id, new.title, new.description);
END;
