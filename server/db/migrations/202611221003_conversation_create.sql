-- Where a note was first written; `position` moves on with new versions while its line can be found.
ALTER TABLE notes ADD COLUMN original_position TEXT CHECK (original_position IS NULL OR json_valid(original_position));
-- What a system note tells about: `merge`, `approved`, `label`, `commit`, …; the window's picture for it.
ALTER TABLE notes ADD COLUMN action TEXT;
-- The version of a merge request that resolved the thread by changing its line.
ALTER TABLE notes ADD COLUMN resolved_by_push INTEGER NOT NULL DEFAULT 0 CHECK (resolved_by_push IN (0, 1));
CREATE INDEX notes_open_threads ON notes (noteable_type, noteable_id) WHERE resolvable = 1 AND resolved_at IS NULL;

CREATE TRIGGER notes_counted AFTER INSERT ON notes WHEN new.system = 0 BEGIN
  UPDATE issues SET user_notes_count = user_notes_count + 1 WHERE new.noteable_type = 'Issue' AND id = new.noteable_id;
  UPDATE merge_requests SET user_notes_count = user_notes_count + 1
    WHERE new.noteable_type = 'MergeRequest' AND id = new.noteable_id;
END;
CREATE TRIGGER notes_uncounted AFTER DELETE ON notes WHEN old.system = 0 BEGIN
  UPDATE issues SET user_notes_count = user_notes_count - 1 WHERE old.noteable_type = 'Issue' AND id = old.noteable_id;
  UPDATE merge_requests SET user_notes_count = user_notes_count - 1
    WHERE old.noteable_type = 'MergeRequest' AND id = old.noteable_id;
END;

CREATE TABLE draft_notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The thread it answers; null for a new one.
  discussion_id TEXT,
  resolve_discussion INTEGER NOT NULL DEFAULT 0 CHECK (resolve_discussion IN (0, 1)),
  note TEXT NOT NULL,
  commit_id TEXT,
  position TEXT CHECK (position IS NULL OR json_valid(position)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX draft_notes_of_author ON draft_notes (merge_request_id, author_id, id);
CREATE INDEX draft_notes_author ON draft_notes (author_id);

CREATE TABLE suggestions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  note_id INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
  -- Which of the note's suggestions, from 0.
  relative_order INTEGER NOT NULL,
  -- Lines around the note's line that are replaced too.
  lines_above INTEGER NOT NULL DEFAULT 0,
  lines_below INTEGER NOT NULL DEFAULT 0,
  from_content TEXT NOT NULL,
  to_content TEXT NOT NULL,
  applied INTEGER NOT NULL DEFAULT 0 CHECK (applied IN (0, 1)),
  commit_id TEXT
) STRICT;
CREATE UNIQUE INDEX suggestions_of_note ON suggestions (note_id, relative_order);

