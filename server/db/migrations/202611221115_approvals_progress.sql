-- The version that was approved, and for which target; what a push without a new change carries over is approved still.
ALTER TABLE approvals ADD COLUMN diff_id INTEGER;
ALTER TABLE approvals ADD COLUMN target_branch TEXT;

-- What git says about a merge request as far as approvals need it, and for which version and target that was found.
CREATE TABLE approval_progress (
  merge_request_id INTEGER PRIMARY KEY REFERENCES merge_requests (id) ON DELETE CASCADE,
  diff_id INTEGER NOT NULL,
  target_branch TEXT NOT NULL,
  -- Head of the target branch that the code owners were read from; null without such a branch.
  target_sha TEXT,
  -- Addresses of those who wrote and committed its commits, as a JSON array.
  committer_emails TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(committer_emails))
) STRICT;

-- Who was told that their approval is wanted.
CREATE TABLE approval_requests (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (merge_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_requests_user ON approval_requests (user_id);

-- A project's approvals_before_merge and its rule for all members say the same, whichever is written.
CREATE TRIGGER approval_rules_all_members_added AFTER INSERT ON approval_rules
WHEN new.project_id IS NOT NULL AND new.rule_type = 'any_approver' BEGIN
  UPDATE projects SET approvals_before_merge = new.approvals_required
  WHERE id = new.project_id AND approvals_before_merge <> new.approvals_required;
END;
CREATE TRIGGER approval_rules_all_members_changed AFTER UPDATE OF approvals_required ON approval_rules
WHEN new.project_id IS NOT NULL AND new.rule_type = 'any_approver' BEGIN
  UPDATE projects SET approvals_before_merge = new.approvals_required
  WHERE id = new.project_id AND approvals_before_merge <> new.approvals_required;
END;
CREATE TRIGGER approval_rules_all_members_removed AFTER DELETE ON approval_rules
WHEN old.project_id IS NOT NULL AND old.rule_type = 'any_approver' BEGIN
  UPDATE projects SET approvals_before_merge = 0 WHERE id = old.project_id AND approvals_before_merge <> 0;
END;
CREATE TRIGGER projects_approvals_before_merge_set AFTER INSERT ON projects WHEN new.approvals_before_merge > 0 BEGIN
  INSERT INTO approval_rules (project_id, name, rule_type, approvals_required, created_at, updated_at)
  VALUES (new.id, 'All Members', 'any_approver', min(new.approvals_before_merge, 100), new.created_at, new.created_at);
END;
CREATE TRIGGER projects_approvals_before_merge_changed AFTER UPDATE OF approvals_before_merge ON projects
WHEN new.approvals_before_merge <> old.approvals_before_merge BEGIN
  UPDATE approval_rules SET approvals_required = min(new.approvals_before_merge, 100), updated_at = new.updated_at
  WHERE project_id = new.id AND rule_type = 'any_approver' AND approvals_required <> new.approvals_before_merge;
  INSERT INTO approval_rules (project_id, name, rule_type, approvals_required, created_at, updated_at)
  SELECT new.id, 'All Members', 'any_approver', min(new.approvals_before_merge, 100), new.updated_at, new.updated_at
  WHERE new.approvals_before_merge > 0
    AND NOT EXISTS (SELECT 1 FROM approval_rules WHERE project_id = new.id AND rule_type = 'any_approver');
END;
INSERT INTO approval_rules (project_id, name, rule_type, approvals_required, created_at, updated_at)
SELECT id, 'All Members', 'any_approver', min(approvals_before_merge, 100), updated_at, updated_at
FROM projects WHERE approvals_before_merge > 0;
