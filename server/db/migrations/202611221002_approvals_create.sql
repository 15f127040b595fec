-- A project without a row has the defaults.
CREATE TABLE project_approval_settings (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  reset_approvals_on_push INTEGER NOT NULL DEFAULT 1 CHECK (reset_approvals_on_push IN (0, 1)),
  selective_code_owner_removals INTEGER NOT NULL DEFAULT 0 CHECK (selective_code_owner_removals IN (0, 1)),
  disable_overriding_approvers_per_merge_request INTEGER NOT NULL DEFAULT 0
    CHECK (disable_overriding_approvers_per_merge_request IN (0, 1)),
  merge_requests_author_approval INTEGER NOT NULL DEFAULT 0 CHECK (merge_requests_author_approval IN (0, 1)),
  merge_requests_disable_committers_approval INTEGER NOT NULL DEFAULT 0
    CHECK (merge_requests_disable_committers_approval IN (0, 1)),
  require_password_to_approve INTEGER NOT NULL DEFAULT 0 CHECK (require_password_to_approve IN (0, 1)),
  CHECK (reset_approvals_on_push = 0 OR selective_code_owner_removals = 0)
) STRICT;

-- Rules of a project, and rules of one merge request (its own, or frozen when it was merged).
CREATE TABLE approval_rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  rule_type TEXT NOT NULL CHECK (rule_type IN ('regular', 'any_approver', 'report_approver', 'code_owner')),
  report_type TEXT CHECK (report_type IN ('license_scanning', 'code_coverage')),
  approvals_required INTEGER NOT NULL DEFAULT 0 CHECK (approvals_required BETWEEN 0 AND 100),
  applies_to_all_protected_branches INTEGER NOT NULL DEFAULT 0 CHECK (applies_to_all_protected_branches IN (0, 1)),
  -- Section of the code owners file.
  section TEXT,
  -- The project's rule that a rule of a merge request was taken from.
  source_rule_id INTEGER REFERENCES approval_rules (id) ON DELETE SET NULL,
  -- Made when the merge request was merged: what applied then, and who had approved.
  frozen INTEGER NOT NULL DEFAULT 0 CHECK (frozen IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX approval_rules_of_project ON approval_rules (project_id, rule_type, name) WHERE project_id IS NOT NULL;
CREATE INDEX approval_rules_of_request ON approval_rules (merge_request_id, id) WHERE merge_request_id IS NOT NULL;
CREATE INDEX approval_rules_source ON approval_rules (source_rule_id) WHERE source_rule_id IS NOT NULL;

CREATE TABLE approval_rule_users (
  rule_id INTEGER NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_rule_users_user ON approval_rule_users (user_id);
CREATE TABLE approval_rule_groups (
  rule_id INTEGER NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_rule_groups_group ON approval_rule_groups (group_id);
CREATE TABLE approval_rule_branches (
  rule_id INTEGER NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
  protected_branch_id INTEGER NOT NULL REFERENCES protected_branches (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, protected_branch_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_rule_branches_branch ON approval_rule_branches (protected_branch_id);
-- Who had approved for a frozen rule.
CREATE TABLE approval_rule_approvers (
  rule_id INTEGER NOT NULL REFERENCES approval_rules (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_rule_approvers_user ON approval_rule_approvers (user_id);

CREATE TABLE approvals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX approvals_of_request ON approvals (merge_request_id, user_id);
CREATE INDEX approvals_user ON approvals (user_id, merge_request_id);
