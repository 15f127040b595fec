import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { findGroup, deleteGroup } from '../../groups/index.ts'
import { namespaceOfUser, namespaceByPath } from '../../namespaces/index.ts'
import { deleteProjectsIn } from '../../projects/index.ts'
import { SnippetDeleted } from '../../snippets/events.ts'
import { UserDeleted } from '../../users/events.ts'
import { removeUser, userById, userByUsername, isLastAdmin, type UserRow } from '../../users/index.ts'
import * as store from '../store.ts'
import { ghostId } from '../store.ts'
import { createAccount } from '../../auth/index.ts'
import { deleteSnippets } from '../../snippets/index.ts'
import { job, type Job, enqueue } from '../../../jobs/job.ts'
import { removeAvatar } from '../../storage/index.ts'
import { fail } from '../../../lib/fail.ts'
import { changeState } from '../states/change.ts'

const GHOST_USERNAME = 'ghost'
const GHOST_BIO = 'This user has the contributions of deleted users. It cannot be removed.'

function unusedUsername(ctx: Ctx): string {
  const isTaken = (name: string) =>
    userByUsername(ctx.db, name) !== undefined || namespaceByPath(ctx.db, name) !== undefined
  let number = 0
  let name = GHOST_USERNAME
  while (isTaken(name)) name = `${GHOST_USERNAME}${++number}`
  return name
}

/** Returns the id of the ghost user, and creates this user on the first call. Runs in the caller's transaction. */
export function ensureGhost(ctx: Ctx): number {
  const existing = ghostId(ctx.db)
  if (existing !== undefined) return existing
  const username = unusedUsername(ctx)
  const created = createAccount(ctx, {
    username,
    name: 'Ghost User',
    // The domain `.invalid` is reserved, so no other user can have the address.
    email: `${username}@ghost.invalid`,
    password_hash: null,
    can_create_group: false,
    projects_limit: 0,
    external: false,
    columns: { kind: 'ghost', bio: GHOST_BIO, private_profile: false, created_by_id: null },
  })
  return created.id
}

/** The kind of a deletion. A hard one also deletes contributions, and groups with the user as the only owner. */
interface DeletionKind {
  readonly isHard: boolean
}

/**
 * Deletes a user with the personal namespace, its projects and the personal snippets. Other contributions move to the
 * ghost user, or are deleted with a hard deletion. Does nothing for a deleted user.
 */
export function deleteUser(
  ctx: Ctx,
  userId: number,
  options: DeletionKind & { actor_id: number | null },
): void {
  tx(ctx.db, () => {
    const user = userById(ctx.db, userId)
    if (!user || user.kind === 'ghost') return
    if (options.isHard) deleteSoleOwnedGroups(ctx, userId)
    const namespace = namespaceOfUser(ctx.db, userId)
    if (namespace) deleteProjectsIn(ctx, [namespace.id])
    for (const { id, project_id, ...location } of deleteSnippets(ctx.db, userId, options.isHard)) {
      const scope = project_id === null ? {} : { project_id }
      publish(ctx, SnippetDeleted, { snippet_id: id, ...scope, actor_id: options.actor_id, ...location })
    }
    if (options.isHard) store.deleteContributions(ctx.db, userId)
    else store.moveToGhost(ctx.db, userId, ensureGhost(ctx))
    removeUser(ctx.db, userId)
    const { username, name, email, public_email, created_at, updated_at } = user
    publish(ctx, UserDeleted, {
      user_id: userId,
      actor_id: options.actor_id,
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
    // A subgroup was deleted with its parent group.
    const group = findGroup(ctx, String(id))
    if (group) deleteGroup(ctx, group)
  }
}

/** Deletes a user and their avatar in the background. */
const deleteUserJob = job(
  'accounts.delete_user',
  { args: { user_id: z.number(), is_hard: z.boolean(), actor_id: z.number().nullable() } },
  async (ctx, { user_id, is_hard, actor_id }) => {
    deleteUser(ctx, user_id, { isHard: is_hard, actor_id })
    await removeAvatar(ctx, 'user', user_id)
  },
)

export const jobs: Job[] = [deleteUserJob]

/**
 * Blocks an account and deletes it in the background. Throws 409 for the only administrator, and for the only owner
 * of a group unless the deletion is hard; 403 for internal users.
 */
export function scheduleDeletion(ctx: Ctx, user: UserRow, { isHard }: DeletionKind): void {
  if (user.kind === 'ghost') throw fail('forbidden', '403 Forbidden - An internal user cannot be removed')
  if (isLastAdmin(ctx.db, user)) throw fail('conflict', 'The only administrator cannot be removed')
  tx(ctx.db, () => {
    if (!isHard && store.soleOwnedGroups(ctx.db, user.id).length > 0)
      throw fail('conflict', 'User cannot be removed while is the sole-owner of a group')
    if (user.state !== 'blocked') changeState(ctx, user, 'blocked')
    const args = { user_id: user.id, is_hard: isHard, actor_id: ctx.actor.id }
    enqueue(ctx, deleteUserJob, args, { key: `user:${user.id}` })
  })
}
