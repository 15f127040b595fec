import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { updateNamespace } from '../namespaces/index.ts'
import { replaceAvatar } from '../storage/index.ts'
import { GroupUpdated } from './events.ts'
import type { Group } from './group.ts'

/** Puts the picture of a group at its place, or takes it away (null). Throws 400 `{avatar: […]}`. */
export async function keepAvatar(ctx: Ctx, group: Group, file: UploadedFile | null): Promise<Group> {
  return replaceAvatar(ctx, 'group', group.id, file, (avatar) =>
    tx(ctx.db, () => {
      publish(ctx, GroupUpdated, { group_id: group.id, actor_id: ctx.actor.id, changed: ['avatar'] })
      return updateNamespace(ctx.db, group.id, { avatar, updated_at: ctx.now }) as Group
    }),
  )
}
