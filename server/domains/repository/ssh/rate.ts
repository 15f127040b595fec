import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { RateWindow } from '../../../lib/rate-window.ts'
import { settingsOf } from '../../settings/index.ts'
import { Refusal } from '../smart_http/refusal.ts'
import type { Asked } from './command.ts'

const PERIOD = 60
const TOO_MANY = 'This endpoint has been requested too many times. Try again later.'

/** One per instance. */
const windows = new WeakMap<Database, RateWindow>()

/** Counts a command of git over SSH for its user and place. Throws Refusal beyond what the settings allow a minute. */
export function countOperation(ctx: Ctx, { command, path }: Asked): void {
  const max = settingsOf(ctx).shell_operation_limit
  if (max === 0) return
  let window = windows.get(ctx.db)
  if (!window) windows.set(ctx.db, (window = new RateWindow()))
  const key = `${command} ${ctx.actor.kind} ${ctx.actor.id ?? 'nobody'} ${path.toLowerCase()}`
  if (!window.take(key, { max, per: PERIOD }, Date.parse(ctx.now)).allowed) throw new Refusal(429, TOO_MANY)
}
