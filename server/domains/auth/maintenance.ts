import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'

const USUAL = 'You cannot perform write operations on a read-only instance'

/** What everybody is told while the instance is being maintained; null otherwise (spec administration 1.2). */
export function maintenanceOf(ctx: Pick<Ctx, 'db' | 'now'>): string | null {
  const { maintenance_mode, maintenance_mode_message } = settingsOf(ctx)
  return maintenance_mode ? maintenance_mode_message || USUAL : null
}

/** Throws 503 for a write while the instance is being maintained; administrators go on. */
export function checkMaintenance(ctx: Ctx): void {
  if (ctx.actor.is_admin) return
  const message = maintenanceOf(ctx)
  if (message !== null) throw fail('unavailable', message)
}
