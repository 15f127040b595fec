import type { Ctx } from '../../ctx.ts'
import { listCommits } from '../../git/read/log.ts'
import { resolveCommit } from '../../git/read/revisions.ts'
import { showIssues } from '../planning/index.ts'
import { showMergeRequest } from '../merge_requests/index.ts'
import { namespaceById } from '../namespaces/index.ts'
import { fullPath, inRepository, projectById, viewsOf } from '../projects/index.ts'
import * as subjects from './store-subjects.ts'
import type { TodoTarget } from './entity.ts'
import type { TodoRow } from './types.ts'

/** The subjects of items, by `keyOf`. */
export type Targets = Map<string, TodoTarget>

/** The key of an item's subject. */
export function keyOf(todo: TodoRow): string {
  return `${todo.target_type}:${todo.target_id ?? `${todo.project_id}:${todo.commit_id}`}`
}

function idsOf(todos: readonly TodoRow[], type: string): number[] {
  return [
    ...new Set(todos.filter((todo) => todo.target_type === type).flatMap((todo) => todo.target_id ?? [])),
  ]
}

/** Loads the subjects of items, with one query for each type. Deleted ones are left out. */
export async function targetsOf(ctx: Ctx, todos: readonly TodoRow[]): Promise<Targets> {
  const found: Targets = new Map()
  await addIssues(ctx, found, idsOf(todos, 'Issue'))
  await addMergeRequests(ctx, found, idsOf(todos, 'MergeRequest'))
  addOwners(ctx, found, todos)
  for (const todo of todos) if (todo.target_type === 'Commit') await addCommit(ctx, found, todo)
  return found
}

async function addIssues(ctx: Ctx, found: Targets, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = subjects.issuesByIds(ctx.db, ids)
  const views = await showIssues(ctx, rows)
  for (const [index, row] of rows.entries()) {
    const page = `${pathOf(ctx, row.project_id)}/-/issues/${row.iid}`
    found.set(`Issue:${row.id}`, { type: 'Issue', view: views[index]!, page, title: row.title })
  }
}

async function addMergeRequests(ctx: Ctx, found: Targets, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = subjects.mergeRequestsByIds(ctx.db, ids)
  for (const row of rows) {
    const project = projectById(ctx.db, row.project_id)!
    const view = await showMergeRequest(ctx, project, row, { relativeTo: undefined })
    const page = `${fullPath(project)}/-/merge_requests/${row.iid}`
    found.set(`MergeRequest:${row.id}`, { type: 'MergeRequest', view, page, title: row.title })
  }
}

function pathOf(ctx: Ctx, projectId: number): string {
  const project = projectById(ctx.db, projectId)
  return project ? fullPath(project) : ''
}

/** Adds the projects and groups of access requests. The item links to the page with the requests. */
function addOwners(ctx: Ctx, found: Targets, todos: readonly TodoRow[]): void {
  const projects = idsOf(todos, 'Project').flatMap((id) => projectById(ctx.db, id) ?? [])
  for (const [index, view] of viewsOf(ctx, projects, {}).entries()) {
    const project = projects[index]!
    const page = `${fullPath(project)}/-/project_members?tab=access_requests`
    found.set(`Project:${project.id}`, { type: 'Project', view, page, title: project.name })
  }
  for (const id of idsOf(todos, 'Namespace')) {
    const group = namespaceById(ctx.db, id)
    if (!group) continue
    const page = `groups/${group.full_path}/-/group_members?tab=access_requests`
    found.set(`Namespace:${id}`, { type: 'Namespace', view: group, page, title: group.name })
  }
}

async function addCommit(ctx: Ctx, found: Targets, todo: TodoRow): Promise<void> {
  const project = todo.project_id === null ? undefined : projectById(ctx.db, todo.project_id)
  if (!project || found.has(keyOf(todo))) return
  const commit = await inRepository(ctx, project, async (repo) => {
    const id = await resolveCommit(repo, todo.commit_id!)
    return id === null ? undefined : (await listCommits(repo, { range: { tips: [id] }, limit: 1 }))[0]
  })
  if (!commit) return
  const path = fullPath(project)
  const view = { commit, path, project_id: project.id }
  found.set(keyOf(todo), { type: 'Commit', view, page: `${path}/-/commit/${commit.id}`, title: commit.title })
}
