import type { Ctx } from '../../ctx.ts'
import { jsonList, tx } from '../../db/database.ts'
import { fail } from '../../lib/fail.ts'
import { namespaceById } from '../namespaces/index.ts'
import { projectById, type Project } from '../projects/index.ts'
import { usersById } from '../users/index.ts'
import { addTodos, announce } from './add.ts'
import type { TodoView } from './entity.ts'
import * as store from './store.ts'
import type { TodoFilter } from './store.ts'
import { issuableSubject, mayRead } from './subject.ts'
import { keyOf, targetsOf } from './targets.ts'
import type { TodoRow } from './todo.ts'

/** The contract's small f: a record looked up inside (spec core 8.3). */
const missing = () => fail('not_found', '404 Not found')

/** One page of the actor's items, newest first; those that wait unless another state is asked for. */
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
  const notes = notesOf(ctx, todos)
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

function notesOf(ctx: Ctx, todos: readonly TodoRow[]): Map<number, string> {
  const ids = todos.flatMap((todo) => todo.note_id ?? [])
  const rows = ctx.db.many<{ id: number; note: string }>(
    'SELECT id, note FROM notes WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row.note]))
}

/** Marks an item of the actor as done; one that is done already stays so. Throws 404 for what is not theirs. */
export async function finishTodo(ctx: Ctx, id: number): Promise<TodoView> {
  return (await views(ctx, [change(ctx, id, 'done')]))[0]!
}

/** Makes a done item of the actor wait again. Throws 404. */
export async function restoreTodo(ctx: Ctx, id: number): Promise<TodoView> {
  return (await views(ctx, [change(ctx, id, 'pending')]))[0]!
}

function change(ctx: Ctx, id: number, state: 'done' | 'pending'): TodoRow {
  return tx(ctx.db, () => {
    const todo = store.byId(ctx.db, ctx, id)
    if (!todo) throw missing()
    if (todo.state === state) return todo
    store.setState(ctx.db, id, state, ctx.now)
    announce(ctx, [todo.user_id])
    return { ...todo, state, updated_at: ctx.now }
  })
}

/** Marks the actor's pending items of a filter as done. */
export function finishTodos(ctx: Ctx, filter: TodoFilter): void {
  tx(ctx.db, () => {
    const count = store.finishAll(ctx.db, ctx, filter, ctx.now)
    if (count > 0) announce(ctx, [ctx.actor.id!])
  })
}

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const

/**
 * Puts an issue or merge request of that number on the actor's list. Throws 404 for what they may not read, 304 when it
 * waits there already.
 */
export async function markTodo(
  ctx: Ctx,
  type: 'Issue' | 'MergeRequest',
  project: Project,
  iid: number,
): Promise<TodoView> {
  const userId = ctx.actor.id!
  const query = `SELECT id FROM ${TABLES[type]} WHERE project_id = ? AND iid = ?`
  const todo = tx(ctx.db, () => {
    const found = ctx.db.one<{ id: number }>(query, project.id, iid)
    const subject = found && issuableSubject(ctx, type, found.id)
    if (!subject || !mayRead(ctx, subject, userId)) throw missing()
    if (store.pendingOf(ctx.db, subject, userId)) throw fail('not_modified')
    return addTodos(ctx, { action: 'marked', subject, author_id: userId }, [userId])[0]!
  })
  return (await views(ctx, [todo]))[0]!
}
