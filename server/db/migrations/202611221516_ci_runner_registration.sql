-- How runners join the instance, and whether it has one of its own.
CREATE TABLE runner_settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Sealed; made when somebody first asks for it.
  registration_token TEXT,
  built_in_enabled INTEGER NOT NULL DEFAULT 0 CHECK (built_in_enabled IN (0, 1)),
  -- Jobs at once.
  built_in_concurrency INTEGER NOT NULL DEFAULT 1 CHECK (built_in_concurrency BETWEEN 1 AND 8),
  -- Sealed: the token that the built-in runner shows.
  built_in_token TEXT,
  updated_at TEXT NOT NULL
) STRICT;

-- Whoever registers shows one of these and nothing else.
CREATE INDEX projects_runners_token ON projects (runners_token);
CREATE INDEX namespaces_runners_token ON namespaces (runners_token) WHERE runners_token IS NOT NULL;
