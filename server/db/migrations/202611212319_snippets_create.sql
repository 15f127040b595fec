CREATE TABLE snippets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Null for a personal snippet.
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES users (id),
  title TEXT NOT NULL,
  description TEXT,
  visibility TEXT NOT NULL CHECK (visibility IN ('private', 'internal', 'public')),
  -- Paths in the repository, in order, as a JSON array.
  files TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(files)),
  repository_storage TEXT NOT NULL DEFAULT 'default',
  disk_path TEXT NOT NULL,
  repository_state TEXT NOT NULL DEFAULT 'pending' CHECK (repository_state IN ('pending', 'ready')),
  repository_size INTEGER NOT NULL DEFAULT 0,
  default_branch TEXT NOT NULL,
  user_agent TEXT,
  ip_address TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX snippets_author ON snippets (author_id, id);
CREATE INDEX snippets_project ON snippets (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX snippets_visibility ON snippets (visibility, id);
CREATE VIRTUAL TABLE snippets_fts USING fts5 (
  title, description, files, content = 'snippets', content_rowid = 'id', tokenize = 'trigram'
);
CREATE TRIGGER snippets_fts_added AFTER INSERT ON snippets BEGIN
  INSERT INTO snippets_fts (rowid, title, description, files) VALUES (new.id, new.title, new.description, new.files);
END;
CREATE TRIGGER snippets_fts_removed AFTER DELETE ON snippets BEGIN
  INSERT INTO snippets_fts (snippets_fts, rowid, title, description, files)
  VALUES ('delete', old.id, old.title, old.description, old.files);
END;
CREATE TRIGGER snippets_fts_changed AFTER UPDATE OF title, description, files ON snippets BEGIN
  INSERT INTO snippets_fts (snippets_fts, rowid, title, description, files)
  VALUES ('delete', old.id, old.title, old.description, old.files);
  INSERT INTO snippets_fts (rowid, title, description, files) VALUES (new.id, new.title, new.description, new.files);
END;
