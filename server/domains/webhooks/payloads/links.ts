import type { Ctx } from '../../../ctx.ts'

/** Page of a user. */
export function userUrl(ctx: Pick<Ctx, 'config'>, user: { readonly username: string }): string {
  return `${ctx.config.url}/${user.username}`
}
