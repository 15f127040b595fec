/**
 * What is told apart when webhooks and integrations choose what they hear of. `system` are the events of the instance
 * that every system hook gets (spec administration 3.10).
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

/** The flag that a webhook of any owner has for a kind; undefined for what is never asked. */
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

/** Something that happened, as it is told. */
export interface HookEvent {
  readonly kind: Kind
  /** Where it happened: at most one of the two. */
  readonly project_id?: number
  readonly group_id?: number
  /** Short name of the branch or tag that it is about, if any. */
  readonly ref?: string | null
  /** The body as receivers get it (spec administration 3.9, 3.10). */
  readonly payload: Readonly<Record<string, unknown>>
}
