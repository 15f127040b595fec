import type { Ctx } from '../../../../ctx.ts'
import type { Database } from '../../../../db/database.ts'
import { RateWindow } from '../../../../lib/rate-window.ts'
import { settingsOf } from '../../../settings/index.ts'
import { refused } from './refused.ts'

const PERIOD = 60
const TOO_MANY = 'Too many pipelines created in the last minute. Try again later.'

/** One per instance. */
const windows = new WeakMap<Database, RateWindow>()

/**
 * Counts a pipeline that the actor makes of a commit. Throws PipelineRefused beyond what the settings allow a minute (spec
 * administration 1.2, `pipeline_limit_per_project_user_sha`; 0 for any number).
 */
export function countPipeline(ctx: Ctx, projectId: number, sha: string): void {
  const max = settingsOf(ctx).pipeline_limit_per_project_user_sha
  if (max === 0) return
  let window = windows.get(ctx.db)
  if (!window) windows.set(ctx.db, (window = new RateWindow()))
  const key = `${projectId} ${ctx.actor.id ?? 'instance'} ${sha}`
  if (!window.take(key, { max, per: PERIOD }, Date.parse(ctx.now)).allowed) throw refused(TOO_MANY)
}
