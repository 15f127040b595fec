-- Forks. The network is named by the project it began with, also when that one is gone.
ALTER TABLE projects ADD COLUMN forked_from_project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL;
ALTER TABLE projects ADD COLUMN fork_network_id INTEGER;
ALTER TABLE projects ADD COLUMN forks_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN mr_default_target_self INTEGER NOT NULL DEFAULT 0 CHECK (mr_default_target_self IN (0, 1));
CREATE INDEX projects_forked_from ON projects (forked_from_project_id) WHERE forked_from_project_id IS NOT NULL;
CREATE INDEX projects_fork_network ON projects (fork_network_id) WHERE fork_network_id IS NOT NULL;
CREATE TRIGGER projects_forks_added AFTER INSERT ON projects WHEN new.forked_from_project_id IS NOT NULL BEGIN
  UPDATE projects SET forks_count = forks_count + 1 WHERE id = new.forked_from_project_id;
END;
CREATE TRIGGER projects_forks_removed AFTER DELETE ON projects WHEN old.forked_from_project_id IS NOT NULL BEGIN
  UPDATE projects SET forks_count = forks_count - 1 WHERE id = old.forked_from_project_id;
END;
CREATE TRIGGER projects_forks_changed AFTER UPDATE OF forked_from_project_id ON projects
WHEN new.forked_from_project_id IS NOT old.forked_from_project_id BEGIN
  UPDATE projects SET forks_count = forks_count - 1 WHERE id = old.forked_from_project_id;
  UPDATE projects SET forks_count = forks_count + 1 WHERE id = new.forked_from_project_id;
END;

ALTER TABLE projects ADD COLUMN import_type TEXT;
ALTER TABLE projects ADD COLUMN import_status TEXT NOT NULL DEFAULT 'none'
  CHECK (import_status IN ('none', 'scheduled', 'started', 'finished', 'failed', 'canceled'));
ALTER TABLE projects ADD COLUMN import_url TEXT;
ALTER TABLE projects ADD COLUMN import_error TEXT;
-- Marked projects are deleted when the settings' delay is over.
ALTER TABLE projects ADD COLUMN marked_for_deletion_at TEXT;
ALTER TABLE projects ADD COLUMN marked_for_deletion_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
-- Kept to give a restored project its own name, and its own archived state, back.
ALTER TABLE projects ADD COLUMN path_before_deletion TEXT;
ALTER TABLE projects ADD COLUMN archived_before_deletion INTEGER NOT NULL DEFAULT 0 CHECK (archived_before_deletion IN (0, 1));
CREATE INDEX projects_marked ON projects (marked_for_deletion_at) WHERE marked_for_deletion_at IS NOT NULL;
CREATE INDEX projects_marked_by ON projects (marked_for_deletion_by_id) WHERE marked_for_deletion_by_id IS NOT NULL;

ALTER TABLE projects ADD COLUMN package_registry_access_level TEXT NOT NULL DEFAULT 'enabled'
  CHECK (package_registry_access_level IN ('disabled', 'private', 'enabled', 'public'));
ALTER TABLE projects ADD COLUMN approvals_before_merge INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN external_authorization_classification_label TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN show_default_award_emojis INTEGER NOT NULL DEFAULT 1 CHECK (show_default_award_emojis IN (0, 1));
ALTER TABLE projects ADD COLUMN warn_about_potentially_unwanted_characters INTEGER NOT NULL DEFAULT 1
  CHECK (warn_about_potentially_unwanted_characters IN (0, 1));
ALTER TABLE projects ADD COLUMN issues_template TEXT;
ALTER TABLE projects ADD COLUMN merge_requests_template TEXT;
ALTER TABLE projects ADD COLUMN merge_pipelines_enabled INTEGER NOT NULL DEFAULT 0 CHECK (merge_pipelines_enabled IN (0, 1));
ALTER TABLE projects ADD COLUMN merge_trains_enabled INTEGER NOT NULL DEFAULT 0 CHECK (merge_trains_enabled IN (0, 1));
ALTER TABLE projects ADD COLUMN runner_token_expiration_interval INTEGER;
-- What differs from the default policy, as JSON.
ALTER TABLE projects ADD COLUMN container_expiration_policy TEXT NOT NULL DEFAULT '{}'
  CHECK (json_valid(container_expiration_policy));
ALTER TABLE projects ADD COLUMN housekeeping_at TEXT;
ALTER TABLE projects ADD COLUMN open_issues_count INTEGER NOT NULL DEFAULT 0;
-- Bytes, beside repository_size.
ALTER TABLE projects ADD COLUMN wiki_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN lfs_objects_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN job_artifacts_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN pipeline_artifacts_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN packages_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN snippets_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN uploads_size INTEGER NOT NULL DEFAULT 0;

-- The topics of the instance. `projects.topics` stays the answer's list; these rows find projects by topic.
CREATE TABLE topics (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL COLLATE NOCASE UNIQUE,
  title TEXT NOT NULL,
  description TEXT,
  avatar TEXT,
  total_projects_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX topics_used ON topics (total_projects_count DESC, id);
CREATE TABLE project_topics (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  topic_id INTEGER NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
  PRIMARY KEY (topic_id, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_topics_project ON project_topics (project_id);
CREATE TRIGGER project_topics_added AFTER INSERT ON project_topics BEGIN
  UPDATE topics SET total_projects_count = total_projects_count + 1 WHERE id = new.topic_id;
END;
CREATE TRIGGER project_topics_removed AFTER DELETE ON project_topics BEGIN
  UPDATE topics SET total_projects_count = total_projects_count - 1 WHERE id = old.topic_id;
END;
INSERT INTO topics (name, title, created_at, updated_at)
  SELECT t.value, t.value, min(p.created_at), min(p.created_at) FROM projects p, json_each(p.topics) t
  WHERE p.topics <> '[]' GROUP BY t.value COLLATE NOCASE;
INSERT OR IGNORE INTO project_topics (project_id, topic_id)
  SELECT p.id, topics.id FROM projects p, json_each(p.topics) t JOIN topics ON topics.name = t.value
  WHERE p.topics <> '[]';

-- Share of the languages in the default branch, percent.
CREATE TABLE project_languages (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  share REAL NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_languages_name ON project_languages (name, project_id);

-- Files attached to texts; they lie below the data folder by their secret.
CREATE TABLE uploads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  secret TEXT NOT NULL UNIQUE,
  file_name TEXT NOT NULL,
  size INTEGER NOT NULL,
  uploaded_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX uploads_project ON uploads (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX uploads_namespace ON uploads (namespace_id, id) WHERE namespace_id IS NOT NULL;
CREATE INDEX uploads_uploaded_by ON uploads (uploaded_by_id) WHERE uploaded_by_id IS NOT NULL;
