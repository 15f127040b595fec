import { createHash } from 'node:crypto'

import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { byPublicEmail, type UserBasicRow } from './store.ts'

/** The picture that belongs to an address: of a user, or looked up elsewhere. */
export interface AvatarView {
  readonly user: UserBasicRow | undefined
  /** Address of the lookup, where the settings allow it. */
  readonly elsewhere: string | null
}

const DEFAULT_SIZE = 80

/** Throws 403 to strangers when nothing is public here (spec core 7.3). */
export function avatarOf(ctx: Ctx, email: string, size: number = DEFAULT_SIZE): AvatarView {
  const settings = settingsOf(ctx)
  const isShut = settings.restricted_visibility_levels.includes('public')
  if (ctx.actor.kind === 'anonymous' && isShut) throw fail('forbidden', '403 Forbidden - Unauthorized access')
  const hash = createHash('md5').update(email.trim().toLowerCase()).digest('hex')
  return {
    user: byPublicEmail(ctx.db, email),
    elsewhere: settings.gravatar_enabled
      ? `https://www.gravatar.com/avatar/${hash}?s=${size}&d=identicon`
      : null,
  }
}
