-- Pipelines, their jobs, and what belongs to them.
CREATE TABLE ci_pipelines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Counted in the project.
  iid INTEGER NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'success',
    'failed', 'canceled', 'skipped', 'manual', 'scheduled')),
  -- Short name of the branch or tag; `refs/merge-requests/1/head` for a merge request.
  ref TEXT NOT NULL,
  tag INTEGER NOT NULL DEFAULT 0 CHECK (tag IN (0, 1)),
  sha TEXT NOT NULL,
  before_sha TEXT NOT NULL DEFAULT '0000000000000000000000000000000000000000',
  -- The ref was protected when the pipeline was made.
  protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
  name TEXT,
  -- What was wrong with the configuration; such a pipeline has no jobs.
  yaml_errors TEXT,
  -- `config_error`, `unknown_failure`, …
  failure_reason TEXT,
  -- No foreign key: merge requests stand above pipelines. Their deletion leaves the pipelines.
  merge_request_id INTEGER,
  schedule_id INTEGER REFERENCES ci_schedules (id) ON DELETE SET NULL,
  trigger_id INTEGER REFERENCES ci_triggers (id) ON DELETE SET NULL,
  -- The pipeline that made this one, and its trigger job; in another project for `source: pipeline`.
  upstream_pipeline_id INTEGER REFERENCES ci_pipelines (id) ON DELETE SET NULL,
  upstream_job_id INTEGER REFERENCES ci_jobs (id) ON DELETE SET NULL,
  -- What the pipeline was told beyond what can be worked out later, such as CI_MERGE_REQUEST_*: a list of {key, value}.
  predefined TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(predefined)),
  -- `workflow: auto_cancel` of its configuration: {on_new_commit, on_job_failure}, or {}.
  auto_cancel TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(auto_cancel)),
  committed_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  -- Seconds in which at least one job ran.
  duration INTEGER,
  -- Counts changes, so that of two who work out the status at the same time the later one sees the newer state.
  lock_version INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX ci_pipelines_iid ON ci_pipelines (project_id, iid);
