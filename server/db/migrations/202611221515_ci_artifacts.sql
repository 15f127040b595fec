-- Files whose artifacts are gone, however they went (a pipeline that is deleted takes its jobs along); a job removes them.
CREATE TABLE ci_gone_artifacts (
  stored_as TEXT PRIMARY KEY,
  project_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER ci_artifacts_added AFTER INSERT ON ci_artifacts BEGIN
  UPDATE projects SET job_artifacts_size = job_artifacts_size + new.size WHERE id = new.project_id;
END;
CREATE TRIGGER ci_artifacts_removed AFTER DELETE ON ci_artifacts BEGIN
  UPDATE projects SET job_artifacts_size = max(0, job_artifacts_size - old.size) WHERE id = old.project_id;
  INSERT OR IGNORE INTO ci_gone_artifacts (stored_as, project_id) VALUES (old.stored_as, old.project_id);
END;

-- When the files of jobs go that still have some; ci_jobs.artifacts_expire_at stays behind to be shown.
CREATE TABLE ci_artifact_ends (
  job_id INTEGER PRIMARY KEY REFERENCES ci_jobs (id) ON DELETE CASCADE,
  ends_at TEXT NOT NULL
) STRICT;
CREATE INDEX ci_artifact_ends_time ON ci_artifact_ends (ends_at, job_id);
DROP INDEX ci_jobs_expiring;

-- The branch or tag is gone, so that this pipeline is no longer the one that its artifacts are kept for.
ALTER TABLE ci_pipelines ADD COLUMN artifacts_unlocked INTEGER NOT NULL DEFAULT 0 CHECK (artifacts_unlocked IN (0, 1));
-- The last successful pipeline of a ref.
CREATE INDEX ci_pipelines_success ON ci_pipelines (project_id, ref, tag, id) WHERE status = 'success';

-- Tests that failed on the default branch, to say how often one fails. `test` is a digest of its names.
CREATE TABLE ci_test_failures (
  job_id INTEGER NOT NULL REFERENCES ci_jobs (id) ON DELETE CASCADE,
  test TEXT NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  failed_at TEXT NOT NULL,
  PRIMARY KEY (job_id, test)
) STRICT, WITHOUT ROWID;
CREATE INDEX ci_test_failures_test ON ci_test_failures (project_id, test, failed_at);
CREATE INDEX ci_test_failures_age ON ci_test_failures (failed_at);
