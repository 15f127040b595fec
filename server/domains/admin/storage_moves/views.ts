import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { projectsByIds } from '../../projects/index.ts'
import { snippetsByIds, snippetViews } from '../../snippets/index.ts'
import type { MoveRow } from './store.ts'

/** Moves with their projects. */
export function withProjects(ctx: Ctx, { rows, total }: Rows<MoveRow>) {
  const known = new Map(
    projectsByIds(
      ctx.db,
      rows.map((move) => move.project_id!),
    ).map((one) => [one.id, one]),
  )
  return { rows: rows.map((move) => ({ move, project: known.get(move.project_id!)! })), total }
}

/** Moves with their snippets. */
export function withSnippets(ctx: Ctx, { rows, total }: Rows<MoveRow>) {
  const found = snippetsByIds(
    ctx.db,
    rows.map((move) => move.snippet_id!),
  )
  const known = new Map(snippetViews(ctx, found).map((view) => [view.snippet.id, view]))
  return { rows: rows.map((move) => ({ move, snippet: known.get(move.snippet_id!)! })), total }
}

/** Moves with their groups. */
export function withGroups(ctx: Ctx, { rows, total }: Rows<MoveRow>) {
  // Namespaces are cached one by one.
  return { rows: rows.map((move) => ({ move, group: namespaceById(ctx.db, move.group_id!)! })), total }
}

const only = (move: MoveRow): Rows<MoveRow> => ({ rows: [move], total: 1 })

export const withProject = (ctx: Ctx, move: MoveRow) => withProjects(ctx, only(move)).rows[0]!
export const withSnippet = (ctx: Ctx, move: MoveRow) => withSnippets(ctx, only(move)).rows[0]!
export const withGroup = (ctx: Ctx, move: MoveRow) => withGroups(ctx, only(move)).rows[0]!
