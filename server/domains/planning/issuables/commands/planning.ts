import { labelsByIds } from '../../labels/store.ts'
import { milestonesByIds } from '../../milestones/store.ts'
import { labelIdsOf } from '../reads.ts'
import type { CommandTarget, Executor } from './target.ts'
import { labelNames, labelsIn, milestoneIn } from './words.ts'

const titles = (labels: readonly { readonly title: string }[]) => labels.map((label) => label.title)
const ids = (labels: readonly { readonly id: number }[]) => labels.map((label) => label.id)
const plural = (count: number): string => (count === 1 ? 'label' : 'labels')

/** `/label ~bug ~"two words"`. */
export const label: Executor = async (place, { args }) => {
  const labels = labelsIn(place.ctx, place.project, args)
  if (!place.mayPlan || labels.length === 0) return undefined
  await place.change({ add_labels: titles(labels) })
  return {
    changes: { add_label_ids: ids(labels) },
    message: `Added ${labelNames(labels)} ${plural(labels.length)}.`,
  }
}

/** `/unlabel ~bug`, or all. */
export const unlabel: Executor = async (place, { args }) => {
  if (!place.mayPlan) return undefined
  const { ctx, issuable } = place
  const current = [...labelsByIds(ctx.db, labelIdsOf(ctx.db, issuable.kind, issuable.id)).values()]
  const named = labelsIn(ctx, place.project, args)
  const labels = args === '' ? current : current.filter((one) => ids(named).includes(one.id))
  if (labels.length === 0) return undefined
  await place.change({ remove_labels: titles(labels) })
  return {
    changes: { remove_label_ids: ids(labels) },
    message: args === '' ? 'Removed all labels.' : `Removed ${labelNames(labels)} ${plural(labels.length)}.`,
  }
}

/** `/relabel ~bug`: exactly these. */
export const relabel: Executor = async (place, { args }) => {
  const labels = labelsIn(place.ctx, place.project, args)
  if (!place.mayPlan || labels.length === 0) return undefined
  await place.change({ labels: titles(labels) })
  return {
    changes: { label_ids: ids(labels) },
    message: `Replaced all labels with ${labelNames(labels)} ${plural(labels.length)}.`,
  }
}

/** `/milestone %"1.0"`. */
export const milestone: Executor = async (place, { args }) => {
  const found = milestoneIn(place.ctx, place.project, args)
  if (!place.mayPlan || !found) return undefined
  await place.change({ milestone_id: found.id })
  return { changes: { milestone_id: found.id }, message: `Set the milestone to %"${found.title}".` }
}

/** `/remove_milestone`. */
export const removeMilestone: Executor = async (place) => {
  const { issuable } = place
  if (!place.mayPlan || issuable.milestone_id === null) return undefined
  const title = milestoneTitle(place, issuable.milestone_id)
  await place.change({ milestone_id: 0 })
  return { changes: { milestone_id: null }, message: `Removed %"${title}" milestone.` }
}

function milestoneTitle({ ctx }: CommandTarget, id: number): string {
  return milestonesByIds(ctx.db, [id]).get(id)?.title ?? ''
}
