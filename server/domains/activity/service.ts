import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { addDays } from '../../lib/clock.ts'
import { notFound } from '../../lib/fail.ts'
import { notesById } from '../discussions/index.ts'
import { isNote, keyOf, thingsOf } from './targets.ts'
import { userById, userByUsername, usersById } from '../users/index.ts'
import type { EventView } from './entity.ts'
import { ActivityRecorded } from './events.ts'
import type { EventRow, NewEvent, TARGETS } from './event-row.ts'
import * as store from './store.ts'

/** A feed as asked for; `before` and `after` are days that are left out themselves (spec core 6.8). */
export interface FeedRequest {
  readonly action?: string | undefined
  readonly target_type?: keyof typeof TARGETS | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** Whose events: of one user, of one project, or of all projects of the caller. */
export type FeedOf = Pick<store.EventFilter, 'author_id' | 'project_id' | 'of_member'>

/** One page of the feed, as far as the actor may see it. */
export function feed(ctx: Ctx, of: FeedOf, request: FeedRequest, page: store.EventPage) {
  const { before, after, action, target_type } = request
  const from = after === undefined ? undefined : addDays(`${after}T00:00:00.000Z`, 1)
  const until = before === undefined ? undefined : `${before}T00:00:00.000Z`
  const found = store.list(ctx.db, ctx, { ...of, action, target_type, from, until }, page)
  return { rows: views(ctx, found.rows), total: found.total }
}

/** Events of one user, by id or name. A private profile shows nothing to others. Throws `404 User Not Found`. */
export function feedOfUser(ctx: Ctx, reference: string, request: FeedRequest, page: store.EventPage) {
  const isId = /^\d{1,15}$/.test(reference)
  const user = isId ? userById(ctx.db, Number(reference)) : userByUsername(ctx.db, reference)
  if (!user) throw notFound('User')
  const isHidden = user.private_profile && user.id !== ctx.actor.id && !ctx.actor.is_admin
  return isHidden ? { rows: [], total: 0 } : feed(ctx, { author_id: user.id }, request, page)
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
  const things = thingsOf(ctx, rows, notes)
  return rows.map((row) => {
    const note = isNote(row) ? notes.get(row.target_id!) : undefined
    const thing = things.get(
      note ? keyOf(note.noteable_type, note.noteable_id) : keyOf(row.target_type, row.target_id),
    )
    return {
      event: { ...row, target_title: thing?.title ?? row.target_title },
      author: authors.get(row.author_id)!,
      note: note && { ...note, noteable_iid: thing?.iid ?? null },
    }
  })
}

/** Writes a line. Told twice by a retried job, what has a target is written once. */
export function record(ctx: Ctx, event: Omit<NewEvent, 'created_at'>): void {
  if (event.target_id && event.action !== 'updated' && store.isRepeated(ctx.db, event)) return
  // Who did it may be gone by now.
  if (!userById(ctx.db, event.author_id)) return
  const { project_id, namespace_id } = event
  tx(ctx.db, () => {
    store.insert(ctx.db, { ...event, created_at: ctx.now })
    publish(ctx, ActivityRecorded, {
      ...(project_id ? { project_id } : {}),
      ...(namespace_id ? { group_id: namespace_id } : {}),
    })
  })
}
