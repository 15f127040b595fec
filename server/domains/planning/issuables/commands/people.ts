import { assigneeIdsOf } from '../store.ts'
import type { CommandTarget, Executor } from './target.ts'
import { usersIn } from './words.ts'

const current = ({ ctx, issuable }: CommandTarget) => assigneeIdsOf(ctx.db, issuable.kind, issuable.id)

async function assignTo(target: CommandTarget, ids: readonly number[]): Promise<number[]> {
  await target.change({ assignee_ids: ids })
  return current(target)
}

const names = (users: readonly { readonly username: string }[]): string =>
  users.map((user) => `@${user.username}`).join(', ')

/** `/assign @a @b me`. */
export const assign: Executor = async (target, { args }) => {
  const users = usersIn(target.ctx, args)
  if (!target.mayPlan || users.length === 0) return undefined
  const now = await assignTo(target, [...current(target), ...users.map((user) => user.id)])
  const given = users.filter((user) => now.includes(user.id))
  if (given.length === 0) return { message: 'Failed to assign users.' }
  return { changes: { assignee_ids: now }, message: `Assigned ${names(given)}.` }
}

/** `/unassign @a`. Without names it removes all assignees. */
export const unassign: Executor = async (target, { args }) => {
  const before = current(target)
  const users = usersIn(target.ctx, args).filter((user) => before.includes(user.id))
  if (!target.mayPlan || before.length === 0 || (args !== '' && users.length === 0)) return undefined
  const gone = users.map((user) => user.id)
  const now = await assignTo(target, args === '' ? [] : before.filter((id) => !gone.includes(id)))
  return {
    changes: { assignee_ids: now },
    message: args === '' ? 'Removed all assignees.' : `Removed assignee ${names(users)}.`,
  }
}

/** `/reassign @a`: replaces the assignees. */
export const reassign: Executor = async (target, { args }) => {
  const users = usersIn(target.ctx, args)
  if (!target.mayPlan || users.length === 0) return undefined
  const now = await assignTo(
    target,
    users.map((user) => user.id),
  )
  return { changes: { assignee_ids: now }, message: `Changed assignee(s) to ${names(users)}.` }
}
