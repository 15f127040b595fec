import type { Command } from './parse.ts'

/** What one command did. */
export interface CommandResult {
  /**
   * What changed, under the contract's names, as `commands_changes` of a note shows it: `assignee_ids`, `reviewer_ids`,
   * `add_label_ids`, `remove_label_ids`, `label_ids`, `milestone_id`, `state_event`, `title`, `due_date`, `confidential`,
   * `discussion_locked`, `time_estimate`, `spend_time`, `weight`, `health_status`, `emoji_award`, `todo_event`,
   * `subscription_event`, `target_branch`, `merge`, `rebase`, `wip_event`, `canonical_issue_id`. Empty where the command
   * was understood but could not do what it says.
   */
  readonly changes?: Readonly<Record<string, unknown>>
  /** One sentence for whoever wrote it: `Assigned @a.`, or why it did not work. */
  readonly message: string
}

/** What the commands of one note did, all together. */
export interface CommandOutcome {
  readonly changes: Readonly<Record<string, unknown>>
  /** One sentence for each command that applied, in their order; empty when none did. */
  readonly summary: readonly string[]
}

/**
 * Runs commands one after the other and gathers what they did. `run` gives undefined for a command that does not apply:
 * to this kind of record, in its state, or for this actor; such commands are passed over in silence.
 */
export async function runEach(
  commands: readonly Command[],
  run: (command: Command) => CommandResult | undefined | Promise<CommandResult | undefined>,
): Promise<CommandOutcome> {
  const changes: Record<string, unknown> = {}
  const summary: string[] = []
  for (const command of commands) {
    const result = await run(command)
    if (!result) continue
    Object.assign(changes, result.changes)
    summary.push(result.message)
  }
  return { changes, summary }
}
