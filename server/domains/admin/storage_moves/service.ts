import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { projectsByIds, fullPath, projectById } from '../../projects/index.ts'
import { snippetsByIds, snippetViews } from '../../snippets/index.ts'
import type { MoveListView } from './entity.ts'
import { enqueueBulkMove, checkStorage } from './jobs.ts'
import * as store from './store.ts'
import type { Kind, MoveFilter, MoveRow } from './store.ts'

/** Adds the projects to moves. */
export function withProjects(ctx: Ctx, { rows, total }: Rows<MoveRow>) {
  const projects = new Map(
    projectsByIds(
      ctx.db,
      rows.map((move) => move.project_id!),
    ).map((project) => [project.id, project]),
  )
  return { rows: rows.map((move) => ({ move, project: projects.get(move.project_id!)! })), total }
}

/** Adds the snippets to moves. */
export function withSnippets(ctx: Ctx, { rows, total }: Rows<MoveRow>) {
  const snippets = snippetsByIds(
    ctx.db,
    rows.map((move) => move.snippet_id!),
  )
  const views = new Map(snippetViews(ctx, snippets).map((view) => [view.snippet.id, view]))
  return { rows: rows.map((move) => ({ move, snippet: views.get(move.snippet_id!)! })), total }
}

/** Adds the groups to moves. */
export function withGroups(ctx: Ctx, { rows, total }: Rows<MoveRow>) {
  // No query for all groups is needed, because namespaces are cached.
  return { rows: rows.map((move) => ({ move, group: namespaceById(ctx.db, move.group_id!)! })), total }
}

const asRows = (move: MoveRow): Rows<MoveRow> => ({ rows: [move], total: 1 })

export const withProject = (ctx: Ctx, move: MoveRow) => withProjects(ctx, asRows(move)).rows[0]!
export const withSnippet = (ctx: Ctx, move: MoveRow) => withSnippets(ctx, asRows(move)).rows[0]!
export const withGroup = (ctx: Ctx, move: MoveRow) => withGroups(ctx, asRows(move)).rows[0]!

/** Returns a move that matches the filter. Throws 404. */
export function findMove(ctx: Ctx, id: number, filter: MoveFilter): MoveRow {
  const move = store.find(ctx.db, id, filter)
  if (!move) throw notFound()
  return move
}

/** Returns one page of moves, the newest first. */
export function listMoves(
  ctx: Ctx,
  filter: MoveFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<MoveRow> {
  return store.list(ctx.db, filter, paging)
}

/**
 * Schedules the moves of all containers of a kind out of a storage, in the background. Throws 400 for an unknown
 * storage.
 */
export function scheduleBulkMove(
  ctx: Ctx,
  kind: Kind,
  input: { source_storage_name: string; destination_storage_name?: string | undefined },
): void {
  const { source_storage_name: source, destination_storage_name: destination } = input
  checkStorage(ctx, 'source_storage_name', source)
  if (destination !== undefined) checkStorage(ctx, 'destination_storage_name', destination)
  // Every move to the same storage would fail.
  if (source === destination) throw fail('parameter', 'destination_storage_name does not have a valid value')
  enqueueBulkMove(ctx, { kind, source, destination: destination ?? null, after: 0, actor_id: ctx.actor.id })
}

/** Returns one page of moves of all kinds with their titles, the newest first. */
export function allMoves(
  ctx: Ctx,
  filter: store.MoveStateFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<MoveListView> {
  const { rows, total } = store.listAll(ctx.db, filter, paging)
  const ids = (key: 'project_id' | 'snippet_id') => rows.flatMap((move) => move[key] ?? [])
  const projects = new Map(projectsByIds(ctx.db, ids('project_id')).map((project) => [project.id, project]))
  const snippets = new Map(snippetsByIds(ctx.db, ids('snippet_id')).map((snippet) => [snippet.id, snippet]))
  const titleOf = (move: MoveRow): { title: string; path: string } => {
    const project = projects.get(move.project_id ?? 0)
    if (project) return { title: fullPath(project), path: `/${fullPath(project)}` }
    const snippet = snippets.get(move.snippet_id ?? 0)
    if (snippet) {
      const owner = snippet.project_id === null ? undefined : projectById(ctx.db, snippet.project_id)
      const ownerPath = owner ? `/${fullPath(owner)}` : ''
      return { title: snippet.title, path: `${ownerPath}/-/snippets/${snippet.id}` }
    }
    const group = namespaceById(ctx.db, move.group_id ?? 0)
    return { title: group?.full_path ?? '', path: `/groups/${group?.full_path ?? ''}` }
  }
  return { rows: rows.map((move) => ({ move, ...titleOf(move) })), total }
}
