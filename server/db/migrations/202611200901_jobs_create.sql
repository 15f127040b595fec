-- The job table is the outbox too: a fact is one row per subscriber, written in the transaction of the change.
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  args TEXT NOT NULL CHECK (json_valid(args)),
  state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'running', 'done', 'failed')),
  -- Jobs with the same key run one at a time and in order.
  key TEXT,
  -- A ready job with the same value is not added twice.
  once TEXT,
  run_at TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE state = 'ready';
CREATE INDEX jobs_running ON jobs (key) WHERE state = 'running';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_once ON jobs (once) WHERE once IS NOT NULL AND state = 'ready';

CREATE TABLE cron_runs (
  name TEXT PRIMARY KEY,
  last_run_at TEXT NOT NULL
) STRICT;