CREATE TABLE award_emoji (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  awardable_type TEXT NOT NULL CHECK (awardable_type IN ('Issue', 'MergeRequest', 'Snippet', 'Note')),
  awardable_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX award_emoji_once ON award_emoji (awardable_type, awardable_id, user_id, name);
CREATE INDEX award_emoji_user ON award_emoji (user_id, name);
CREATE INDEX award_emoji_name ON award_emoji (awardable_type, name, awardable_id);
CREATE TRIGGER award_emoji_added AFTER INSERT ON award_emoji BEGIN
  UPDATE issues SET upvotes = upvotes + (new.name = 'thumbsup'), downvotes = downvotes + (new.name = 'thumbsdown')
    WHERE new.awardable_type = 'Issue' AND id = new.awardable_id;
  UPDATE merge_requests SET upvotes = upvotes + (new.name = 'thumbsup'), downvotes = downvotes + (new.name = 'thumbsdown')
    WHERE new.awardable_type = 'MergeRequest' AND id = new.awardable_id;
END;
CREATE TRIGGER award_emoji_removed AFTER DELETE ON award_emoji BEGIN
  UPDATE issues SET upvotes = upvotes - (old.name = 'thumbsup'), downvotes = downvotes - (old.name = 'thumbsdown')
    WHERE old.awardable_type = 'Issue' AND id = old.awardable_id;
  UPDATE merge_requests SET upvotes = upvotes - (old.name = 'thumbsup'), downvotes = downvotes - (old.name = 'thumbsdown')
    WHERE old.awardable_type = 'MergeRequest' AND id = old.awardable_id;
END;

-- Who wants to hear of something, or does not although they take part.
CREATE TABLE subscriptions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscribable_type TEXT NOT NULL CHECK (subscribable_type IN ('Issue', 'MergeRequest', 'Label')),
  subscribable_id INTEGER NOT NULL,
  -- For a group's label: the project in which it was subscribed to.
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  subscribed INTEGER NOT NULL CHECK (subscribed IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX subscriptions_once ON subscriptions
  (subscribable_type, subscribable_id, user_id, ifnull(project_id, 0));
CREATE INDEX subscriptions_user ON subscriptions (user_id);
CREATE INDEX subscriptions_project ON subscriptions (project_id) WHERE project_id IS NOT NULL;

-- Labels, milestones and states as they were given and taken, on an issue or a merge request.
CREATE TABLE resource_label_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  label_id INTEGER REFERENCES labels (id) ON DELETE SET NULL,
  action TEXT NOT NULL CHECK (action IN ('add', 'remove')),
  created_at TEXT NOT NULL,
  CHECK ((issue_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE INDEX resource_label_events_issue ON resource_label_events (issue_id, id) WHERE issue_id IS NOT NULL;
CREATE INDEX resource_label_events_request ON resource_label_events (merge_request_id, id) WHERE merge_request_id IS NOT NULL;
CREATE INDEX resource_label_events_label ON resource_label_events (label_id) WHERE label_id IS NOT NULL;
CREATE INDEX resource_label_events_user ON resource_label_events (user_id) WHERE user_id IS NOT NULL;
CREATE TABLE resource_milestone_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  milestone_id INTEGER REFERENCES milestones (id) ON DELETE SET NULL,
  action TEXT NOT NULL CHECK (action IN ('add', 'remove')),
  state TEXT NOT NULL,
  created_at TEXT NOT NULL,
  CHECK ((issue_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE INDEX resource_milestone_events_issue ON resource_milestone_events (issue_id, id) WHERE issue_id IS NOT NULL;
CREATE INDEX resource_milestone_events_request ON resource_milestone_events (merge_request_id, id)
  WHERE merge_request_id IS NOT NULL;
CREATE INDEX resource_milestone_events_milestone ON resource_milestone_events (milestone_id) WHERE milestone_id IS NOT NULL;
CREATE INDEX resource_milestone_events_user ON resource_milestone_events (user_id) WHERE user_id IS NOT NULL;
CREATE TABLE resource_state_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  state TEXT NOT NULL CHECK (state IN ('opened', 'closed', 'merged', 'reopened')),
  -- What closed an issue.
  source_commit TEXT,
  source_merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  CHECK ((issue_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE INDEX resource_state_events_issue ON resource_state_events (issue_id, id) WHERE issue_id IS NOT NULL;
CREATE INDEX resource_state_events_request ON resource_state_events (merge_request_id, id) WHERE merge_request_id IS NOT NULL;
CREATE INDEX resource_state_events_source ON resource_state_events (source_merge_request_id)
  WHERE source_merge_request_id IS NOT NULL;
CREATE INDEX resource_state_events_user ON resource_state_events (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE timelogs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- Seconds; below zero takes back.
  time_spent INTEGER NOT NULL,
  spent_at TEXT NOT NULL,
  summary TEXT,
  created_at TEXT NOT NULL,
  CHECK ((issue_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE INDEX timelogs_issue ON timelogs (issue_id) WHERE issue_id IS NOT NULL;
CREATE INDEX timelogs_request ON timelogs (merge_request_id) WHERE merge_request_id IS NOT NULL;
CREATE INDEX timelogs_user ON timelogs (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE todos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  target_type TEXT NOT NULL CHECK (target_type IN ('Issue', 'MergeRequest', 'Commit', 'Epic', 'DesignManagement::Design',
    'AlertManagement::Alert', 'Namespace', 'Project')),
  -- Null for commits, which have a sha.
  target_id INTEGER,
  commit_id TEXT,
  note_id INTEGER REFERENCES notes (id) ON DELETE CASCADE,
  action TEXT NOT NULL CHECK (action IN ('assigned', 'mentioned', 'build_failed', 'marked', 'approval_required', 'unmergeable',
    'directly_addressed', 'merge_train_removed', 'review_requested', 'member_access_requested')),
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX todos_user ON todos (user_id, state, id);
CREATE INDEX todos_target ON todos (target_type, target_id, user_id, state);
CREATE INDEX todos_project ON todos (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX todos_group ON todos (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX todos_author ON todos (author_id);
CREATE INDEX todos_note ON todos (note_id) WHERE note_id IS NOT NULL;

-- These name what they belong to without a foreign key; however it goes, they go with it.
CREATE TRIGGER issues_gone AFTER DELETE ON issues BEGIN
  DELETE FROM notes WHERE noteable_type = 'Issue' AND noteable_id = old.id;
  DELETE FROM award_emoji WHERE awardable_type = 'Issue' AND awardable_id = old.id;
  DELETE FROM subscriptions WHERE subscribable_type = 'Issue' AND subscribable_id = old.id;
  DELETE FROM todos WHERE target_type = 'Issue' AND target_id = old.id;
END;
CREATE TRIGGER merge_requests_gone AFTER DELETE ON merge_requests BEGIN
  DELETE FROM notes WHERE noteable_type = 'MergeRequest' AND noteable_id = old.id;
  DELETE FROM award_emoji WHERE awardable_type = 'MergeRequest' AND awardable_id = old.id;
  DELETE FROM subscriptions WHERE subscribable_type = 'MergeRequest' AND subscribable_id = old.id;
  DELETE FROM todos WHERE target_type = 'MergeRequest' AND target_id = old.id;
END;
CREATE TRIGGER notes_gone AFTER DELETE ON notes BEGIN
  DELETE FROM award_emoji WHERE awardable_type = 'Note' AND awardable_id = old.id;
END;
CREATE TRIGGER awards_of_snippets_removed AFTER DELETE ON snippets BEGIN
  DELETE FROM award_emoji WHERE awardable_type = 'Snippet' AND awardable_id = old.id;
END;
CREATE TRIGGER subscriptions_of_labels_removed AFTER DELETE ON labels BEGIN
  DELETE FROM subscriptions WHERE subscribable_type = 'Label' AND subscribable_id = old.id;
END;
