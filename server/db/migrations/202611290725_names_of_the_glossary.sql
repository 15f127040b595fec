-- Names follow the glossary: columns and tables, and the jobs and schedules that are stored by name.
ALTER TABLE backups RENAME COLUMN place TO outside_path;
ALTER TABLE remote_mirrors RENAME COLUMN error_told TO error_notified;
ALTER TABLE hook_told_tokens RENAME TO hook_announced_tokens;
ALTER TABLE hook_announced_tokens RENAME COLUMN told_at TO announced_at;
UPDATE jobs SET name = 'event:accounts.mail_sign_in' WHERE name = 'event:accounts.tell_of_sign_in';
UPDATE jobs SET name = 'event:accounts.mail_deactivation' WHERE name = 'event:accounts.tell_of_deactivation';
UPDATE jobs SET name = 'webhooks.announce_expiring_tokens' WHERE name = 'webhooks.tell_expiring_tokens';
UPDATE cron_runs SET name = 'webhooks.announce_expiring_tokens' WHERE name = 'webhooks.tell_expiring_tokens';
UPDATE jobs SET args = json_remove(json_set(args, '$.pushed_at', args ->> '$.told_at'), '$.told_at')
  WHERE name = 'ci.pipeline_of_push' AND args ->> '$.told_at' IS NOT NULL;
