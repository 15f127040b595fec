import type { Ctx } from '../../ctx.ts'
import { groupIdFor } from './store.ts'
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
  const id = groupIdFor(
    ctx.db,
    String(wanted),
    path === undefined && /^\d{1,15}$/.test(String(wanted)) ? Number(wanted) : -1,
  )
  return id === undefined ? { rest, problems: [[PATH, 'not found']] } : { rest: { ...rest, [ID]: id }, problems: [] }
}
