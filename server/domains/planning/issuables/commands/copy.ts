import { labelsByIds } from '../../labels/store.ts'
import { milestonesByIds } from '../../milestones/store.ts'
import { resolveIssuable } from '../store-references.ts'
import { labelIdsOf } from '../store.ts'
import { referencesIn } from '../text-references.ts'
import type { Executor } from './target.ts'

/** `/copy_metadata #1`: copies the labels and the milestone of another issue or merge request of the project. */
export const copyMetadata: Executor = async (target, { args }) => {
  const { ctx, project } = target
  const [reference] = referencesIn(args, ctx.config.url)
  const found = reference && resolveIssuable(ctx, project, reference)
  if (!target.mayPlan || !found || found.project.id !== project.id) return undefined
  const { kind, id, milestone_id } = found.issuable
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
