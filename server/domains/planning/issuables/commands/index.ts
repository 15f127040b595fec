import type { CommandName } from '../../../discussions/index.ts'
import { copyMetadata } from './copy.ts'
import { assign, reassign, unassign } from './people.ts'
import type { Executor } from './target.ts'
import { label, milestone, relabel, removeMilestone, unlabel } from './planning.ts'
import { award, close, lock, reopen, subscription, title, todo } from './state.ts'
import { estimate, removeEstimate, removeTimeSpent, spend } from './time.ts'

const SHARED: Partial<Record<CommandName, Executor>> = {
  assign,
  unassign,
  reassign,
  label,
  unlabel,
  relabel,
  milestone,
  remove_milestone: removeMilestone,
  title,
  close,
  reopen,
  lock,
  unlock: lock,
  subscribe: subscription,
  unsubscribe: subscription,
  todo,
  done: todo,
  award,
  estimate,
  remove_estimate: removeEstimate,
  spend,
  remove_time_spent: removeTimeSpent,
  copy_metadata: copyMetadata,
}

/**
 * Carries out a command that issues and merge requests share; undefined for others, and where it does not apply. The place
 * says how its kind is changed; `issuable` must be as it is now.
 */
export const runShared: Executor = (target, command) => SHARED[command.name]?.(target, command)
