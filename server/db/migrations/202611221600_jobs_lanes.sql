-- Work that waits for other hosts has places of its own, so that one that hangs holds up nothing else.
ALTER TABLE jobs ADD COLUMN lane TEXT NOT NULL DEFAULT 'main';
-- The request that it goes back to: a UUID, with `+` behind it when that request was itself caused by a webhook.
ALTER TABLE jobs ADD COLUMN cause TEXT;
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (lane, run_at, id) WHERE state = 'ready';
CREATE INDEX jobs_ready_key ON jobs (key, id) WHERE state = 'ready' AND key IS NOT NULL;
