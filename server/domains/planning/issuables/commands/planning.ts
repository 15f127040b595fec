import { labelsByIds } from '../../labels/store.ts'
import { milestonesByIds } from '../../milestones/store.ts'
import { resolveIssuable } from '../store-references.ts'
import { labelIdsOf, assigneeIdsOf } from '../store.ts'
import { referencesIn } from '../text-references.ts'
import { parseDuration, addSpentTime, resetSpentTime, setEstimate, timeWords } from '../time.ts'
import { type CommandTarget, type Executor, labelNames, labelsIn, milestoneIn, usersIn } from './target.ts'

/** `/estimate 1d 4h`. */
export const estimate: Executor = ({ ctx, issuable, mayPlan }, { args }) => {
  const seconds = parseDuration(args)
  if (!mayPlan || seconds === undefined || seconds <= 0) return undefined
  setEstimate(ctx, issuable, seconds)
  return { changes: { time_estimate: seconds }, message: `Set time estimate to ${timeWords(ctx, seconds)}.` }
}

/** `/remove_estimate`. */
export const removeEstimate: Executor = ({ ctx, issuable, mayPlan }) => {
  if (!mayPlan || issuable.time_estimate === 0) return undefined
  setEstimate(ctx, issuable, 0)
  return { changes: { time_estimate: 0 }, message: 'Removed time estimate.' }
}

/** `/spend 1h 30m`, `/spend -30m`, `/spend 1h 2026-11-20`. */
export const spend: Executor = ({ ctx, issuable, mayPlan }, { args }) => {
  const date = /\s(\d{4}-\d{2}-\d{2})$/.exec(args)
  const [duration, day] = date ? [args.slice(0, date.index), date[1]] : [args, undefined]
  const seconds = parseDuration(duration)
  const isDay = day === undefined || !Number.isNaN(Date.parse(day))
  const spent_at = day === undefined ? ctx.now : `${day}T00:00:00.000Z`
  if (!mayPlan || !seconds || !isDay || spent_at > ctx.now) return undefined
  if (issuable.total_time_spent + seconds < 0) return undefined
  addSpentTime(ctx, issuable, { seconds, spent_at })
  const verb = seconds > 0 ? 'Added' : 'Subtracted'
  return {
    changes: { spend_time: { duration: seconds, spent_at: spent_at.slice(0, 10) } },
    message: `${verb} ${timeWords(ctx, Math.abs(seconds))} spent time.`,
  }
}

/** `/remove_time_spent`. */
export const removeTimeSpent: Executor = ({ ctx, issuable, mayPlan }) => {
  if (!mayPlan || issuable.total_time_spent === 0) return undefined
  resetSpentTime(ctx, issuable)
  return { changes: { spend_time: { duration: 'reset' } }, message: 'Removed spent time.' }
}

const currentAssignees = ({ ctx, issuable }: CommandTarget) =>
  assigneeIdsOf(ctx.db, issuable.kind, issuable.id)

async function assignTo(target: CommandTarget, ids: readonly number[]): Promise<number[]> {
  await target.change({ assignee_ids: ids })
  return currentAssignees(target)
}

const names = (users: readonly { readonly username: string }[]): string =>
  users.map((user) => `@${user.username}`).join(', ')

/** `/assign @a @b me`. */
export const assign: Executor = async (target, { args }) => {
  const users = usersIn(target.ctx, args)
  if (!target.mayPlan || users.length === 0) return undefined
  const assigneeIds = await assignTo(target, [...currentAssignees(target), ...users.map((user) => user.id)])
  const matching = users.filter((user) => assigneeIds.includes(user.id))
  if (matching.length === 0) return { message: 'Failed to assign users.' }
  return { changes: { assignee_ids: assigneeIds }, message: `Assigned ${names(matching)}.` }
}

/** `/unassign @a`. Without names it removes all assignees. */
export const unassign: Executor = async (target, { args }) => {
  const before = currentAssignees(target)
  const users = usersIn(target.ctx, args).filter((user) => before.includes(user.id))
  if (!target.mayPlan || before.length === 0 || (args !== '' && users.length === 0)) return undefined
  const removedIds = users.map((user) => user.id)
  const assigneeIds = await assignTo(
    target,
    args === '' ? [] : before.filter((id) => !removedIds.includes(id)),
  )
  return {
    changes: { assignee_ids: assigneeIds },
    message: args === '' ? 'Removed all assignees.' : `Removed assignee ${names(users)}.`,
  }
}

