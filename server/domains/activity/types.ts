import type { Selectable } from 'kysely'

import type { ActivityEventsTable } from '../../db/schema.gen.ts'

/** One event of the feed. */
export type EventRow = Selectable<ActivityEventsTable>

/** The columns of a new event. */
export type NewEvent = Pick<EventRow, 'author_id' | 'action' | 'created_at'> & Partial<Omit<EventRow, 'id'>>

/** The values of the `action` filter (spec core 6.8). */
export const ACTIONS = [
  'approved',
  'closed',
  'commented',
  'created',
  'destroyed',
  'expired',
  'joined',
  'left',
  'merged',
  'pushed',
  'reopened',
  'updated',
] as const

/** The values of the `target_type` filter with their types. Events about the project itself have no target. */
export const TARGETS = {
  epic: ['Epic'],
  issue: ['Issue'],
  merge_request: ['MergeRequest'],
  milestone: ['Milestone'],
  note: ['Note', 'DiffNote', 'DiscussionNote'],
  project: [],
  snippet: ['Snippet', 'PersonalSnippet', 'ProjectSnippet'],
  user: ['User'],
} as const satisfies Record<string, readonly string[]>

/** The refs of a push in the feed. */
export interface PushData {
  readonly commit_count: number
  readonly action: 'created' | 'removed' | 'pushed'
  readonly ref_type: 'branch' | 'tag'
  readonly commit_from: string | null
  readonly commit_to: string | null
  readonly ref: string | null
  readonly commit_title: string | null
  /** The number of refs that one event is about. Null for one ref. */
  readonly ref_count: number | null
}

/** The target type of events about wiki pages (spec core 6.8). */
export const WIKI_PAGE = 'WikiPage::Meta'

/** A wiki page in the feed. */
export interface WikiPageData {
  readonly format: string
  readonly slug: string
  readonly title: string
}
