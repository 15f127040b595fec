ALTER TABLE namespaces ADD COLUMN runners_token TEXT;
UPDATE namespaces SET runners_token = 'GR1348941' || lower(hex(randomblob(10))) WHERE kind = 'group';
ALTER TABLE namespaces ADD COLUMN shared_runners_setting TEXT NOT NULL DEFAULT 'enabled'
  CHECK (shared_runners_setting IN ('enabled', 'disabled_and_overridable', 'disabled_and_unoverridable'));
ALTER TABLE namespaces ADD COLUMN prevent_sharing_groups_outside_hierarchy INTEGER NOT NULL DEFAULT 0
  CHECK (prevent_sharing_groups_outside_hierarchy IN (0, 1));
ALTER TABLE namespaces ADD COLUMN prevent_forking_outside_group INTEGER NOT NULL DEFAULT 0
  CHECK (prevent_forking_outside_group IN (0, 1));
ALTER TABLE namespaces ADD COLUMN membership_lock INTEGER NOT NULL DEFAULT 0 CHECK (membership_lock IN (0, 1));
ALTER TABLE namespaces ADD COLUMN enabled_git_access_protocol TEXT CHECK (enabled_git_access_protocol IN ('ssh', 'http', 'all'));
ALTER TABLE namespaces ADD COLUMN wiki_access_level TEXT NOT NULL DEFAULT 'enabled'
  CHECK (wiki_access_level IN ('disabled', 'private', 'enabled'));
ALTER TABLE namespaces ADD COLUMN file_template_project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL;
ALTER TABLE namespaces ADD COLUMN ip_restriction_ranges TEXT;
ALTER TABLE namespaces ADD COLUMN shared_runners_minutes_limit INTEGER;
ALTER TABLE namespaces ADD COLUMN extra_shared_runners_minutes_limit INTEGER;
ALTER TABLE namespaces ADD COLUMN unique_project_download_limit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN unique_project_download_limit_interval_in_seconds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN unique_project_download_limit_allowlist TEXT NOT NULL DEFAULT '[]'
  CHECK (json_valid(unique_project_download_limit_allowlist));
ALTER TABLE namespaces ADD COLUMN unique_project_download_limit_alertlist TEXT NOT NULL DEFAULT '[]'
  CHECK (json_valid(unique_project_download_limit_alertlist));
ALTER TABLE namespaces ADD COLUMN auto_ban_user_on_excessive_projects_download INTEGER NOT NULL DEFAULT 0
  CHECK (auto_ban_user_on_excessive_projects_download IN (0, 1));
-- Marked groups are deleted when the settings' delay is over.
ALTER TABLE namespaces ADD COLUMN marked_for_deletion_on TEXT;
ALTER TABLE namespaces ADD COLUMN deleting_user_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX namespaces_marked ON namespaces (marked_for_deletion_on) WHERE marked_for_deletion_on IS NOT NULL;
CREATE INDEX namespaces_deleting_user ON namespaces (deleting_user_id) WHERE deleting_user_id IS NOT NULL;
CREATE INDEX namespaces_file_templates ON namespaces (file_template_project_id) WHERE file_template_project_id IS NOT NULL;

-- Groups invited into groups: the members of `group_id` belong to `shared_group_id`, up to the given level.
CREATE TABLE group_group_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shared_group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  access_level INTEGER NOT NULL CHECK (access_level IN (5, 10, 20, 30, 40, 50)),
  expires_at TEXT,
  created_at TEXT NOT NULL,
  CHECK (shared_group_id <> group_id)
) STRICT;
CREATE UNIQUE INDEX group_group_links_pair ON group_group_links (shared_group_id, group_id);
CREATE INDEX group_group_links_group ON group_group_links (group_id);

-- Addresses of groups and projects that were moved or renamed.
CREATE TABLE redirects (
  full_path TEXT PRIMARY KEY COLLATE NOCASE,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (namespace_id IS NULL))
) STRICT;
CREATE INDEX redirects_project ON redirects (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX redirects_namespace ON redirects (namespace_id) WHERE namespace_id IS NOT NULL;

CREATE VIRTUAL TABLE namespaces_fts USING fts5 (
  name, path, content = 'namespaces', content_rowid = 'id', tokenize = 'trigram'
);
INSERT INTO namespaces_fts (rowid, name, path) SELECT id, name, path FROM namespaces;
CREATE TRIGGER namespaces_fts_added AFTER INSERT ON namespaces BEGIN
  INSERT INTO namespaces_fts (rowid, name, path) VALUES (new.id, new.name, new.path);
END;
CREATE TRIGGER namespaces_fts_removed AFTER DELETE ON namespaces BEGIN
  INSERT INTO namespaces_fts (namespaces_fts, rowid, name, path) VALUES ('delete', old.id, old.name, old.path);
END;
CREATE TRIGGER namespaces_fts_changed AFTER UPDATE OF name, path ON namespaces BEGIN
  INSERT INTO namespaces_fts (namespaces_fts, rowid, name, path) VALUES ('delete', old.id, old.name, old.path);
  INSERT INTO namespaces_fts (rowid, name, path) VALUES (new.id, new.name, new.path);
END;
