import { jsonList, type Database } from '../../../../db/database.ts'

// Counts the records that a world cannot describe.

/** What is counted: a name in the plural, the tables, a condition, and the column with the ID of the project. */
type Kind = readonly [name: string, from: string, where: string, project?: string]

const OF_NOTEABLE = `(SELECT CASE a.awardable_type
    WHEN 'Issue' THEN (SELECT project_id FROM issues WHERE id = a.awardable_id)
    WHEN 'MergeRequest' THEN (SELECT project_id FROM merge_requests WHERE id = a.awardable_id)
    WHEN 'Snippet' THEN (SELECT project_id FROM snippets WHERE id = a.awardable_id)
    ELSE (SELECT project_id FROM notes WHERE id = a.awardable_id) END)`

const KINDS: readonly Kind[] = [
  ['snippets', 'snippets', 'true', 'project_id'],
  [
    'lists of boards',
    'board_lists l JOIN boards b ON b.id = l.board_id',
    'l.label_id IS NOT NULL OR l.milestone_id IS NOT NULL',
    'b.project_id',
  ],
  ['links between issues', 'issue_links l JOIN issues i ON i.id = l.source_id', 'true', 'i.project_id'],
  ['emoji reactions', 'award_emoji a', 'true', OF_NOTEABLE],
  [
    'time log entries',
    'timelogs t LEFT JOIN issues i ON i.id = t.issue_id LEFT JOIN merge_requests r ON r.id = t.merge_request_id',
    'true',
    'coalesce(i.project_id, r.project_id)',
  ],
  [
    'issues with a time estimate, health status, severity or locked discussion',
    'issues',
    `time_estimate > 0 OR health_status IS NOT NULL OR severity <> 'UNKNOWN' OR discussion_locked = 1`,
    'project_id',
  ],
  [
    'merge requests with a time estimate, locked discussion or automatic merge',
    'merge_requests',
    `time_estimate > 0 OR discussion_locked = 1
       OR (merge_when_pipeline_succeeds = 1 AND state = 'opened')`,
    'project_id',
  ],
  [
    'comments that are not published yet',
    'draft_notes d JOIN merge_requests r ON r.id = d.merge_request_id',
    'true',
    'r.project_id',
  ],
  ['priorities of labels', 'label_priorities', 'true', 'project_id'],
  [
    'approval rules',
    'approval_rules a LEFT JOIN merge_requests r ON r.id = a.merge_request_id',
    `a.rule_type NOT IN ('any_approver', 'code_owner')`,
    'coalesce(a.project_id, r.project_id)',
  ],
  [
    'protected branches other than the default branch, or with permissions of users, groups and keys',
    'protected_branches b JOIN projects p ON p.id = b.project_id',
    `b.name <> p.default_branch OR b.allow_force_push = 1 OR b.code_owner_approval_required = 1
         OR EXISTS (SELECT 1 FROM protected_branch_levels l WHERE l.protected_branch_id = b.id
           AND coalesce(l.user_id, l.group_id, l.deploy_key_id) IS NOT NULL)`,
    'b.project_id',
  ],
  ['protected tags', 'protected_tags', 'true', 'project_id'],
  ['push rules', 'push_rules', 'true', 'project_id'],
  ['pipeline schedules', 'ci_schedules', 'true', 'project_id'],
  ['pipeline triggers', 'ci_triggers', 'true', 'project_id'],
  [
    'variables of pipelines',
    'ci_pipeline_variables v JOIN ci_pipelines p ON p.id = v.pipeline_id',
    'true',
    'p.project_id',
  ],
  ['CI artifacts', 'ci_artifacts', 'true', 'project_id'],
  [
    'numbers of deleted issues, merge requests or milestones after the last one; new ones get these numbers again',
    'internal_ids n',
    `n.last_value > CASE n.usage
       WHEN 'issues' THEN (SELECT coalesce(max(iid), 0) FROM issues WHERE project_id = n.project_id)
       WHEN 'merge_requests' THEN (SELECT coalesce(max(iid), 0) FROM merge_requests WHERE project_id = n.project_id)
       ELSE (SELECT coalesce(max(iid), 0) FROM milestones
         WHERE project_id IS n.project_id AND group_id IS n.group_id) END`,
    'n.project_id',
  ],
  ['retried jobs', 'ci_jobs', 'retried = 1', 'project_id'],
  ['statuses of commits from other systems', 'ci_jobs', "kind = 'external'", 'project_id'],
  ['secure files', 'secure_files', 'true', 'project_id'],
  ['runners of groups', 'runners', "runner_type = 'group_type'"],
  [
    'runners with a timeout, a note or only for protected branches',
    'runners',
    `built_in = 0
       AND (maximum_timeout IS NOT NULL OR maintenance_note IS NOT NULL OR access_level = 'ref_protected')`,
  ],
  ['variables of the instance', 'ci_variables', 'project_id IS NULL AND group_id IS NULL'],
  ['webhooks of groups and of the instance', 'web_hooks', 'project_id IS NULL'],
  [
    'webhooks with a name, headers, a template or a filter of branches',
    'web_hooks',
    `project_id IS NOT NULL AND (coalesce(name, description, url_variables, custom_headers,
       custom_webhook_template, '') <> '' OR coalesce(push_events_branch_filter, '') <> '')`,
    'project_id',
  ],
  ['integrations', 'integrations', 'active = 1', 'project_id'],
  ['deploy keys', 'deploy_keys_projects', 'true', 'project_id'],
  ['deploy tokens', 'deploy_tokens', 'revoked = 0', 'project_id'],
  ['feature flags', 'feature_flags', 'true', 'project_id'],
  ['user lists of feature flags', 'feature_flag_user_lists', 'true', 'project_id'],
  ['push mirrors', 'remote_mirrors', 'true', 'project_id'],
  ['pull mirrors', 'pull_mirrors', 'true', 'project_id'],
  ['projects shared with groups', 'project_group_links', 'true', 'project_id'],
  ['groups shared with groups', 'group_group_links', 'true'],
  ['invitations', 'invitations', 'true', 'project_id'],
  ['requests for access', 'access_requests', 'true', 'project_id'],
  ['end dates of members', 'members', 'expires_at IS NOT NULL', 'project_id'],
  ['pictures of projects', 'projects', 'avatar IS NOT NULL', 'id'],
  ['custom attributes', 'custom_attributes', 'true', 'project_id'],
  ['wikis of groups', 'wiki_pages p JOIN wikis w ON w.id = p.wiki_id', 'w.group_id IS NOT NULL'],
  ['uploaded files', 'uploads', 'true', 'project_id'],
  ['LFS objects', 'lfs_objects_projects', 'true', 'project_id'],
  ['internal comments', 'notes', 'internal = 1 AND system = 0', 'project_id'],
  ['comments on commits', 'notes', "noteable_type = 'Commit' AND system = 0", 'project_id'],
  ['relations to forked projects', 'projects', 'forked_from_project_id IS NOT NULL', 'id'],
  ['SSH keys', 'ssh_keys', 'true'],
  ['GPG keys', 'gpg_keys', 'true'],
  ['further email addresses', 'user_emails', 'true'],
  ['statuses of users', 'user_statuses', 'true'],
  ['users who follow others', 'user_follows', 'true'],
  ['accounts at identity providers', 'identities', 'true'],
  [
    'users with a picture, a public address, links, pronouns or a private profile',
    'users',
    `kind = 'human' AND (avatar IS NOT NULL OR private_profile = 1
       OR public_email || skype || linkedin || twitter || discord || website_url || coalesce(pronouns, '') <> '')`,
  ],
  ['access tokens of bots', 'users', "kind = 'project_bot'"],
  ['OAuth applications', 'oauth_applications', 'true'],
  ['broadcast messages', 'broadcast_messages', 'true'],
  ['pictures of groups', 'namespaces', "kind = 'group' AND avatar IS NOT NULL"],
  [
    'groups with settings other than the defaults',
    'namespaces',
    `kind = 'group' AND (share_with_group_lock = 1 OR require_two_factor_authentication = 1 OR membership_lock = 1
       OR project_creation_level <> 'developer' OR subgroup_creation_level <> 'maintainer' OR lfs_enabled = 0
       OR request_access_enabled = 0 OR emails_disabled = 1 OR mentions_disabled = 1 OR wiki_access_level <> 'enabled'
       OR shared_runners_setting <> 'enabled' OR prevent_sharing_groups_outside_hierarchy = 1
       OR prevent_forking_outside_group = 1 OR ip_restriction_ranges IS NOT NULL)`,
  ],
  ['projects that are being deleted', 'projects', 'marked_for_deletion_at IS NOT NULL'],
  ['groups that are being deleted', 'namespaces', 'marked_for_deletion_on IS NOT NULL'],
]

/** Counts the records that a world cannot describe: of the instance, or of some projects. */
export function notDescribed(
  db: Database,
  projectIds: readonly number[] | undefined,
): { kind: string; count: number }[] {
  return KINDS.flatMap(([kind, from, where, project]) => {
    const all = `SELECT count(*) AS n FROM ${from} WHERE (${where})`
    if (projectIds === undefined) return [{ kind, count: db.one<{ n: number }>(all)?.n ?? 0 }]
    if (project === undefined) return []
    const some = `${all} AND ${project} IN (SELECT value FROM json_each(?))`
    return [{ kind, count: db.one<{ n: number }>(some, jsonList(projectIds))?.n ?? 0 }]
  })
}
