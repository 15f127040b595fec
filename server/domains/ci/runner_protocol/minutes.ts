import type { Ctx } from '../../../ctx.ts'
import { settingsOf } from '../../settings/index.ts'

/** Seconds that jobs of each namespace at the top took on runners of the instance since a time, and its limit in minutes. */
const USED = `SELECT top.id, coalesce(top.shared_runners_minutes_limit, u.shared_runners_minutes_limit, ?) AS minutes,
    sum(strftime('%s', coalesce(j.finished_at, ?)) - strftime('%s', j.started_at)) AS seconds
  FROM runners r JOIN ci_jobs j ON j.runner_id = r.id JOIN projects p ON p.id = j.project_id
  JOIN namespaces n ON n.id = p.namespace_id JOIN namespaces top ON top.id = json_extract(n.lineage, '$[0]')
  LEFT JOIN users u ON u.id = top.owner_id
  WHERE r.runner_type = 'instance_type' AND j.started_at >= ? GROUP BY top.id`

/**
 * Groups and personal spaces whose jobs had all of this month's minutes on runners of the instance (spec administration
 * 1.2, `shared_runners_minutes`; 0 for any number). A group and a user may have a limit of their own.
 */
export function spentNamespaces(ctx: Pick<Ctx, 'db' | 'now'>): readonly number[] {
  const limit = settingsOf(ctx).shared_runners_minutes ?? 0
  if (limit === 0) return []
  const month = ctx.now.slice(0, 7)
  return ctx.db.remember(`ci:spent:${month}`, () =>
    ctx.db
      .many<{ id: number; minutes: number; seconds: number }>(USED, limit, ctx.now, `${month}-01`)
      .filter(({ minutes, seconds }) => minutes > 0 && seconds >= minutes * 60)
      .map(({ id }) => id),
  )
}
