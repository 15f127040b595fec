import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { Rows } from '../../db/rows.ts'
import { publish } from '../../events/publish.ts'
import { addDays } from '../../lib/clock.ts'
import { notFound } from '../../lib/fail.ts'
import { groupByPeriod, periodOf, type Period } from '../../lib/periods.ts'
import { notesById, type NoteView } from '../discussions/index.ts'
import { userById, userByUsername, usersById } from '../users/index.ts'
import type { EventView } from './entity.ts'
import { ActivityRecorded } from './events.ts'
import type { EventRow, NewEvent, TARGETS } from './types.ts'
import * as store from './store.ts'
import { listCommits } from '../../git/read/log.ts'
import { repoOf, projectById } from '../projects/index.ts'

/** Filters of a feed. The days `before` and `after` are excluded (spec core 6.8). */
export interface FeedRequest {
  readonly action?: string | undefined
  readonly target_type?: keyof typeof TARGETS | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** The events of one user, of one project, or of all projects of the caller. */
export type FeedScope = Pick<store.EventFilter, 'author_id' | 'project_id' | 'of_member'>

/** Returns one page of the events that the actor may see. */
export function feed(ctx: Ctx, scope: FeedScope, request: FeedRequest, page: store.EventPage) {
  const { before, after, action, target_type } = request
  const from = after === undefined ? undefined : addDays(`${after}T00:00:00.000Z`, 1)
  const until = before === undefined ? undefined : `${before}T00:00:00.000Z`
  const result = store.list(ctx.db, ctx, { ...scope, action, target_type, from, until }, page)
  return { rows: views(ctx, result.rows), total: result.total }
}

/** The ID of a user, by ID or name; null for a profile that is private to the actor. Throws `404 User Not Found`. */
function visibleAuthor(ctx: Ctx, reference: string): number | null {
  const isId = /^\d{1,15}$/.test(reference)
  const user = isId ? userById(ctx.db, Number(reference)) : userByUsername(ctx.db, reference)
  if (!user) throw notFound('User')
  const isHidden = user.private_profile && user.id !== ctx.actor.id && !ctx.actor.is_admin
  return isHidden ? null : user.id
}

/** Lists the events of one user, by ID or name. A private profile shows none to others. Throws `404 User Not Found`. */
export function feedOfUser(ctx: Ctx, reference: string, request: FeedRequest, page: store.EventPage) {
  const author = visibleAuthor(ctx, reference)
  return author === null ? { rows: [], total: 0 } : feed(ctx, { author_id: author }, request, page)
}

/** The period of a chart of events. */
interface ChartRequest {
  readonly days: number
  readonly by: Period['by']
}

/** Counts the events of the last days that the actor may see. */
export function chart(ctx: Ctx, scope: FeedScope, { days, by }: ChartRequest): Rows<store.EventCounts> {
  const { from } = periodOf(ctx.now, days, by)
  const periods = groupByPeriod(store.countsByDay(ctx.db, ctx, { ...scope, from }), by)
  const rows = [...periods].map(([day, counts]) => counts.reduce(sumOf, { ...NONE, day }))
  return { rows, total: rows.length }
}

const NONE = { total: 0, pushes: 0, comments: 0, issues: 0, merge_requests: 0 }

const sumOf = (sum: store.EventCounts, counts: store.EventCounts): store.EventCounts => ({
  day: sum.day,
  total: sum.total + counts.total,
  pushes: sum.pushes + counts.pushes,
  comments: sum.comments + counts.comments,
  issues: sum.issues + counts.issues,
  merge_requests: sum.merge_requests + counts.merge_requests,
})

/** Counts the events of one user, by ID or name. A private profile shows none to others. Throws `404 User Not Found`. */
export function chartOfUser(ctx: Ctx, reference: string, request: ChartRequest): Rows<store.EventCounts> {
  const author = visibleAuthor(ctx, reference)
  return author === null ? { rows: [], total: 0 } : chart(ctx, { author_id: author }, request)
}

function views(ctx: Ctx, rows: readonly EventRow[]): EventView[] {
  const authors = usersById(
    ctx.db,
    rows.map((row) => row.author_id),
  )
  const notes = notesById(
    ctx.db,
    rows.filter(isNote).map((row) => row.target_id!),
  )
  const titles = titlesOf(ctx, rows, notes)
  return rows.map((row) => {
    const note = isNote(row) ? notes.get(row.target_id!) : undefined
    const target = titles.get(
      note ? keyOf(note.noteable_type, note.noteable_id) : keyOf(row.target_type, row.target_id),
    )
    return {
      event: { ...row, target_title: target?.title ?? row.target_title },
      author: authors.get(row.author_id)!,
      note: note && { ...note, noteable_iid: target?.iid ?? null },
    }
  })
}

/** Loads the issues and merge requests of events and notes, with one query for each type. */
function titlesOf(
  ctx: Ctx,
  rows: readonly EventRow[],
  notes: ReadonlyMap<number, NoteView>,
): Map<string, store.TargetTitle> {
  const titles = new Map<string, store.TargetTitle>()
  for (const type of ['Issue', 'MergeRequest'] as const) {
    const ids = [
      ...rows.filter((row) => row.target_type === type).map((row) => row.target_id),
      ...[...notes.values()].filter((note) => note.noteable_type === type).map((note) => note.noteable_id),
    ].filter((id) => id !== null)
    for (const row of store.titlesByIds(ctx.db, type, ids)) titles.set(keyOf(type, row.id), row)
  }
  return titles
}

/** Records an event. A retried job may publish an event again, so an event with a target is recorded once. */
export function record(ctx: Ctx, event: Omit<NewEvent, 'created_at'>): void {
  if (event.target_id && event.action !== 'updated' && store.isRepeated(ctx.db, event)) return
  // The author may have been deleted before the job runs.
  if (!userById(ctx.db, event.author_id)) return
  const { project_id, namespace_id } = event
  tx(ctx.db, () => {
    store.insert(ctx.db, { ...event, created_at: ctx.happenedAt ?? ctx.now })
    publish(ctx, ActivityRecorded, {
      ...(project_id ? { project_id } : {}),
      ...(namespace_id ? { group_id: namespace_id } : {}),
    })
  })
}

/** The key of an issue or merge request in the map of `titlesOf`. */
export function keyOf(type: string | null, id: number | null): string {
  return `${type}:${id}`
}

/** True if an event is about a note. */
export function isNote(row: EventRow): boolean {
  return row.action === 'commented' && row.target_id !== null
}

/** Records the event of a note that a user wrote, with the title of its noteable. */
export async function recordNote(ctx: Ctx, event: { note_id: number }): Promise<void> {
  const note = notesById(ctx.db, [event.note_id]).get(event.note_id)
  if (!note) return
  record(ctx, {
    project_id: note.project_id,
    author_id: note.author_id,
    action: 'commented',
    target_type: note.type ?? 'Note',
    target_id: note.id,
    target_iid: note.id,
    target_title: await titleOf(ctx, note),
  })
}

async function titleOf(ctx: Ctx, note: NoteView): Promise<string | null> {
  if (store.isTitled(note.noteable_type))
    return store.titleOf(ctx.db, note.noteable_type, note.noteable_id) ?? null
  const project = note.project_id === null ? undefined : projectById(ctx.db, note.project_id)
  if (!project || note.commit_id === null) return null
  const range = { tips: [note.commit_id] }
  const commits = await listCommits(repoOf(ctx, project), { range, limit: 1 })
  return commits[0]?.title ?? null
}