CREATE INDEX ci_pipelines_project ON ci_pipelines (project_id, id);
CREATE INDEX ci_pipelines_ref ON ci_pipelines (project_id, ref, id);
CREATE INDEX ci_pipelines_sha ON ci_pipelines (project_id, sha, id);
CREATE INDEX ci_pipelines_status ON ci_pipelines (project_id, status, id);
CREATE INDEX ci_pipelines_updated ON ci_pipelines (project_id, updated_at, id);
CREATE INDEX ci_pipelines_user ON ci_pipelines (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX ci_pipelines_merge_request ON ci_pipelines (merge_request_id, id) WHERE merge_request_id IS NOT NULL;
CREATE INDEX ci_pipelines_schedule ON ci_pipelines (schedule_id, id) WHERE schedule_id IS NOT NULL;
CREATE INDEX ci_pipelines_trigger ON ci_pipelines (trigger_id) WHERE trigger_id IS NOT NULL;
CREATE INDEX ci_pipelines_upstream ON ci_pipelines (upstream_pipeline_id) WHERE upstream_pipeline_id IS NOT NULL;
CREATE INDEX ci_pipelines_upstream_job ON ci_pipelines (upstream_job_id) WHERE upstream_job_id IS NOT NULL;

-- Variables that were given when the pipeline was started.
CREATE TABLE ci_pipeline_variables (
  pipeline_id INTEGER NOT NULL REFERENCES ci_pipelines (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  -- Sealed.
  value TEXT NOT NULL,
  variable_type TEXT NOT NULL DEFAULT 'env_var' CHECK (variable_type IN ('env_var', 'file')),
  raw INTEGER NOT NULL DEFAULT 0 CHECK (raw IN (0, 1)),
  PRIMARY KEY (pipeline_id, key)
) STRICT, WITHOUT ROWID;

-- One job at a time: what jobs of a project wait for by name.
CREATE TABLE ci_resource_groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  process_mode TEXT NOT NULL DEFAULT 'unordered' CHECK (process_mode IN ('unordered', 'oldest_first', 'newest_first')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX ci_resource_groups_key ON ci_resource_groups (project_id, key);

-- Jobs, trigger jobs (`bridge`), and what other systems report about a commit (`external`).
CREATE TABLE ci_jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pipeline_id INTEGER NOT NULL REFERENCES ci_pipelines (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kind TEXT NOT NULL DEFAULT 'job' CHECK (kind IN ('job', 'bridge', 'external')),
  name TEXT NOT NULL,
  -- Name in the configuration, which copies of one job share.
  base TEXT NOT NULL,
  stage TEXT NOT NULL,
  stage_index INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'success',
    'failed', 'canceled', 'canceling', 'skipped', 'manual', 'scheduled')),
  -- `on_success`, `on_failure`, `always`, `manual`, `delayed`.
  "when" TEXT NOT NULL DEFAULT 'on_success',
  allow_failure INTEGER NOT NULL DEFAULT 0 CHECK (allow_failure IN (0, 1)),
  -- Names of the jobs that it waits for, as [{name, artifacts, optional}]; null where it waits for the stages before.
  needs TEXT CHECK (needs IS NULL OR json_valid(needs)),
  -- Who started it: of a manual job the one who played it.
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  ref TEXT NOT NULL,
  tag INTEGER NOT NULL DEFAULT 0 CHECK (tag IN (0, 1)),
  protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
  tag_list TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tag_list)),
  interruptible INTEGER NOT NULL DEFAULT 0 CHECK (interruptible IN (0, 1)),
  resource_group_id INTEGER REFERENCES ci_resource_groups (id) ON DELETE SET NULL,
  -- It has its resource from then on until it is over.
  holds_resource INTEGER NOT NULL DEFAULT 0 CHECK (holds_resource IN (0, 1)),
  -- A newer copy of the same name took its place.
  retried INTEGER NOT NULL DEFAULT 0 CHECK (retried IN (0, 1)),
  -- How many copies there were before by themselves (`retry:`).
  auto_retries INTEGER NOT NULL DEFAULT 0,
  runner_id INTEGER REFERENCES runners (id) ON DELETE SET NULL,
  -- The process of the runner that took it.
  runner_system_id TEXT,
  -- Digest of the job token, from when a runner took the job. It holds while the job runs.
  token_digest TEXT,
  -- Seconds the job may take, worked out when a runner took it.
  timeout INTEGER,
  failure_reason TEXT,
  exit_code INTEGER,
  coverage REAL,
  -- Environment with its variables put in; the action is null without one.
  environment TEXT,
  environment_action TEXT,
  scheduled_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  queued_at TEXT,
  started_at TEXT,
  finished_at TEXT,
  erased_at TEXT,
  -- Of a trigger job that was asked to follow the pipeline that it made.
  follows_downstream INTEGER NOT NULL DEFAULT 0 CHECK (follows_downstream IN (0, 1)),
  -- When a runner last wrote or said that it is still at it.
  heartbeat_at TEXT,
  -- Bytes of the log, and whether it may hold secrets because the runner was told to write everything.
  trace_size INTEGER NOT NULL DEFAULT 0,
  trace_checksum TEXT,
  debug_trace INTEGER NOT NULL DEFAULT 0 CHECK (debug_trace IN (0, 1)),
  artifacts_expire_at TEXT,
  -- Of reports by other systems.
  target_url TEXT,
  description TEXT
) STRICT;
CREATE INDEX ci_jobs_pipeline ON ci_jobs (pipeline_id, id);
CREATE INDEX ci_jobs_project ON ci_jobs (project_id, id);
CREATE INDEX ci_jobs_project_status ON ci_jobs (project_id, status, id);
CREATE INDEX ci_jobs_queue ON ci_jobs (id) WHERE status = 'pending' AND kind = 'job';
CREATE INDEX ci_jobs_running ON ci_jobs (heartbeat_at) WHERE status IN ('running', 'canceling') AND kind = 'job';
CREATE INDEX ci_jobs_scheduled ON ci_jobs (scheduled_at) WHERE status = 'scheduled';
CREATE INDEX ci_jobs_waiting ON ci_jobs (resource_group_id, id) WHERE resource_group_id IS NOT NULL;
CREATE INDEX ci_jobs_runner ON ci_jobs (runner_id, id) WHERE runner_id IS NOT NULL;
CREATE UNIQUE INDEX ci_jobs_token ON ci_jobs (token_digest) WHERE token_digest IS NOT NULL;
CREATE INDEX ci_jobs_user ON ci_jobs (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX ci_jobs_environment ON ci_jobs (project_id, environment) WHERE environment IS NOT NULL;
CREATE INDEX ci_jobs_expiring ON ci_jobs (artifacts_expire_at) WHERE artifacts_expire_at IS NOT NULL;

-- The large part of a job, which only its runner and its page read.
CREATE TABLE ci_job_details (
  job_id INTEGER PRIMARY KEY REFERENCES ci_jobs (id) ON DELETE CASCADE,
  -- The job as its configuration has it (CompiledJob of ci/config), without what ci_jobs holds.
  options TEXT NOT NULL CHECK (json_valid(options)),
  -- Variables of the configuration, root before job before rule: [{key, value, raw?}].
  variables TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(variables)),
  -- Variables given by whoever played it: sealed JSON of [{key, value}]; null without.
  own_variables TEXT
) STRICT;

