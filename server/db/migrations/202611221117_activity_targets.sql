CREATE INDEX activity_events_target ON activity_events (target_type, target_id, author_id) WHERE target_id IS NOT NULL;
-- What is told of a thing goes with it, however it goes.
CREATE TRIGGER activity_of_issues_removed AFTER DELETE ON issues BEGIN
  DELETE FROM activity_events WHERE target_type = 'Issue' AND target_id = old.id;
END;
CREATE TRIGGER activity_of_merge_requests_removed AFTER DELETE ON merge_requests BEGIN
  DELETE FROM activity_events WHERE target_type = 'MergeRequest' AND target_id = old.id;
END;
CREATE TRIGGER activity_of_notes_removed AFTER DELETE ON notes BEGIN
  DELETE FROM activity_events WHERE target_type IN ('Note', 'DiffNote', 'DiscussionNote') AND target_id = old.id;
END;
-- That there was a milestone is still told.
CREATE TRIGGER activity_of_milestones_kept AFTER DELETE ON milestones BEGIN
  UPDATE activity_events SET target_id = NULL, target_iid = NULL WHERE target_type = 'Milestone' AND target_id = old.id;
END;
