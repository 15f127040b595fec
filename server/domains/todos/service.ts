import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { fail } from '../../lib/fail.ts'
import { namespaceById } from '../namespaces/index.ts'
import { projectById, type Project } from '../projects/index.ts'
import { usersById } from '../users/index.ts'
import { addTodos, publishChanges, issuableSubject, mayRead } from './service-items.ts'
import type { TodoView } from './entity.ts'
import * as store from './store.ts'
import type { TodoFilter } from './store.ts'
import * as subjects from './store-subjects.ts'
import { keyOf, targetsOf } from './service-targets.ts'
import type { TodoRow } from './types.ts'

/** The contract writes `404 Not found` for a record that an endpoint looks up (spec core 8.3). */
const missing = () => fail('not_found', '404 Not found')

/** Returns one page of the actor's items, newest first. Without a state in the filter, only pending items. */
export async function findTodos(ctx: Ctx, filter: TodoFilter, window: { limit: number; offset: number }) {
  const state = filter.state?.length ? filter.state : ['pending']
  const { rows, total } = store.list(ctx.db, ctx, { ...filter, state }, window)
  return { rows: await views(ctx, rows), total }
}

async function views(ctx: Ctx, todos: readonly TodoRow[]): Promise<TodoView[]> {
  const authors = usersById(
    ctx.db,
    todos.map((todo) => todo.author_id),
  )
  const notes = subjects.noteTexts(
    ctx.db,
    todos.flatMap((todo) => todo.note_id ?? []),
  )
  const targets = await targetsOf(ctx, todos)
  return todos.map((todo) => ({
    todo,
    author: authors.get(todo.author_id)!,
    project: todo.project_id === null ? undefined : projectById(ctx.db, todo.project_id),
    group: todo.group_id === null ? undefined : namespaceById(ctx.db, todo.group_id),
    target: targets.get(keyOf(todo)),
    note: notes.get(todo.note_id ?? 0),
  }))
}

/** Marks an item of the actor as done. Throws 404 for an item of another user. */
export async function finishTodo(ctx: Ctx, id: number): Promise<TodoView> {
  return (await views(ctx, [change(ctx, id, 'done')]))[0]!
}

/** Makes a done item of the actor pending again. Throws 404. */
export async function restoreTodo(ctx: Ctx, id: number): Promise<TodoView> {
  return (await views(ctx, [change(ctx, id, 'pending')]))[0]!
}

function change(ctx: Ctx, id: number, state: 'done' | 'pending'): TodoRow {
  return tx(ctx.db, () => {
    const todo = store.byId(ctx.db, ctx, id)
    if (!todo) throw missing()
    if (todo.state === state) return todo
    store.setState(ctx.db, id, state, ctx.now)
    publishChanges(ctx, [todo.user_id])
    return { ...todo, state, updated_at: ctx.now }
  })
}

/** Marks the actor's pending items that match a filter as done. */
export function finishTodos(ctx: Ctx, filter: TodoFilter): void {
  tx(ctx.db, () => {
    const count = store.finishAll(ctx.db, ctx, filter, ctx.now)
    if (count > 0) publishChanges(ctx, [ctx.actor.id!])
  })
}

/**
 * Adds the issue or merge request with an IID to the actor's list. Throws 404 when the actor may not read it, 304 when
 * it is already on the list.
 */
export async function markTodo(
  ctx: Ctx,
  type: 'Issue' | 'MergeRequest',
  project: Project,
  iid: number,
): Promise<TodoView> {
  const userId = ctx.actor.id!
  const todo = tx(ctx.db, () => {
    const id = subjects.issuableId(ctx.db, type, project.id, iid)
    const subject = id === undefined ? undefined : issuableSubject(ctx, type, id)
    if (!subject || !mayRead(ctx, subject, userId)) throw missing()
    if (store.pendingOf(ctx.db, subject, userId)) throw fail('not_modified')
    return addTodos(ctx, { action: 'marked', subject, author_id: userId }, [userId])[0]!
  })
  return (await views(ctx, [todo]))[0]!
}

/** Counts the actor's pending items. */
export function countTodos(ctx: Ctx): number {
  return store.pendingCount(ctx.db, ctx)
}
