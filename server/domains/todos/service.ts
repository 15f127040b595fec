import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { listCommits } from '../../git/read/log.ts'
import { resolveCommit } from '../../git/read/revisions.ts'
import { fail } from '../../lib/fail.ts'
import { showMergeRequest } from '../merge_requests/index.ts'
import { namespaceById } from '../namespaces/index.ts'
import { showIssues } from '../planning/index.ts'
import { projectById, type Project, fullPath, inRepository, viewsOf } from '../projects/index.ts'
import { usersById } from '../users/index.ts'
import { addTodos, publishChanges, issuableSubject, mayRead } from './service-items.ts'
import type { TodoView, TodoTarget } from './entity.ts'
import * as store from './store.ts'
import type { TodoFilter } from './store.ts'
import * as subjects from './store-subjects.ts'
import type { TodoRow } from './types.ts'

/** Returns the error for an unknown record, in the contract's words (spec core 8.3). */
const notFoundError = () => fail('not_found', '404 Not found')

/** Returns one page of the actor's items, newest first. The default filter is pending items. */
export async function findTodos(ctx: Ctx, filter: TodoFilter, page: { limit: number; offset: number }) {
  const state = filter.state?.length ? filter.state : ['pending']
  const { rows, total } = store.list(ctx.db, ctx, { ...filter, state }, page)
  return { rows: await loadViews(ctx, rows), total }
}

async function loadViews(ctx: Ctx, todos: readonly TodoRow[]): Promise<TodoView[]> {
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
  return (await loadViews(ctx, [changeState(ctx, id, 'done')]))[0]!
}

/** Makes a done item of the actor pending again. Throws 404. */
export async function restoreTodo(ctx: Ctx, id: number): Promise<TodoView> {
  return (await loadViews(ctx, [changeState(ctx, id, 'pending')]))[0]!
}

function changeState(ctx: Ctx, id: number, state: 'done' | 'pending'): TodoRow {
  return tx(ctx.db, () => {
    const todo = store.byId(ctx.db, ctx, id)
    if (!todo) throw notFoundError()
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
    if (!subject || !mayRead(ctx, subject, userId)) throw notFoundError()
    if (store.pendingOf(ctx.db, subject, userId)) throw fail('not_modified')
    return addTodos(ctx, { action: 'marked', subject, author_id: userId }, [userId])[0]!
  })
  return (await loadViews(ctx, [todo]))[0]!
}

/** Counts the actor's pending items. */
export function countTodos(ctx: Ctx): number {
  return store.pendingCount(ctx.db, ctx)
}

/** The subjects of items, by `keyOf`. */
type Targets = Map<string, TodoTarget>

/** Returns a key for the subject of an item. */
function keyOf(todo: TodoRow): string {
  return `${todo.target_type}:${todo.target_id ?? `${todo.project_id}:${todo.commit_id}`}`
}

function idsOf(todos: readonly TodoRow[], type: string): number[] {
  return [
    ...new Set(todos.filter((todo) => todo.target_type === type).flatMap((todo) => todo.target_id ?? [])),
  ]
}

/** Loads the subjects of items, with one query for each type. Skips deleted subjects. */
async function targetsOf(ctx: Ctx, todos: readonly TodoRow[]): Promise<Targets> {
  const targets: Targets = new Map()
  await addIssues(ctx, targets, idsOf(todos, 'Issue'))
  await addMergeRequests(ctx, targets, idsOf(todos, 'MergeRequest'))
  addOwners(ctx, targets, todos)
  for (const todo of todos) if (todo.target_type === 'Commit') await addCommit(ctx, targets, todo)
  return targets
}

async function addIssues(ctx: Ctx, targets: Targets, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = subjects.issuesByIds(ctx.db, ids)
  const views = await showIssues(ctx, rows)
  for (const [index, row] of rows.entries()) {
    const page = `${pathOf(ctx, row.project_id)}/-/issues/${row.iid}`
    targets.set(`Issue:${row.id}`, { type: 'Issue', view: views[index]!, page, title: row.title })
  }
}

async function addMergeRequests(ctx: Ctx, targets: Targets, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = subjects.mergeRequestsByIds(ctx.db, ids)
  for (const row of rows) {
    const project = projectById(ctx.db, row.project_id)!
    const view = await showMergeRequest(ctx, project, row, { relativeTo: undefined })
    const page = `${fullPath(project)}/-/merge_requests/${row.iid}`
    targets.set(`MergeRequest:${row.id}`, { type: 'MergeRequest', view, page, title: row.title })
  }
}

function pathOf(ctx: Ctx, projectId: number): string {
  const project = projectById(ctx.db, projectId)
  return project ? fullPath(project) : ''
}

/** Adds the projects and groups of access requests. The item links to the page with the requests. */
function addOwners(ctx: Ctx, targets: Targets, todos: readonly TodoRow[]): void {
  const projects = idsOf(todos, 'Project').flatMap((id) => projectById(ctx.db, id) ?? [])
  for (const [index, view] of viewsOf(ctx, projects, {}).entries()) {
    const project = projects[index]!
    const page = `${fullPath(project)}/-/project_members?tab=access_requests`
    targets.set(`Project:${project.id}`, { type: 'Project', view, page, title: project.name })
  }
  for (const id of idsOf(todos, 'Namespace')) {
    const group = namespaceById(ctx.db, id)
    if (!group) continue
    const page = `groups/${group.full_path}/-/group_members?tab=access_requests`
    targets.set(`Namespace:${id}`, { type: 'Namespace', view: group, page, title: group.name })
  }
}

async function addCommit(ctx: Ctx, targets: Targets, todo: TodoRow): Promise<void> {
  const project = todo.project_id === null ? undefined : projectById(ctx.db, todo.project_id)
  if (!project || targets.has(keyOf(todo))) return
  const commit = await inRepository(ctx, project, async (repo) => {
    const id = await resolveCommit(repo, todo.commit_id!)
    return id === null ? undefined : (await listCommits(repo, { range: { tips: [id] }, limit: 1 }))[0]
  })
  if (!commit) return
  const path = fullPath(project)
  const view = { commit, path, project_id: project.id }
  targets.set(keyOf(todo), {
    type: 'Commit',
    view,
    page: `${path}/-/commit/${commit.id}`,
    title: commit.title,
  })
}
