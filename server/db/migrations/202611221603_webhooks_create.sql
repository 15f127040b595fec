-- Who is told what happens: programs at an address, for one project, for a group and everything below it, or for all.
CREATE TABLE web_hooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('project', 'group', 'system')),
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  name TEXT,
  description TEXT,
  -- Sealed: addresses carry user names, passwords and tokens. With `{name}` for the variables below.
  url TEXT NOT NULL,
  -- Sealed objects of name and value, and the secret token.
  url_variables TEXT,
  custom_headers TEXT,
  token TEXT,
  custom_webhook_template TEXT,
  enable_ssl_verification INTEGER NOT NULL DEFAULT 1 CHECK (enable_ssl_verification IN (0, 1)),
  push_events INTEGER NOT NULL DEFAULT 1 CHECK (push_events IN (0, 1)),
  tag_push_events INTEGER NOT NULL DEFAULT 0 CHECK (tag_push_events IN (0, 1)),
  merge_requests_events INTEGER NOT NULL DEFAULT 0 CHECK (merge_requests_events IN (0, 1)),
  repository_update_events INTEGER NOT NULL DEFAULT 0 CHECK (repository_update_events IN (0, 1)),
  issues_events INTEGER NOT NULL DEFAULT 0 CHECK (issues_events IN (0, 1)),
  confidential_issues_events INTEGER NOT NULL DEFAULT 0 CHECK (confidential_issues_events IN (0, 1)),
  note_events INTEGER NOT NULL DEFAULT 0 CHECK (note_events IN (0, 1)),
  -- Null until somebody said so.
  confidential_note_events INTEGER CHECK (confidential_note_events IN (0, 1)),
  job_events INTEGER NOT NULL DEFAULT 0 CHECK (job_events IN (0, 1)),
  pipeline_events INTEGER NOT NULL DEFAULT 0 CHECK (pipeline_events IN (0, 1)),
  wiki_page_events INTEGER NOT NULL DEFAULT 0 CHECK (wiki_page_events IN (0, 1)),
  deployment_events INTEGER NOT NULL DEFAULT 0 CHECK (deployment_events IN (0, 1)),
  releases_events INTEGER NOT NULL DEFAULT 0 CHECK (releases_events IN (0, 1)),
  feature_flag_events INTEGER NOT NULL DEFAULT 0 CHECK (feature_flag_events IN (0, 1)),
  subgroup_events INTEGER NOT NULL DEFAULT 0 CHECK (subgroup_events IN (0, 1)),
  member_events INTEGER NOT NULL DEFAULT 0 CHECK (member_events IN (0, 1)),
  emoji_events INTEGER NOT NULL DEFAULT 0 CHECK (emoji_events IN (0, 1)),
  resource_access_token_events INTEGER NOT NULL DEFAULT 0 CHECK (resource_access_token_events IN (0, 1)),
  push_events_branch_filter TEXT,
  branch_filter_strategy TEXT NOT NULL DEFAULT 'wildcard'
    CHECK (branch_filter_strategy IN ('wildcard', 'regex', 'all_branches')),
  -- How often in a row it failed, and how often it was put off for that.
  recent_failures INTEGER NOT NULL DEFAULT 0,
  backoff_count INTEGER NOT NULL DEFAULT 0,
  disabled_until TEXT,
  -- Until somebody tests or edits it.
  is_disabled INTEGER NOT NULL DEFAULT 0 CHECK (is_disabled IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((kind = 'project') = (project_id IS NOT NULL) AND (kind = 'group') = (group_id IS NOT NULL))
) STRICT;
CREATE INDEX web_hooks_project ON web_hooks (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX web_hooks_group ON web_hooks (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX web_hooks_system ON web_hooks (id) WHERE kind = 'system';

-- What happened, as it is told to webhooks and integrations. Kept for some days.
CREATE TABLE hook_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Of the request that it goes back to.
  uuid TEXT NOT NULL,
  -- That request was itself made by somebody who was told of something with this UUID.
  chained INTEGER NOT NULL DEFAULT 0 CHECK (chained IN (0, 1)),
  kind TEXT NOT NULL,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  actor_id INTEGER,
  -- Short name of the branch or tag that it is about, if any.
  ref TEXT,
  -- Sealed: pipelines are told of with the variables they were started with.
  payload TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX hook_events_created ON hook_events (created_at, id);
CREATE INDEX hook_events_uuid ON hook_events (uuid);
CREATE INDEX hook_events_project ON hook_events (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX hook_events_group ON hook_events (group_id) WHERE group_id IS NOT NULL;

-- What an integration of a project was set to.
CREATE TABLE integrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- With dashes, as the API names it.
  slug TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 0 CHECK (active IN (0, 1)),
  -- {push_events: true, …}
  events TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(events)),
  -- What that means: the kinds of events that it is told of, none while it is off.
  kinds TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(kinds)),
  -- What may be shown.
  properties TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(properties)),
  -- What may not, sealed: an object.
  secrets TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX integrations_slug ON integrations (project_id, slug);
CREATE INDEX integrations_active ON integrations (project_id, slug) WHERE active = 1;

-- The log of what was sent to webhooks and integrations, one row per attempt.
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hook_id INTEGER REFERENCES web_hooks (id) ON DELETE CASCADE,
  integration_id INTEGER REFERENCES integrations (id) ON DELETE CASCADE,
  event_id INTEGER REFERENCES hook_events (id) ON DELETE SET NULL,
  -- `push_hooks`, `issue_hooks`, …
  trigger TEXT NOT NULL,
  -- The same for all attempts of one delivery.
  uuid TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 1,
  is_test INTEGER NOT NULL DEFAULT 0 CHECK (is_test IN (0, 1)),
  -- The delivery that this one repeats because somebody asked for it.
  repeats_id INTEGER REFERENCES deliveries (id) ON DELETE SET NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done')),
  method TEXT NOT NULL DEFAULT 'POST',
  -- Without what is secret.
  url TEXT NOT NULL,
  request_headers TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(request_headers)),
  -- Sealed; null: the payload of the event, as it is.
  request_body TEXT,
  response_status INTEGER,
  response_headers TEXT CHECK (json_valid(response_headers)),
  response_body TEXT,
  -- Why there was no answer.
  error TEXT,
  duration_ms INTEGER,
  created_at TEXT NOT NULL,
  finished_at TEXT,
  CHECK ((hook_id IS NULL) <> (integration_id IS NULL))
) STRICT;
CREATE INDEX deliveries_hook ON deliveries (hook_id, id) WHERE hook_id IS NOT NULL;
CREATE INDEX deliveries_integration ON deliveries (integration_id, id) WHERE integration_id IS NOT NULL;
CREATE INDEX deliveries_event ON deliveries (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX deliveries_created ON deliveries (created_at, id);
CREATE INDEX deliveries_repeats ON deliveries (repeats_id) WHERE repeats_id IS NOT NULL;

-- Mails that are to be sent, and those that were, for some days.
CREATE TABLE mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sender TEXT,
  -- A list of addresses.
  recipients TEXT NOT NULL CHECK (json_valid(recipients)),
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  html TEXT,
  headers TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(headers)),
  error TEXT,
  created_at TEXT NOT NULL,
  sent_at TEXT
) STRICT;
CREATE INDEX mails_created ON mails (created_at, id);
