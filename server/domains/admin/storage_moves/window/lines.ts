import type { Ctx } from '../../../../ctx.ts'
import type { Rows } from '../../../../db/rows.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import { fullPath, projectById, projectsByIds } from '../../../projects/index.ts'
import { snippetsByIds } from '../../../snippets/index.ts'
import * as store from '../store.ts'
import type { MoveRow } from '../store.ts'
import type { MoveLineView } from './entity.ts'

/** Moves of all kinds: the running ones, and the newest. */
export function moveLines(
  ctx: Ctx,
  filter: store.LineFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<MoveLineView> {
  const { rows, total } = store.lines(ctx.db, filter, paging)
  const ids = (key: 'project_id' | 'snippet_id') => rows.flatMap((move) => move[key] ?? [])
  const projects = new Map(projectsByIds(ctx.db, ids('project_id')).map((one) => [one.id, one]))
  const snippets = new Map(snippetsByIds(ctx.db, ids('snippet_id')).map((one) => [one.id, one]))
  const named = (move: MoveRow): { title: string; path: string } => {
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
  return { rows: rows.map((move) => ({ move, ...named(move) })), total }
}
