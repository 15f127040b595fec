import { labelsByIds } from '../../labels/store.ts'
import { milestonesByIds } from '../../milestones/store.ts'
import { labelIdsOf } from '../store.ts'
import type { CommandTarget, Executor } from './target.ts'
import { labelNames, labelsIn, milestoneIn } from './words.ts'

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
  const current = [...labelsByIds(ctx.db, labelIdsOf(ctx.db, issuable.kind, issuable.id)).values()]
  const named = labelsIn(ctx, target.project, args)
  const labels = args === '' ? current : current.filter((one) => ids(named).includes(one.id))
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
  const found = milestoneIn(target.ctx, target.project, args)
  if (!target.mayPlan || !found) return undefined
  await target.change({ milestone_id: found.id })
  return { changes: { milestone_id: found.id }, message: `Set the milestone to %"${found.title}".` }
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
