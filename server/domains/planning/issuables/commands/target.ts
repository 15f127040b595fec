import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import type { Command, CommandResult } from '../../../discussions/index.ts'
import { userByUsername, type UserRow } from '../../../users/index.ts'
import type { LabelRow } from '../../labels/label.ts'
import { availableLabels } from '../../labels/store.ts'
import { milestoneTitled, type MilestoneRow } from '../../milestones/store.ts'
import type { Issuable } from '../issuable.ts'

/** The maximum number of names in one quick action. */
const MAX_NAMES = 200

/** Returns the users that `@a @b`, `a, b` or `me` name. Ignores unknown names. */
export function usersIn(ctx: Ctx, args: string): UserRow[] {
  const names = args.split(/[\s,]+/).flatMap((word) => {
    const name = word.replace(/^@/, '')
    if (name === '' || name === 'and') return []
    return name.toLowerCase() === 'me' && ctx.actor.kind === 'user' ? [ctx.actor.username] : [name]
  })
  const uniqueNames = [...new Set(names)].slice(0, MAX_NAMES)
  const users = uniqueNames.flatMap((name) => userByUsername(ctx.db, name) ?? [])
  return [...new Map(users.map((user) => [user.id, user])).values()]
}

/** Returns the labels of the project that `~bug ~"two words"` or `bug, "two words"` name, in any case. */
export function labelsIn(ctx: Ctx, project: Project, args: string): LabelRow[] {
  const available = availableLabels(ctx.db, project)
  const byTitle = new Map(available.map((label) => [label.title.toLowerCase(), label]))
  const byId = new Map(available.map((label) => [String(label.id), label]))
  const words = [...args.matchAll(/~?"([^"]+)"|~?([^\s,~"]+)/g)].map((match) => match[1] ?? match[2]!)
  const exact = byTitle.get(args.replace(/^~?"?|"?$/g, '').toLowerCase())
  const labels = words.flatMap((word) => byTitle.get(word.toLowerCase()) ?? byId.get(word) ?? [])
  return [...new Set(labels.length === 0 && exact ? [exact] : labels)]
}

/** Returns the milestone of the project that `%"1.0"`, `%1.0` or `1.0` names. */
export function milestoneIn(ctx: Ctx, project: Project, args: string): MilestoneRow | undefined {
  const title = args.replace(/^%/, '').replace(/^"(.*)"$/, '$1')
  return title === '' ? undefined : milestoneTitled(ctx.db, project, title)
}

/** Formats labels as `~"two words" ~bug`. */
export function labelNames(labels: readonly LabelRow[]): string {
  return labels.map(({ title }) => (/[\s~"]/.test(title) ? `~"${title}"` : `~${title}`)).join(' ')
}

/**
 * The changes of a quick action, named as the parameters of the endpoint that updates the issue or merge request.
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
