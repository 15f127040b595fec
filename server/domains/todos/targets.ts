import type { Ctx } from '../../ctx.ts'
import { jsonList } from '../../db/database.ts'
import { listCommits } from '../../git/log.ts'
import { resolveCommit } from '../../git/revisions.ts'
import { as, type Shown } from '../../http/entity.ts'
import { Issue } from '../planning/issues/entity.ts'
import { showIssues, type IssueRow } from '../planning/index.ts'
import { showMergeRequest, type MergeRequestRow } from '../merge_requests/index.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import { namespaceById } from '../namespaces/index.ts'
import { ProjectSimple } from '../projects/entity.ts'
import { fullPath, inRepository, projectById, viewsOf } from '../projects/index.ts'
import { Commit } from '../repository/commits/entity.ts'
import { TodoMergeRequest } from './merge-request-entity.ts'
import type { TodoTarget } from './entity.ts'
import type { TodoRow } from './todo.ts'

/** Things that items are about, by `keyOf`. */
export type Targets = Map<string, TodoTarget>

/** Names what an item is about; items about the same have the same. */
export function keyOf(todo: TodoRow): string {
  return `${todo.target_type}:${todo.target_id ?? `${todo.project_id}:${todo.commit_id}`}`
}

function idsOf(todos: readonly TodoRow[], type: string): number[] {
  return [
    ...new Set(todos.filter((todo) => todo.target_type === type).flatMap((todo) => todo.target_id ?? [])),
  ]
}

/** Everything that some items are about, each kind loaded at once. What is gone is left out. */
export async function targetsOf(ctx: Ctx, todos: readonly TodoRow[]): Promise<Targets> {
  const found: Targets = new Map()
  await addIssues(ctx, found, idsOf(todos, 'Issue'))
  await addMergeRequests(ctx, found, idsOf(todos, 'MergeRequest'))
  addPlaces(ctx, found, todos)
  for (const todo of todos) if (todo.target_type === 'Commit') await addCommit(ctx, found, todo)
  return found
}

async function addIssues(ctx: Ctx, found: Targets, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = ctx.db.many<IssueRow>(
    'SELECT * FROM issues WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  const views = await showIssues(ctx, rows)
  for (const [index, row] of rows.entries()) {
    const page = `${pathOf(ctx, row.project_id)}/-/issues/${row.iid}`
    found.set(`Issue:${row.id}`, { shown: as(Issue, views[index]!) as Shown, page, title: row.title })
  }
}

async function addMergeRequests(ctx: Ctx, found: Targets, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = ctx.db.many<MergeRequestRow>(
    'SELECT * FROM merge_requests WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  for (const row of rows) {
    const project = projectById(ctx.db, row.project_id)!
    const view = await showMergeRequest(ctx, project, row, { relativeTo: undefined })
    const page = `${fullPath(project)}/-/merge_requests/${row.iid}`
    found.set(`MergeRequest:${row.id}`, {
      shown: as(TodoMergeRequest, view) as Shown,
      page,
      title: row.title,
    })
  }
}

function pathOf(ctx: Ctx, projectId: number): string {
  const project = projectById(ctx.db, projectId)
  return project ? fullPath(project) : ''
}

/** Projects and groups that somebody asked to belong to; the page is the one where that is decided. */
function addPlaces(ctx: Ctx, found: Targets, todos: readonly TodoRow[]): void {
  const projects = idsOf(todos, 'Project').flatMap((id) => projectById(ctx.db, id) ?? [])
  for (const [index, view] of viewsOf(ctx, projects, {}).entries()) {
    const project = projects[index]!
    const page = `${fullPath(project)}/-/project_members?tab=access_requests`
    found.set(`Project:${project.id}`, { shown: as(ProjectSimple, view) as Shown, page, title: project.name })
  }
  for (const id of idsOf(todos, 'Namespace')) {
    const group = namespaceById(ctx.db, id)
    if (!group) continue
    const page = `groups/${group.full_path}/-/group_members?tab=access_requests`
    found.set(`Namespace:${id}`, { shown: as(NamespaceBasic, group) as Shown, page, title: group.name })
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
  const shown = as(Commit, { commit, path, project_id: project.id }) as Shown
  found.set(keyOf(todo), { shown, page: `${path}/-/commit/${commit.id}`, title: commit.title })
}
