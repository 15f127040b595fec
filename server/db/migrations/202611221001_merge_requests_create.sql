CREATE TABLE merge_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  iid INTEGER NOT NULL,
  -- The project that is merged into; the wire's project_id and target_project_id.
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- Null when the fork is gone.
  source_project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  source_branch TEXT NOT NULL,
  target_branch TEXT NOT NULL,
  author_id INTEGER NOT NULL REFERENCES users (id),
  title TEXT NOT NULL,
  description TEXT,
  draft INTEGER NOT NULL GENERATED ALWAYS AS
    (title LIKE 'Draft:%' OR title LIKE '[Draft]%' OR title LIKE '(Draft)%') STORED,
  state TEXT NOT NULL DEFAULT 'opened' CHECK (state IN ('opened', 'closed', 'locked', 'merged')),
  milestone_id INTEGER REFERENCES milestones (id) ON DELETE SET NULL,
  discussion_locked INTEGER CHECK (discussion_locked IN (0, 1)),
  -- Whether those who may merge into the target may push to the source branch of a fork.
  allow_collaboration INTEGER NOT NULL DEFAULT 0 CHECK (allow_collaboration IN (0, 1)),
  squash INTEGER NOT NULL DEFAULT 0 CHECK (squash IN (0, 1)),
  -- Null when it was never sent.
  force_remove_source_branch INTEGER CHECK (force_remove_source_branch IN (0, 1)),
  -- Null until chosen at merge.
  should_remove_source_branch INTEGER CHECK (should_remove_source_branch IN (0, 1)),
  approvals_before_merge INTEGER,
  -- Mergeability, as the background check left it.
  merge_status TEXT NOT NULL DEFAULT 'unchecked' CHECK (merge_status IN
    ('preparing', 'unchecked', 'checking', 'can_be_merged', 'cannot_be_merged', 'cannot_be_merged_recheck')),
  -- Heads that merge_status was found for.
  checked_source_sha TEXT,
  checked_target_sha TEXT,
  -- Why the last attempt to merge or rebase failed.
  merge_error TEXT,
  rebase_in_progress INTEGER NOT NULL DEFAULT 0 CHECK (rebase_in_progress IN (0, 1)),
  -- Auto-merge, and what was chosen with it: commit messages, squash, sha.
  merge_when_pipeline_succeeds INTEGER NOT NULL DEFAULT 0 CHECK (merge_when_pipeline_succeeds IN (0, 1)),
  merge_params TEXT CHECK (merge_params IS NULL OR json_valid(merge_params)),
  -- Who merged, else who set auto-merge.
  merge_user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  merged_at TEXT,
  closed_at TEXT,
  closed_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  merge_commit_sha TEXT,
  squash_commit_sha TEXT,
  -- Head of the newest version; null before the first was made.
  head_sha TEXT,
  latest_diff_id INTEGER REFERENCES merge_request_diffs (id) ON DELETE SET NULL,
  head_pipeline_id INTEGER,
  -- Seconds.
  time_estimate INTEGER NOT NULL DEFAULT 0,
  total_time_spent INTEGER NOT NULL DEFAULT 0,
  last_edited_at TEXT,
  last_edited_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  prepared_at TEXT,
  -- Kept by triggers.
  user_notes_count INTEGER NOT NULL DEFAULT 0,
  upvotes INTEGER NOT NULL DEFAULT 0,
  downvotes INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX merge_requests_iid ON merge_requests (project_id, iid);
CREATE UNIQUE INDEX merge_requests_one_open ON merge_requests (source_project_id, source_branch, project_id, target_branch)
  WHERE state IN ('opened', 'locked');
