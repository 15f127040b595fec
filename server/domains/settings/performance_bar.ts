import type { Ctx } from '../../ctx.ts'
import type { Problem } from './rules/problem.ts'

type Given = Readonly<Record<string, unknown>>
const PATH = 'performance_bar_allowed_group_path'
const ID = 'performance_bar_allowed_group_id'

/**
 * The group that sees the bar of measurements: given as a path, kept and answered as a number. The table is read here
 * because groups stand above settings.
 */
export function performanceBar(ctx: Pick<Ctx, 'db'>, given: Given): { rest: Given; problems: Problem[] } {
  const { [PATH]: path, [ID]: older, performance_bar_enabled: enabled, ...rest } = given
  if (enabled === false) return { rest: { ...rest, [ID]: null }, problems: [] }
  const wanted = path === undefined ? older : path
  if (wanted === undefined) return { rest, problems: [] }
  if (wanted === null || wanted === '') return { rest: { ...rest, [ID]: null }, problems: [] }
  const row = ctx.db.one<{ id: number }>(
    "SELECT id FROM namespaces WHERE kind = 'group' AND (full_path = ? OR id = ?)",
    String(wanted),
    path === undefined && /^\d{1,15}$/.test(String(wanted)) ? Number(wanted) : -1,
  )
  return row ? { rest: { ...rest, [ID]: row.id }, problems: [] } : { rest, problems: [[PATH, 'not found']] }
}
