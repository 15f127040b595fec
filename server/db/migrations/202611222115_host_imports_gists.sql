-- Small pieces of code of another host that become snippets of a user here.
CREATE TABLE gist_imports (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  -- Base address of a private host; null for the public one.
  hostname TEXT,
  -- Sealed; dropped at the end.
  credentials TEXT,
  status TEXT NOT NULL DEFAULT 'started' CHECK (status IN ('started', 'finished', 'failed')),
  -- Where it goes on after a restart, JSON.
  cursor TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(cursor)),
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
