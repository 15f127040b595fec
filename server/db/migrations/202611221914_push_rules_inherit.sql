-- Whatever way a project or a group comes about, it begins with a copy of the nearest rule above it, or of the one of the
-- instance (spec administration 11.3). Later changes above leave the copies alone.
CREATE TRIGGER projects_push_rule AFTER INSERT ON projects BEGIN
  INSERT INTO push_rules (project_id, commit_message_regex, commit_message_negative_regex, branch_name_regex,
    author_email_regex, file_name_regex, deny_delete_tag, member_check, prevent_secrets, max_file_size,
    commit_committer_check, commit_committer_name_check, reject_unsigned_commits, reject_non_dco_commits,
    created_at, updated_at)
  SELECT NEW.id, commit_message_regex, commit_message_negative_regex, branch_name_regex, author_email_regex,
    file_name_regex, deny_delete_tag, member_check, prevent_secrets, max_file_size, commit_committer_check,
    commit_committer_name_check, reject_unsigned_commits, reject_non_dco_commits, NEW.created_at, NEW.created_at
  FROM push_rules WHERE id = coalesce(
    (SELECT above.id FROM namespaces n, json_each(n.lineage) step JOIN push_rules above ON above.group_id = step.value
      WHERE n.id = NEW.namespace_id ORDER BY step.key DESC LIMIT 1),
    (SELECT id FROM push_rules WHERE project_id IS NULL AND group_id IS NULL));
END;

CREATE TRIGGER groups_push_rule AFTER INSERT ON namespaces WHEN NEW.kind = 'group' BEGIN
  INSERT INTO push_rules (group_id, commit_message_regex, commit_message_negative_regex, branch_name_regex,
    author_email_regex, file_name_regex, deny_delete_tag, member_check, prevent_secrets, max_file_size,
    commit_committer_check, commit_committer_name_check, reject_unsigned_commits, reject_non_dco_commits,
    created_at, updated_at)
  SELECT NEW.id, commit_message_regex, commit_message_negative_regex, branch_name_regex, author_email_regex,
    file_name_regex, deny_delete_tag, member_check, prevent_secrets, max_file_size, commit_committer_check,
    commit_committer_name_check, reject_unsigned_commits, reject_non_dco_commits, NEW.created_at, NEW.created_at
  FROM push_rules WHERE id = coalesce(
    (SELECT above.id FROM namespaces n, json_each(n.lineage) step JOIN push_rules above ON above.group_id = step.value
      WHERE n.id = NEW.parent_id ORDER BY step.key DESC LIMIT 1),
    (SELECT id FROM push_rules WHERE project_id IS NULL AND group_id IS NULL));
END;
