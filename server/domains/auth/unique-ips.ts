import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { SERVICE_NAME } from '../../http/aliases.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'

/** Users → the addresses they came from, with the time (milliseconds) of the last request; one map per instance. */
const seen = new WeakMap<Database, Map<number, Map<string, number>>>()

function addressesOf(db: Database, userId: number): Map<string, number> {
  const users = seen.get(db) ?? new Map<number, Map<string, number>>()
  seen.set(db, users)
  const addresses = users.get(userId) ?? new Map<string, number>()
  users.set(userId, addresses)
  return addresses
}

/**
 * Throws 403 when a user comes from one address more than the settings allow within their time (spec administration
 * 1.2, `unique_ips_limit_*`). Who is refused is not counted, so that the others go on.
 */
export function checkAddress(ctx: Ctx, userId: number, ip: string): void {
  const settings = settingsOf(ctx)
  if (!settings.unique_ips_limit_enabled || ip === '') return
  const now = Date.parse(ctx.now)
  const addresses = addressesOf(ctx.db, userId)
  for (const [address, at] of addresses)
    if (at <= now - settings.unique_ips_limit_time_window * 1000) addresses.delete(address)
  if (!addresses.has(ip) && addresses.size >= settings.unique_ips_limit_per_user) {
    const reason = `Too many logins from different IPs: ${SERVICE_NAME} user ${userId} tried to sign in from ${ip}`
    throw fail('forbidden', `403 Forbidden - ${reason}`)
  }
  addresses.set(ip, now)
}
