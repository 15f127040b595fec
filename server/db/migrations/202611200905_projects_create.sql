CREATE TABLE projects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  creator_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  visibility TEXT NOT NULL CHECK (visibility IN ('private', 'internal', 'public')),
  topics TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(topics)),
  avatar TEXT,
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  star_count INTEGER NOT NULL DEFAULT 0,
  -- The repository: its storage, its folder below that storage, and what reads of it are asked for most.
  repository_storage TEXT NOT NULL DEFAULT 'default',
  disk_path TEXT NOT NULL,
  repository_state TEXT NOT NULL DEFAULT 'pending' CHECK (repository_state IN ('pending', 'ready')),
  repository_read_only INTEGER NOT NULL DEFAULT 0 CHECK (repository_read_only IN (0, 1)),
  default_branch TEXT NOT NULL,
  -- Path of the README in the default branch, null while there is none.
  readme_path TEXT,
  empty_repo INTEGER NOT NULL DEFAULT 1 CHECK (empty_repo IN (0, 1)),
  repository_size INTEGER NOT NULL DEFAULT 0,
  commit_count INTEGER NOT NULL DEFAULT 0,
  issues_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (issues_access_level IN ('disabled', 'private', 'enabled')),
  repository_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (repository_access_level IN ('disabled', 'private', 'enabled')),
  merge_requests_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (merge_requests_access_level IN ('disabled', 'private', 'enabled')),
  forking_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (forking_access_level IN ('disabled', 'private', 'enabled')),
  wiki_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (wiki_access_level IN ('disabled', 'private', 'enabled')),
  builds_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (builds_access_level IN ('disabled', 'private', 'enabled')),
  snippets_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (snippets_access_level IN ('disabled', 'private', 'enabled')),
  pages_access_level TEXT NOT NULL DEFAULT 'private' CHECK (pages_access_level IN ('disabled', 'private', 'enabled', 'public')),
  operations_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (operations_access_level IN ('disabled', 'private', 'enabled')),
  analytics_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (analytics_access_level IN ('disabled', 'private', 'enabled')),
  container_registry_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (container_registry_access_level IN ('disabled', 'private', 'enabled')),
  security_and_compliance_access_level TEXT NOT NULL DEFAULT 'private' CHECK (security_and_compliance_access_level IN ('disabled', 'private', 'enabled')),
  releases_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (releases_access_level IN ('disabled', 'private', 'enabled')),
  environments_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (environments_access_level IN ('disabled', 'private', 'enabled')),
  feature_flags_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (feature_flags_access_level IN ('disabled', 'private', 'enabled')),
  infrastructure_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (infrastructure_access_level IN ('disabled', 'private', 'enabled')),
  monitor_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (monitor_access_level IN ('disabled', 'private', 'enabled')),
  requirements_access_level TEXT NOT NULL DEFAULT 'enabled' CHECK (requirements_access_level IN ('disabled', 'private', 'enabled')),
  packages_enabled INTEGER NOT NULL DEFAULT 1 CHECK (packages_enabled IN (0, 1)),
  lfs_enabled INTEGER NOT NULL DEFAULT 1 CHECK (lfs_enabled IN (0, 1)),
  shared_runners_enabled INTEGER NOT NULL DEFAULT 1 CHECK (shared_runners_enabled IN (0, 1)),
  group_runners_enabled INTEGER NOT NULL DEFAULT 1 CHECK (group_runners_enabled IN (0, 1)),
  request_access_enabled INTEGER NOT NULL DEFAULT 1 CHECK (request_access_enabled IN (0, 1)),
  emails_disabled INTEGER CHECK (emails_disabled IN (0, 1)),
  public_jobs INTEGER NOT NULL DEFAULT 1 CHECK (public_jobs IN (0, 1)),
  resolve_outdated_diff_discussions INTEGER NOT NULL DEFAULT 0 CHECK (resolve_outdated_diff_discussions IN (0, 1)),
  only_allow_merge_if_pipeline_succeeds INTEGER NOT NULL DEFAULT 0 CHECK (only_allow_merge_if_pipeline_succeeds IN (0, 1)),
  allow_merge_on_skipped_pipeline INTEGER CHECK (allow_merge_on_skipped_pipeline IN (0, 1)),
  only_allow_merge_if_all_discussions_are_resolved INTEGER NOT NULL DEFAULT 0 CHECK (only_allow_merge_if_all_discussions_are_resolved IN (0, 1)),
  remove_source_branch_after_merge INTEGER NOT NULL DEFAULT 1 CHECK (remove_source_branch_after_merge IN (0, 1)),
  printing_merge_request_link_enabled INTEGER NOT NULL DEFAULT 1 CHECK (printing_merge_request_link_enabled IN (0, 1)),
  merge_method TEXT NOT NULL DEFAULT 'merge' CHECK (merge_method IN ('merge', 'rebase_merge', 'ff')),
  squash_option TEXT NOT NULL DEFAULT 'default_off' CHECK (squash_option IN ('never', 'always', 'default_on', 'default_off')),
  enforce_auth_checks_on_uploads INTEGER NOT NULL DEFAULT 1 CHECK (enforce_auth_checks_on_uploads IN (0, 1)),
  suggestion_commit_message TEXT,
  merge_commit_template TEXT,
  squash_commit_template TEXT,
  issue_branch_template TEXT,
  autoclose_referenced_issues INTEGER NOT NULL DEFAULT 1 CHECK (autoclose_referenced_issues IN (0, 1)),
  ci_config_path TEXT,
  ci_default_git_depth INTEGER DEFAULT 20,
  ci_forward_deployment_enabled INTEGER NOT NULL DEFAULT 1 CHECK (ci_forward_deployment_enabled IN (0, 1)),
  ci_separated_caches INTEGER NOT NULL DEFAULT 1 CHECK (ci_separated_caches IN (0, 1)),
  ci_job_token_scope_enabled INTEGER NOT NULL DEFAULT 0 CHECK (ci_job_token_scope_enabled IN (0, 1)),
  ci_allow_fork_pipelines_to_run_in_parent_project INTEGER NOT NULL DEFAULT 1 CHECK (ci_allow_fork_pipelines_to_run_in_parent_project IN (0, 1)),
  build_git_strategy TEXT NOT NULL DEFAULT 'fetch' CHECK (build_git_strategy IN ('fetch', 'clone')),
  build_timeout INTEGER NOT NULL DEFAULT 3600,
  auto_cancel_pending_pipelines TEXT NOT NULL DEFAULT 'enabled' CHECK (auto_cancel_pending_pipelines IN ('enabled', 'disabled')),
  keep_latest_artifact INTEGER NOT NULL DEFAULT 1 CHECK (keep_latest_artifact IN (0, 1)),
  restrict_user_defined_variables INTEGER NOT NULL DEFAULT 0 CHECK (restrict_user_defined_variables IN (0, 1)),
  auto_devops_enabled INTEGER CHECK (auto_devops_enabled IN (0, 1)),
  auto_devops_deploy_strategy TEXT NOT NULL DEFAULT 'continuous' CHECK (auto_devops_deploy_strategy IN ('continuous', 'manual', 'timed_incremental')),
  service_desk_enabled INTEGER NOT NULL DEFAULT 0 CHECK (service_desk_enabled IN (0, 1)),
  runners_token TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_activity_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX projects_path ON projects (namespace_id, path);
