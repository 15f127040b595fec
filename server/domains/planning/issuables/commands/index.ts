import type { CommandName } from '../../../discussions/index.ts'
import type { Executor } from './target.ts'
import {
  label,
  milestone,
  relabel,
  removeMilestone,
  unlabel,
  copyMetadata,
  assign,
  reassign,
  unassign,
  estimate,
  removeEstimate,
  removeTimeSpent,
  spend,
} from './planning.ts'
import { award, close, lock, reopen, subscription, title, todo } from './state.ts'

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
 * Runs a quick action that both issues and merge requests have. Returns undefined for other actions and for an action
 * that does not apply. The `issuable` of the target must be current.
 */
export const runShared: Executor = (target, command) => SHARED[command.name]?.(target, command)
