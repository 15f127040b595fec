import { z } from 'zod'

import { date, entity, time, type Presentation } from '../../http/entity.ts'
import type { UserBasicRow } from '../users/index.ts'
import { UserBasic } from '../users/entity.ts'
import type { NoteView } from '../discussions/index.ts'
import { Note } from '../discussions/notes/entity.ts'
import type { EventCounts } from './store.ts'
import { WIKI_PAGE, type EventRow, type PushData, type WikiPageData } from './types.ts'

/** An event of the feed with its author, and its note if it is about one. */
export interface EventView {
  readonly event: EventRow
  readonly author: UserBasicRow
  readonly note: NoteView | undefined
}

const PushDataShape = z.object({
  commit_count: z.int(),
  action: z.enum(['created', 'removed', 'pushed']),
  ref_type: z.enum(['branch', 'tag']),
  commit_from: z.string().nullable(),
  commit_to: z.string().nullable(),
  ref: z.string().nullable(),
  commit_title: z.string().nullable(),
  ref_count: z.int().nullable(),
})

const WikiPageShape = z.object({ format: z.string(), slug: z.string(), title: z.string() })

const PUSH_ACTION_NAMES = { created: 'pushed new', removed: 'deleted', pushed: 'pushed to' } as const
const ACTION_NAMES: Readonly<Record<string, string>> = {
  commented: 'commented on',
  merged: 'accepted',
  expired: 'removed due to membership expiration from',
}
/** Types that are opened, not created (spec core 6.8). */
const OPENED = new Set(['Issue', 'MergeRequest', 'WorkItem'])

/** The verb of the event: `pushed to`, `opened`, `joined`, … */
function actionName(event: EventRow, push: PushData | undefined): string {
  if (push) return PUSH_ACTION_NAMES[push.action]
  if (event.action === 'created' && OPENED.has(event.target_type ?? '')) return 'opened'
  if (event.action === 'destroyed' && event.target_type === WIKI_PAGE) return 'deleted'
  return ACTION_NAMES[event.action] ?? event.action
}

/** The events of one day or week, for the charts. */
export const EventsOfDay = entity(
  'EventsOfDay',
  {
    day: date(),
    total: z.int(),
    pushes: z.int(),
    comments: z.int(),
    issues: z.int(),
    merge_requests: z.int(),
  },
  (counts: EventCounts) => ({ ...counts }),
)

/** An event in the feed (spec core 6.8). */
export const ActivityEvent = entity(
  'Event',
  {
    id: z.int(),
    project_id: z.int().nullable(),
    action_name: z.string(),
    target_id: z.int().nullable(),
    target_iid: z.int().nullable(),
    target_type: z.string().nullable(),
    author_id: z.int(),
    target_title: z.string().nullable(),
    created_at: time(),
    note: Note.schema.optional(),
    author: UserBasic.schema,
    push_data: PushDataShape.optional(),
    wiki_page: WikiPageShape.optional(),
    author_username: z.string(),
  },
  ({ event, author, note }: EventView, presentation: Presentation) => {
    const push = event.action === 'pushed' ? (JSON.parse(event.details!) as PushData) : undefined
    return {
      id: event.id,
      project_id: event.project_id,
      action_name: actionName(event, push),
      target_id: event.target_id,
      target_iid: event.target_iid,
      target_type: event.target_type,
      author_id: event.author_id,
      target_title: event.target_title,
      created_at: event.created_at,
      ...(note ? { note: Note.present(note, presentation) } : {}),
      author: UserBasic.present(author, presentation),
      ...(push ? { push_data: push } : {}),
      ...(event.target_type === WIKI_PAGE ? { wiki_page: JSON.parse(event.details!) as WikiPageData } : {}),
      author_username: author.username,
    }
  },
)
