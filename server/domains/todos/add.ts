import type { Ctx } from '../../ctx.ts'
import { publish } from '../../events/publish.ts'
import { TodosChanged } from './events.ts'
import * as store from './store.ts'
import { columnsOf } from './subject.ts'
import { REPEATABLE, type TodoAction, type TodoRow, type TodoSubject } from './todo.ts'

/** An item to be made for some users. */
export interface NewTodos {
  readonly action: TodoAction
  readonly subject: TodoSubject
  /** Who caused it. */
  readonly author_id: number
  readonly note_id?: number | null
}

/**
 * Makes items, to be called in a transaction. Who has a pending one about the same gets no second, except of the actions
 * that may repeat; what was told before is not told again, so that a repeated job changes nothing (7.2).
 */
export function addTodos(ctx: Ctx, given: NewTodos, userIds: readonly number[]): TodoRow[] {
  const { db, now } = ctx
  const subject = columnsOf(given.subject)
  const row = {
    ...subject,
    action: given.action,
    author_id: given.author_id,
    note_id: given.note_id ?? null,
    state: 'pending',
    created_at: now,
    updated_at: now,
  }
  const wanted = [...new Set(userIds)]
  const repeats = (REPEATABLE as readonly string[]).includes(given.action)
  const has = repeats ? store.told(db, row, wanted) : store.waiting(db, subject, wanted)
  const made = wanted.filter((id) => !has.has(id)).map((user_id) => store.insert(db, { ...row, user_id }))
  announce(
    ctx,
    made.map((todo) => todo.user_id),
  )
  return made
}

/** Tells the windows of these users that their items changed. */
export function announce(ctx: Ctx, userIds: readonly number[]): void {
  for (const user_id of new Set(userIds)) publish(ctx, TodosChanged, { user_id })
}
