import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import type { Command, CommandResult } from '../../../discussions/index.ts'
import type { Issuable } from '../issuable.ts'

/** What commands change, under the names of the parameters of the kind's own edit. */
export interface CommandChanges {
  readonly title?: string
  readonly assignee_ids?: readonly number[]
  readonly labels?: readonly string[]
  readonly add_labels?: readonly string[]
  readonly remove_labels?: readonly string[]
  /** 0 for none. */
  readonly milestone_id?: number
  readonly discussion_locked?: boolean
  readonly state_event?: 'close' | 'reopen'
}

/** Where commands are carried out, and what their actor may do there. */
export interface CommandTarget {
  readonly ctx: Ctx
  readonly project: Project
  /** As it is now. */
  readonly issuable: Issuable
  /** May change the title and the state. */
  readonly mayUpdate: boolean
  /** May set labels, people, milestone and time. */
  readonly mayPlan: boolean
  /** Changes it as the edit of its kind does. */
  change(changes: CommandChanges): unknown
}

/** Carries out one command; undefined where it does not apply. */
export type Executor = (
  target: CommandTarget,
  command: Command,
) => CommandResult | undefined | Promise<CommandResult | undefined>
