import type { Purpose } from '../../../lib/outbound.ts'

/** What a webhook may ask for, by whose it is (spec administration 3.6). */
const PROJECT_EVENTS = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'releases_events',
  'feature_flag_events',
  'emoji_events',
  'resource_access_token_events',
] as const

const GROUP_EVENTS = [...PROJECT_EVENTS, 'subgroup_events', 'member_events'] as const

const SYSTEM_EVENTS = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'repository_update_events',
] as const

/** The flags that owners may set. */
export const EVENTS = { project: PROJECT_EVENTS, group: GROUP_EVENTS, system: SYSTEM_EVENTS } as const

/** Whose a webhook is: of a project, of a group, or of the instance. */
export type HookKind = keyof typeof EVENTS

/** A flag that some owner may set. */
export type EventFlag = (typeof EVENTS)[HookKind][number]

/** The owner of webhooks. */
export interface HookOwner {
  readonly kind: HookKind
  readonly project_id: number | null
  readonly group_id: number | null
}

/** How many webhooks an owner may have. */
export const MOST: Readonly<Record<HookKind, number>> = { project: 100, group: 50, system: Infinity }

/** Which setting says whether a webhook may reach the local network. */
export function purposeOf({ kind }: { readonly kind: string }): Purpose {
  return kind === 'system' ? 'system_hook' : 'any'
}

/** The owner as events name it. */
export function eventPlace({ project_id, group_id }: Pick<HookOwner, 'project_id' | 'group_id'>) {
  if (project_id !== null) return { project_id }
  return group_id === null ? {} : { group_id }
}
