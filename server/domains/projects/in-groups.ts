import type { Ctx } from '../../ctx.ts'
import { jsonList } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { VISIBILITY_RANK, type Visibility } from '../../policy/levels.ts'
import { ProjectUpdated } from './events.ts'

const IN = 'namespace_id IN (SELECT value FROM json_each(?))'

/** Switches shared runners on or off for every project in some groups, inside the caller's transaction. */
export function setSharedRunnersIn(ctx: Ctx, namespaceIds: readonly number[], enabled: boolean): void {
  const changed = ctx.db.many<{ id: number }>(
    `UPDATE projects SET shared_runners_enabled = ?, updated_at = ? WHERE ${IN} AND shared_runners_enabled <> ? RETURNING id`,
    enabled,
    ctx.now,
    jsonList(namespaceIds),
    enabled,
  )
  tell(ctx, changed, 'shared_runners_enabled')
}

/** Makes every project in some groups at most as visible as given, inside the caller's transaction. */
export function narrowProjectsIn(ctx: Ctx, namespaceIds: readonly number[], widest: Visibility): void {
  const wider = Object.entries(VISIBILITY_RANK)
    .filter(([, rank]) => rank > VISIBILITY_RANK[widest])
    .map(([name]) => name)
  const changed = ctx.db.many<{ id: number }>(
    `UPDATE projects SET visibility = ?, updated_at = ?
     WHERE ${IN} AND visibility IN (SELECT value FROM json_each(?)) RETURNING id`,
    widest,
    ctx.now,
    jsonList(namespaceIds),
    jsonList(wider),
  )
  tell(ctx, changed, 'visibility')
}

function tell(ctx: Ctx, projects: readonly { id: number }[], column: string): void {
  for (const { id } of projects)
    publish(ctx, ProjectUpdated, { project_id: id, actor_id: ctx.actor.id, changed: [column] })
}
