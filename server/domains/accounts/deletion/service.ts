import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { findGroup, deleteGroup } from '../../groups/index.ts'
import { namespaceOfUser } from '../../namespaces/index.ts'
import { deleteProjectsIn } from '../../projects/index.ts'
import { SnippetDeleted } from '../../snippets/events.ts'
import { UserDeleted } from '../../users/events.ts'
import { removeUser, userById } from '../../users/index.ts'
import { ghostOf } from './ghost.ts'
import * as store from './store.ts'

/** How a user goes: with everything they wrote, or leaving it to the ghost. */
export interface DeletionKind {
  readonly isHard: boolean
}

/**
 * Deletes a user with the personal namespace, its projects and the personal snippets. What else they wrote goes to the
 * ghost, or with them. Deleted already: nothing happens.
 */
export function deleteUser(ctx: Ctx, userId: number, how: DeletionKind & { actor_id: number | null }): void {
  tx(ctx.db, () => {
    const user = userById(ctx.db, userId)
    if (!user || user.kind === 'ghost') return
    if (how.isHard) deleteSoleOwnedGroups(ctx, userId)
    const own = namespaceOfUser(ctx.db, userId)
    if (own) deleteProjectsIn(ctx, [own.id])
    for (const { id, project_id, ...disk } of store.deleteSnippets(ctx.db, userId, how.isHard)) {
      const place = project_id === null ? {} : { project_id }
      publish(ctx, SnippetDeleted, { snippet_id: id, ...place, actor_id: how.actor_id, ...disk })
    }
    if (how.isHard) store.deleteWritings(ctx.db, userId)
    else store.giveToGhost(ctx.db, userId, ghostOf(ctx))
    removeUser(ctx.db, userId)
    const { username, name, email, public_email, created_at, updated_at } = user
    publish(ctx, UserDeleted, {
      user_id: userId,
      actor_id: how.actor_id,
      username,
      name,
      email,
      public_email,
      created_at,
      updated_at,
    })
  })
}

function deleteSoleOwnedGroups(ctx: Ctx, userId: number): void {
  for (const id of store.soleOwnedGroups(ctx.db, userId)) {
    // One that is below another of them went with it.
    const group = findGroup(ctx, String(id))
    if (group) deleteGroup(ctx, group)
  }
}
