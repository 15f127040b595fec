-- Pulling from elsewhere: the address is import_url.
ALTER TABLE projects ADD COLUMN mirror INTEGER NOT NULL DEFAULT 0 CHECK (mirror IN (0, 1));
ALTER TABLE projects ADD COLUMN mirror_user_id INTEGER REFERENCES users (id) ON DELETE SET NULL;
ALTER TABLE projects ADD COLUMN mirror_trigger_builds INTEGER NOT NULL DEFAULT 0 CHECK (mirror_trigger_builds IN (0, 1));
ALTER TABLE projects ADD COLUMN only_mirror_protected_branches INTEGER NOT NULL DEFAULT 0
  CHECK (only_mirror_protected_branches IN (0, 1));
ALTER TABLE projects ADD COLUMN mirror_overwrites_diverged_branches INTEGER NOT NULL DEFAULT 0
  CHECK (mirror_overwrites_diverged_branches IN (0, 1));
CREATE INDEX projects_mirror_user ON projects (mirror_user_id) WHERE mirror_user_id IS NOT NULL;

-- Administrators order lists by sizes.
CREATE INDEX projects_repository_size ON projects (repository_size, id);
CREATE INDEX projects_wiki_size ON projects (wiki_size, id);
CREATE INDEX projects_packages_size ON projects (packages_size, id);
CREATE INDEX projects_storage_size ON projects ((repository_size + wiki_size + lfs_objects_size + job_artifacts_size
  + pipeline_artifacts_size + packages_size + snippets_size + uploads_size), id);
CREATE INDEX projects_repository_storage ON projects (repository_storage, id);

-- Topics are found by their projects now.
DROP INDEX projects_with_topics;
CREATE INDEX project_group_links_expiry ON project_group_links (expires_at) WHERE expires_at IS NOT NULL;
