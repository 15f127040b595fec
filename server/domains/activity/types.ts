import type { Selectable } from 'kysely'

import type { ActivityEventsTable } from '../../db/schema.gen.ts'

/** One line of the feed. */
export type EventRow = Selectable<ActivityEventsTable>

/** What is written down of something that happened. */
export type NewEvent = Pick<EventRow, 'author_id' | 'action' | 'created_at'> & Partial<Omit<EventRow, 'id'>>

/** The words of the `action` filter (spec core 6.8). */
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

/** The words of the `target_type` filter, and the types they stand for; the project itself is no target of its events. */
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

/** Refs of a push, as the feed shows them. */
export interface PushData {
  readonly commit_count: number
  readonly action: 'created' | 'removed' | 'pushed'
  readonly ref_type: 'branch' | 'tag'
  readonly commit_from: string | null
  readonly commit_to: string | null
  readonly ref: string | null
  readonly commit_title: string | null
  /** How many refs one line stands for; null for one ref. */
  readonly ref_count: number | null
}

/** Type of the target of events about pages of wikis (spec core 6.8). */
export const WIKI_PAGE = 'WikiPage::Meta'

/** A page of a wiki, as the feed shows it. */
export interface WikiPageData {
  readonly format: string
  readonly slug: string
  readonly title: string
}
