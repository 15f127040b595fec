import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { awardable, toggleAward } from '../../../discussions/index.ts'
import { TodoMarked } from '../../events.ts'
import { eventFields } from '../changes.ts'
import { noteableOf, tablesOf } from '../issuable.ts'
import { isSubscribed, subscribe } from '../store-participants.ts'
import type { CommandTarget, Executor } from './target.ts'

const nounOf = ({ issuable }: CommandTarget): string => tablesOf(issuable.kind).noun

/** `/close`. */
export const close: Executor = async (target) => {
  if (!target.mayUpdate || target.issuable.state !== 'opened') return undefined
  await target.change({ state_event: 'close' })
  return { changes: { state_event: 'close' }, message: `Closed this ${nounOf(target)}.` }
}

/** `/reopen`. */
export const reopen: Executor = async (target) => {
  if (!target.mayUpdate || target.issuable.state !== 'closed') return undefined
  await target.change({ state_event: 'reopen' })
  return { changes: { state_event: 'reopen' }, message: `Reopened this ${nounOf(target)}.` }
}

/** `/title New title`. */
export const title: Executor = async (target, { args }) => {
  if (!target.mayUpdate || args === '' || args.length > 255) return undefined
  await target.change({ title: args })
  return { changes: { title: args }, message: `Changed the title to "${args}".` }
}

/** `/lock` and `/unlock`. */
export const lock: Executor = async (target, { name }) => {
  const locks = name === 'lock'
  if (!target.mayPlan || (target.issuable.discussion_locked === true) === locks) return undefined
  await target.change({ discussion_locked: locks })
  return {
    changes: { discussion_locked: locks },
    message: locks ? 'Locked the discussion.' : 'Unlocked the discussion.',
  }
}

/** `/subscribe` and `/unsubscribe`. */
export const subscription: Executor = (target, { name }) => {
  const subscribes = name === 'subscribe'
  const { ctx, issuable } = target
  if (isSubscribed(ctx.db, issuable, ctx.actor.id) === subscribes) return undefined
  subscribe(ctx, issuable, subscribes)
  return {
    changes: { subscription_event: name },
    message: `${subscribes ? 'Subscribed to' : 'Unsubscribed from'} this ${nounOf(target)}.`,
  }
}

/** `/todo` and `/done` change the to-do list of the actor. */
export const todo: Executor = ({ ctx, issuable }, { name }) => {
  const done = name === 'done'
  const user_id = ctx.actor.id
  if (user_id === null) return undefined
  tx(ctx.db, () => publish(ctx, TodoMarked, { ...eventFields(ctx, issuable), user_id, done }))
  return {
    changes: { todo_event: done ? 'done' : 'add' },
    message: done ? 'Marked to do as done.' : 'Added a to do.',
  }
}

/** `/award :thumbsup:`. */
export const award: Executor = async ({ ctx, issuable }, { args }) => {
  const name = args.replace(/^:(.*):$/, '$1')
  const toggled = name === '' ? undefined : await toggleAward(ctx, awardable(noteableOf(issuable)), name)
  return toggled && { changes: { emoji_award: name }, message: `Toggled :${name}: emoji award.` }
}
