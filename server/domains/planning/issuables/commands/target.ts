import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import type { Command, CommandResult } from '../../../discussions/index.ts'
import type { Issuable } from '../issuable.ts'

/**
 * The changes of a quick action. The fields have the names of the parameters for updating the issue or merge request.
 */
export interface CommandChanges {
  readonly title?: string
  readonly assignee_ids?: readonly number[]
  readonly labels?: readonly string[]
  readonly add_labels?: readonly string[]
  readonly remove_labels?: readonly string[]
  /** 0 removes the milestone. */
  readonly milestone_id?: number
  readonly discussion_locked?: boolean
  readonly state_event?: 'close' | 'reopen'
}

/** The record that quick actions change, and what the actor may do with it. */
export interface CommandTarget {
  readonly ctx: Ctx
  readonly project: Project
  /** The current row. */
  readonly issuable: Issuable
  /** Whether the actor may change the title and the state. */
  readonly mayUpdate: boolean
  /** Whether the actor may set labels, people, milestone and time. */
  readonly mayPlan: boolean
  /** Updates the issue or merge request. */
  change(changes: CommandChanges): unknown
}

/** Runs one quick action. Returns undefined if it does not apply. */
export type Executor = (
  target: CommandTarget,
  command: Command,
) => CommandResult | undefined | Promise<CommandResult | undefined>
