CREATE TABLE protected_branches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- A branch name, or a pattern with `*`.
  name TEXT NOT NULL,
  allow_force_push INTEGER NOT NULL DEFAULT 0 CHECK (allow_force_push IN (0, 1)),
  code_owner_approval_required INTEGER NOT NULL DEFAULT 0 CHECK (code_owner_approval_required IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX protected_branches_name ON protected_branches (project_id, name);

CREATE TABLE protected_branch_levels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  protected_branch_id INTEGER NOT NULL REFERENCES protected_branches (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('push', 'merge', 'unprotect')),
  access_level INTEGER NOT NULL CHECK (access_level IN (0, 30, 40, 60)),
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX protected_branch_levels_branch ON protected_branch_levels (protected_branch_id);
CREATE INDEX protected_branch_levels_user ON protected_branch_levels (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX protected_branch_levels_group ON protected_branch_levels (group_id) WHERE group_id IS NOT NULL;

-- Ref updates that git is about to make. A row is written before git moves the refs and removed in the transaction that
-- publishes the fact; whatever is left after a crash is compared with the repository and published then.
CREATE TABLE ref_journal (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  actor_id INTEGER,
  source TEXT NOT NULL CHECK (source IN ('push', 'api', 'merge')),
  updates TEXT NOT NULL CHECK (json_valid(updates)),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX ref_journal_project ON ref_journal (project_id);