CREATE INDEX projects_name_in_namespace ON projects (namespace_id, name COLLATE NOCASE);
CREATE INDEX projects_created_at ON projects (created_at, id);
CREATE INDEX projects_updated_at ON projects (updated_at, id);
CREATE INDEX projects_last_activity_at ON projects (last_activity_at, id);
CREATE INDEX projects_name ON projects (name COLLATE NOCASE, id);
CREATE INDEX projects_path_alone ON projects (path, id);
CREATE INDEX projects_visibility ON projects (visibility, id);
CREATE INDEX projects_creator ON projects (creator_id);
CREATE INDEX projects_archived ON projects (archived) WHERE archived = 1;
CREATE INDEX projects_with_topics ON projects (topics) WHERE topics <> '[]';

CREATE TABLE project_stars (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_stars_project ON project_stars (project_id);

-- The count follows the stars, also when they go with their user.
CREATE TRIGGER project_stars_added AFTER INSERT ON project_stars BEGIN
  UPDATE projects SET star_count = star_count + 1 WHERE id = new.project_id;
END;
CREATE TRIGGER project_stars_removed AFTER DELETE ON project_stars BEGIN
  UPDATE projects SET star_count = star_count - 1 WHERE id = old.project_id;
END;

-- Search in the middle of words. Holds trigrams only; the text stays in projects.
CREATE VIRTUAL TABLE projects_fts USING fts5 (
  name, path, description, content = 'projects', content_rowid = 'id', tokenize = 'trigram'
);
CREATE TRIGGER projects_fts_added AFTER INSERT ON projects BEGIN
  INSERT INTO projects_fts (rowid, name, path, description) VALUES (new.id, new.name, new.path, new.description);
END;
CREATE TRIGGER projects_fts_removed AFTER DELETE ON projects BEGIN
  INSERT INTO projects_fts (projects_fts, rowid, name, path, description)
  VALUES ('delete', old.id, old.name, old.path, old.description);
END;
CREATE TRIGGER projects_fts_changed AFTER UPDATE OF name, path, description ON projects BEGIN
  INSERT INTO projects_fts (projects_fts, rowid, name, path, description)
  VALUES ('delete', old.id, old.name, old.path, old.description);
  INSERT INTO projects_fts (rowid, name, path, description) VALUES (new.id, new.name, new.path, new.description);
END;
