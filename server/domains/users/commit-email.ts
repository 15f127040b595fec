import type { Ctx } from '../../ctx.ts'
import { settingsOf } from '../settings/index.ts'

/** The word that stands for the private address in `commit_email`. */
export const PRIVATE_EMAIL = '_private'

/** The part behind the `@` of private addresses. */
function privateHost(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): string {
  return settingsOf(ctx).commit_email_hostname || `users.noreply.${new URL(ctx.config.url).hostname}`
}

/** An address that names a user in commits and gives nothing away. */
export function privateEmail(
  ctx: Pick<Ctx, 'db' | 'now' | 'config'>,
  user: { id: number; username: string },
): string {
  return `${user.id}-${user.username}@${privateHost(ctx)}`
}

/** The id of the user whom a private address names, whatever they are called by now; undefined for other addresses. */
export function userOfPrivateEmail(
  ctx: Pick<Ctx, 'db' | 'now' | 'config'>,
  email: string,
): number | undefined {
  const [, id, host] = /^(\d{1,15})-[^@]+@(.+)$/.exec(email) ?? []
  return id !== undefined && host?.toLowerCase() === privateHost(ctx).toLowerCase() ? Number(id) : undefined
}
