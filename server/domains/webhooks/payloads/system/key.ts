import type { Ctx } from '../../../../ctx.ts'
import { type SshKeyRow, userById } from '../../../users/index.ts'
import type { HookEvent } from '../../recording/hook-event.ts'
import { systemEvent } from './event.ts'

/** The event of an SSH key as it is or was (spec administration 3.10); null where its owner is gone. */
export function keyLifeEvent(
  ctx: Pick<Ctx, 'db'>,
  key: Pick<SshKeyRow, 'id' | 'key' | 'created_at' | 'updated_at'> & { readonly user_id: number | null },
  name: 'key_create' | 'key_destroy',
): HookEvent | null {
  const user = userById(ctx.db, key.user_id ?? 0)
  return user ? systemEvent(name, key, { username: user.username, key: key.key, id: key.id }) : null
}
