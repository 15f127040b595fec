/**
 * Kinds of events that webhooks and integrations listen to. Every system hook gets `system` events, which are those of
 * the instance (spec administration 3.10).
 */
export const KINDS = [
  'push',
  'tag_push',
  'issue',
  'confidential_issue',
  'note',
  'confidential_note',
  'merge_request',
  'wiki_page',
  'pipeline',
  'job',
  'deployment',
  'feature_flag',
  'release',
  'emoji',
  'resource_access_token',
  'member',
  'subgroup',
  'repository_update',
  'system',
] as const

/** Kind of an event. */
export type Kind = (typeof KINDS)[number]

/** The webhook flag of each kind. Undefined for kinds without a flag. */
export const FLAGS = {
  push: 'push_events',
  tag_push: 'tag_push_events',
  issue: 'issues_events',
  confidential_issue: 'confidential_issues_events',
  note: 'note_events',
  confidential_note: 'confidential_note_events',
  merge_request: 'merge_requests_events',
  wiki_page: 'wiki_page_events',
  pipeline: 'pipeline_events',
  job: 'job_events',
  deployment: 'deployment_events',
  feature_flag: 'feature_flag_events',
  release: 'releases_events',
  emoji: 'emoji_events',
  resource_access_token: 'resource_access_token_events',
  member: 'member_events',
  subgroup: 'subgroup_events',
  repository_update: 'repository_update_events',
  system: undefined,
} as const satisfies Record<Kind, string | undefined>

/** An event for webhooks and integrations. */
export interface HookEvent {
  readonly kind: Kind
  /** The owner: at most one of the two. */
  readonly project_id?: number
  readonly group_id?: number
  /** Short name of the branch or tag, if any. */
  readonly ref?: string | null
  /** The request body (spec administration 3.9, 3.10). */
  readonly payload: Readonly<Record<string, unknown>>
}