-- What jobs export for those that need them (dotenv reports).
CREATE TABLE ci_job_exports (
  job_id INTEGER NOT NULL REFERENCES ci_jobs (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  -- Sealed.
  value TEXT NOT NULL,
  PRIMARY KEY (job_id, key)
) STRICT, WITHOUT ROWID;

-- The log while the job runs, in the pieces in which the runner sent it; a file once it is over.
CREATE TABLE ci_trace_pieces (
  job_id INTEGER NOT NULL REFERENCES ci_jobs (id) ON DELETE CASCADE,
  start INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (job_id, start)
) STRICT;

CREATE TABLE ci_artifacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id INTEGER NOT NULL REFERENCES ci_jobs (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- `archive`, `trace`, `junit`, `dotenv`, …
  file_type TEXT NOT NULL,
  -- `zip`, `gzip`, `raw`; null for the log.
  file_format TEXT,
  filename TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  -- Name of its file below the folder of artifacts.
  stored_as TEXT NOT NULL,
  -- `public`, `private` (members who may see the jobs), `none`.
  accessibility TEXT NOT NULL DEFAULT 'public',
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX ci_artifacts_type ON ci_artifacts (job_id, file_type);
CREATE INDEX ci_artifacts_project ON ci_artifacts (project_id, id);
CREATE UNIQUE INDEX ci_artifacts_stored ON ci_artifacts (stored_as);

-- Results of the tests of a job, read from its junit reports: one suite in the form of the contract.
CREATE TABLE ci_test_suites (
  job_id INTEGER PRIMARY KEY REFERENCES ci_jobs (id) ON DELETE CASCADE,
  report TEXT NOT NULL CHECK (json_valid(report))
) STRICT;

CREATE TABLE ci_triggers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  owner_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  description TEXT NOT NULL,
  -- Sealed, for the owner may read it again; found by its digest.
  token TEXT NOT NULL,
  token_digest TEXT NOT NULL,
  last_used_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX ci_triggers_token ON ci_triggers (token_digest);
CREATE INDEX ci_triggers_project ON ci_triggers (project_id, id);
CREATE INDEX ci_triggers_owner ON ci_triggers (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE ci_schedules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  owner_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  description TEXT NOT NULL,
  ref TEXT NOT NULL,
  cron TEXT NOT NULL,
  cron_timezone TEXT NOT NULL DEFAULT 'UTC',
  next_run_at TEXT,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX ci_schedules_project ON ci_schedules (project_id, id);
CREATE INDEX ci_schedules_due ON ci_schedules (next_run_at) WHERE active = 1;
CREATE INDEX ci_schedules_owner ON ci_schedules (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE ci_schedule_variables (
  schedule_id INTEGER NOT NULL REFERENCES ci_schedules (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  -- Sealed.
  value TEXT NOT NULL,
  variable_type TEXT NOT NULL DEFAULT 'env_var' CHECK (variable_type IN ('env_var', 'file')),
  raw INTEGER NOT NULL DEFAULT 0 CHECK (raw IN (0, 1)),
  PRIMARY KEY (schedule_id, key)
) STRICT, WITHOUT ROWID;

-- Where code runs, and what was brought there.
CREATE TABLE environments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  -- Text before the first slash of the name.
  environment_type TEXT,
  external_url TEXT,
  state TEXT NOT NULL DEFAULT 'available' CHECK (state IN ('available', 'stopping', 'stopped')),
  tier TEXT NOT NULL CHECK (tier IN ('production', 'staging', 'testing', 'development', 'other')),
  auto_stop_at TEXT,
  auto_delete_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX environments_name ON environments (project_id, name);
CREATE UNIQUE INDEX environments_slug ON environments (project_id, slug);
CREATE INDEX environments_auto_stop ON environments (auto_stop_at) WHERE auto_stop_at IS NOT NULL;
CREATE INDEX environments_auto_delete ON environments (auto_delete_at) WHERE auto_delete_at IS NOT NULL;

CREATE TABLE deployments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  iid INTEGER NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  -- The job that deploys; null when it was told through the API.
  job_id INTEGER REFERENCES ci_jobs (id) ON DELETE SET NULL,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  ref TEXT NOT NULL,
  tag INTEGER NOT NULL DEFAULT 0 CHECK (tag IN (0, 1)),
  sha TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked')),
  -- Name of the job of the same pipeline that stops the environment.
  on_stop TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE UNIQUE INDEX deployments_iid ON deployments (project_id, iid);
CREATE INDEX deployments_project ON deployments (project_id, id);
CREATE INDEX deployments_updated ON deployments (project_id, updated_at, id);
CREATE INDEX deployments_environment ON deployments (environment_id, status, id);
CREATE INDEX deployments_job ON deployments (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX deployments_user ON deployments (user_id) WHERE user_id IS NOT NULL;

-- The runner of the instance itself, and who waits for its first call.
ALTER TABLE runners ADD COLUMN built_in INTEGER NOT NULL DEFAULT 0 CHECK (built_in IN (0, 1));
CREATE UNIQUE INDEX runners_built_in ON runners (built_in) WHERE built_in = 1;

-- What other systems reported becomes jobs of pipelines, one pipeline for each commit and ref.
INSERT INTO ci_pipelines (iid, project_id, source, status, ref, sha, created_at, updated_at)
SELECT row_number() OVER (PARTITION BY project_id ORDER BY min(id)), project_id, 'external',
  CASE WHEN sum(retried = 0 AND status IN ('pending', 'running')) > 0 THEN 'running'
       WHEN sum(retried = 0 AND status = 'failed' AND allow_failure = 0) > 0 THEN 'failed'
       WHEN sum(retried = 0 AND status = 'canceled') > 0 THEN 'canceled' ELSE 'success' END,
  ifnull(ref, ''), sha, min(created_at), max(ifnull(finished_at, ifnull(started_at, created_at)))
FROM commit_statuses GROUP BY project_id, sha, ifnull(ref, '');
INSERT INTO ci_jobs (id, pipeline_id, project_id, kind, name, base, stage, stage_index, status, allow_failure, user_id, ref,
  retried, coverage, created_at, updated_at, started_at, finished_at, target_url, description)
SELECT s.id, p.id, s.project_id, 'external', s.name, s.name, s.stage, 1000000, s.status, s.allow_failure, s.author_id, p.ref,
  s.retried, s.coverage, s.created_at, ifnull(s.finished_at, s.created_at), s.started_at, s.finished_at, s.target_url, s.description
FROM commit_statuses s JOIN ci_pipelines p ON p.project_id = s.project_id AND p.sha = s.sha AND p.ref = ifnull(s.ref, '');
DROP TABLE commit_statuses;

-- Last numbers given out in a project; those of deleted pipelines are not given out again.
CREATE TABLE ci_counters (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  pipelines INTEGER NOT NULL DEFAULT 0,
  deployments INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO ci_counters (project_id, pipelines) SELECT project_id, max(iid) FROM ci_pipelines GROUP BY project_id;
