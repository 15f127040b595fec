-- Projects that were told to follow a repository elsewhere before anything did so.
INSERT INTO pull_mirrors (project_id, next_update_at, updated_at)
  SELECT id, updated_at, updated_at FROM projects WHERE mirror = 1 AND import_url IS NOT NULL
  ON CONFLICT DO NOTHING;
