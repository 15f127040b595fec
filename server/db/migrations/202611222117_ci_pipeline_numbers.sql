-- Pipelines that come with a number of their own (imports) are counted, too: no number is given out again.
CREATE TRIGGER ci_pipelines_numbered AFTER INSERT ON ci_pipelines BEGIN
  INSERT INTO ci_counters (project_id, pipelines) VALUES (new.project_id, new.iid)
  ON CONFLICT (project_id) DO UPDATE SET pipelines = excluded.pipelines WHERE excluded.pipelines > pipelines;
END;