/** `/reassign @a`: replaces the assignees. */
export const reassign: Executor = async (target, { args }) => {
  const users = usersIn(target.ctx, args)
  if (!target.mayPlan || users.length === 0) return undefined
  const assigneeIds = await assignTo(
    target,
    users.map((user) => user.id),
  )
  return { changes: { assignee_ids: assigneeIds }, message: `Changed assignee(s) to ${names(users)}.` }
}

/** `/copy_metadata #1`: copies the labels and the milestone of another issue or merge request of the project. */
export const copyMetadata: Executor = async (target, { args }) => {
  const { ctx, project } = target
  const [reference] = referencesIn(args, ctx.config.url)
  const issuable = reference && resolveIssuable(ctx, project, reference)
  if (!target.mayPlan || !issuable || issuable.project.id !== project.id) return undefined
  const { kind, id, milestone_id } = issuable.issuable
  const labels = [...labelsByIds(ctx.db, labelIdsOf(ctx.db, kind, id)).values()]
  const milestone =
    milestone_id === null ? undefined : milestonesByIds(ctx.db, [milestone_id]).get(milestone_id)
  await target.change({
    ...(labels.length > 0 ? { add_labels: labels.map((label) => label.title) } : {}),
    ...(milestone ? { milestone_id: milestone.id } : {}),
  })
  return {
    changes: { add_label_ids: labels.map((label) => label.id), milestone_id: milestone?.id ?? null },
    message: `Copied labels and milestone from ${args}.`,
  }
}

const titles = (labels: readonly { readonly title: string }[]) => labels.map((label) => label.title)
const ids = (labels: readonly { readonly id: number }[]) => labels.map((label) => label.id)
const plural = (count: number): string => (count === 1 ? 'label' : 'labels')

/** `/label ~bug ~"two words"`. */
export const label: Executor = async (target, { args }) => {
  const labels = labelsIn(target.ctx, target.project, args)
  if (!target.mayPlan || labels.length === 0) return undefined
  await target.change({ add_labels: titles(labels) })
  return {
    changes: { add_label_ids: ids(labels) },
    message: `Added ${labelNames(labels)} ${plural(labels.length)}.`,
  }
}

/** `/unlabel ~bug`. Without names it removes all labels. */
export const unlabel: Executor = async (target, { args }) => {
  if (!target.mayPlan) return undefined
  const { ctx, issuable } = target
  const currentLabels = [...labelsByIds(ctx.db, labelIdsOf(ctx.db, issuable.kind, issuable.id)).values()]
  const selected = labelsIn(ctx, target.project, args)
  const labels =
    args === '' ? currentLabels : currentLabels.filter((entry) => ids(selected).includes(entry.id))
  if (labels.length === 0) return undefined
  await target.change({ remove_labels: titles(labels) })
  return {
    changes: { remove_label_ids: ids(labels) },
    message: args === '' ? 'Removed all labels.' : `Removed ${labelNames(labels)} ${plural(labels.length)}.`,
  }
}

/** `/relabel ~bug`: replaces the labels. */
export const relabel: Executor = async (target, { args }) => {
  const labels = labelsIn(target.ctx, target.project, args)
  if (!target.mayPlan || labels.length === 0) return undefined
  await target.change({ labels: titles(labels) })
  return {
    changes: { label_ids: ids(labels) },
    message: `Replaced all labels with ${labelNames(labels)} ${plural(labels.length)}.`,
  }
}

/** `/milestone %"1.0"`. */
export const milestone: Executor = async (target, { args }) => {
  const match = milestoneIn(target.ctx, target.project, args)
  if (!target.mayPlan || !match) return undefined
  await target.change({ milestone_id: match.id })
  return { changes: { milestone_id: match.id }, message: `Set the milestone to %"${match.title}".` }
}

/** `/remove_milestone`. */
export const removeMilestone: Executor = async (target) => {
  const { issuable } = target
  if (!target.mayPlan || issuable.milestone_id === null) return undefined
  const title = milestoneTitle(target, issuable.milestone_id)
  await target.change({ milestone_id: 0 })
  return { changes: { milestone_id: null }, message: `Removed %"${title}" milestone.` }
}

function milestoneTitle({ ctx }: CommandTarget, id: number): string {
  return milestonesByIds(ctx.db, [id]).get(id)?.title ?? ''
}
