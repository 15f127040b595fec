import type { Ctx } from '../../../../ctx.ts'
import type { Database } from '../../../../db/database.ts'
import { RateWindow } from '../../../../lib/rate-window.ts'
import { settingsOf } from '../../../settings/index.ts'
import { refused } from './refused.ts'

const PERIOD = 60
const TOO_MANY = 'Too many pipelines created in the last minute. Try again later.'
const TOO_MANY_DOWNSTREAM = 'Too many downstream pipelines triggered in the last minute. Try again later.'

/** One per instance. */
const windows = new WeakMap<Database, RateWindow>()

/**
 * Counts a pipeline that the actor makes of a commit. Throws PipelineRefused beyond what the settings allow a minute (spec
 * administration 1.2, `pipeline_limit_per_project_user_sha`; 0 for any number).
 */
export function countPipeline(ctx: Ctx, projectId: number, sha: string): void {
  count(ctx, `${projectId} ${sha}`, settingsOf(ctx).pipeline_limit_per_project_user_sha, TOO_MANY)
}

/** The same for what jobs of other pipelines set off (`downstream_pipeline_trigger_limit_per_project_user_sha`). */
export function countDownstream(ctx: Ctx, projectId: number, sha: string): void {
  const max = settingsOf(ctx).downstream_pipeline_trigger_limit_per_project_user_sha
  count(ctx, `downstream ${projectId} ${sha}`, max, TOO_MANY_DOWNSTREAM)
}

function count(ctx: Ctx, what: string, max: number, text: string): void {
  if (max === 0) return
  let window = windows.get(ctx.db)
  if (!window) windows.set(ctx.db, (window = new RateWindow()))
  const key = `${ctx.actor.id ?? 'instance'} ${what}`
  if (!window.take(key, { max, per: PERIOD }, Date.parse(ctx.now)).allowed) throw refused(text)
}