CREATE INDEX merge_requests_source ON merge_requests (source_project_id, source_branch);
CREATE INDEX merge_requests_target ON merge_requests (project_id, target_branch, state);
CREATE INDEX merge_requests_created ON merge_requests (project_id, state, created_at, id);
CREATE INDEX merge_requests_updated ON merge_requests (project_id, updated_at, id);
CREATE INDEX merge_requests_all_created ON merge_requests (created_at, id);
CREATE INDEX merge_requests_all_updated ON merge_requests (updated_at, id);
CREATE INDEX merge_requests_state_created ON merge_requests (state, created_at, id);
CREATE INDEX merge_requests_author ON merge_requests (author_id, state, created_at, id);
CREATE INDEX merge_requests_milestone ON merge_requests (milestone_id) WHERE milestone_id IS NOT NULL;
CREATE INDEX merge_requests_merge_user ON merge_requests (merge_user_id) WHERE merge_user_id IS NOT NULL;
CREATE INDEX merge_requests_closed_by ON merge_requests (closed_by_id) WHERE closed_by_id IS NOT NULL;
CREATE INDEX merge_requests_last_edited_by ON merge_requests (last_edited_by_id) WHERE last_edited_by_id IS NOT NULL;
CREATE INDEX merge_requests_latest_diff ON merge_requests (latest_diff_id) WHERE latest_diff_id IS NOT NULL;
CREATE INDEX merge_requests_head ON merge_requests (head_sha) WHERE head_sha IS NOT NULL;
CREATE INDEX merge_requests_merge_commit ON merge_requests (merge_commit_sha) WHERE merge_commit_sha IS NOT NULL;
CREATE INDEX merge_requests_auto_merge ON merge_requests (head_sha) WHERE merge_when_pipeline_succeeds = 1;

CREATE TABLE merge_request_assignees (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (merge_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_assignees_user ON merge_request_assignees (user_id, merge_request_id);

CREATE TABLE merge_request_reviewers (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  state TEXT NOT NULL DEFAULT 'unreviewed' CHECK (state IN ('unreviewed', 'reviewed')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (merge_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_reviewers_user ON merge_request_reviewers (user_id, merge_request_id);

CREATE TABLE merge_request_labels (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  PRIMARY KEY (merge_request_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_labels_label ON merge_request_labels (label_id, merge_request_id);

-- Versions: one row each time the source branch got new commits. The diff itself is git's.
CREATE TABLE merge_request_diffs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('collected', 'overflow', 'without_files', 'empty')),
  head_commit_sha TEXT NOT NULL,
  base_commit_sha TEXT,
  start_commit_sha TEXT NOT NULL,
  -- Number of changed files as text, with a `+` behind it when there are more than are counted.
  real_size TEXT,
  commits_count INTEGER NOT NULL DEFAULT 0,
  -- Names the change whatever it stands on, as `git patch-id` does.
  patch_id TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX merge_request_diffs_request ON merge_request_diffs (merge_request_id, id);

CREATE TABLE merge_request_diff_commits (
  diff_id INTEGER NOT NULL REFERENCES merge_request_diffs (id) ON DELETE CASCADE,
  -- 0 is the newest.
  position INTEGER NOT NULL,
  sha TEXT NOT NULL,
  PRIMARY KEY (diff_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_diff_commits_sha ON merge_request_diff_commits (sha, diff_id);

-- Commits of the target that are shown beside the change because it is about them.
CREATE TABLE merge_request_context_commits (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (merge_request_id, sha)
) STRICT, WITHOUT ROWID;

-- Issues that its description, or the messages of its commits, say it closes.
CREATE TABLE merge_request_closing_issues (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  PRIMARY KEY (merge_request_id, issue_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_closing_issues_issue ON merge_request_closing_issues (issue_id);

-- Where and when what was merged was deployed.
CREATE TABLE merge_request_deployments (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  environment TEXT NOT NULL,
  tier TEXT NOT NULL,
  deployed_at TEXT NOT NULL,
  PRIMARY KEY (merge_request_id, environment, deployed_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX merge_request_deployments_environment ON merge_request_deployments (environment, deployed_at);

-- Search in the middle of words. Holds trigrams only; the text stays in merge_requests.
CREATE VIRTUAL TABLE merge_requests_fts USING fts5 (
  title, description, content = 'merge_requests', content_rowid = 'id', tokenize = 'trigram'
);
CREATE TRIGGER merge_requests_fts_added AFTER INSERT ON merge_requests BEGIN
  INSERT INTO merge_requests_fts (rowid, title, description) VALUES (new.id, new.title, new.description);
END;
CREATE TRIGGER merge_requests_fts_removed AFTER DELETE ON merge_requests BEGIN
  INSERT INTO merge_requests_fts (merge_requests_fts, rowid, title, description)
  VALUES ('delete', old.id, old.title, old.description);
END;
CREATE TRIGGER merge_requests_fts_changed AFTER UPDATE OF title, description ON merge_requests BEGIN
  INSERT INTO merge_requests_fts (merge_requests_fts, rowid, title, description)
  VALUES ('delete', old.id, old.title, old.description);
  INSERT INTO merge_requests_fts (rowid, title, description) VALUES (new.id, new.title, new.description);
END;
