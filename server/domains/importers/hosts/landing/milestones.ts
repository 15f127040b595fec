import { q } from '../../../../db/database.ts'
import { keepIid } from '../../../planning/index.ts'
import { milestoneTitled } from '../../../planning/index.ts'
import { CannotLand } from './cannot-land.ts'
import { landed, once, projectOf, type ImportTarget } from './target.ts'
import type { NewMilestone } from './inputs.ts'
import { textOf, timeOf, titleOf } from './texts.ts'

const BY_IID = 'milestone_iid'

/** See Landing.milestone. */
export function landMilestone(target: ImportTarget, given: NewMilestone): number | null {
  return once(target, 'milestone', given.source_key, () => {
    const id = insert(target, given)
    // What is planned for it names its number there, which need not be the one here.
    once(target, BY_IID, String(given.iid), () => id)
    return id
  })
}

/** The milestone that had a number at the other host; null without one. */
export function milestoneId(target: ImportTarget, iid: number | null | undefined): number | null {
  return iid == null ? null : (landed(target, BY_IID, String(iid)) ?? null)
}

function insert(target: ImportTarget, given: NewMilestone): number {
  const { ctx, projectId } = target
  const title = titleOf(given.title, `Milestone ${given.iid}`)
  const same = milestoneTitled(ctx.db, projectOf(target), title)
  if (same) return same.id
  if (!Number.isSafeInteger(given.iid) || given.iid < 1) throw new CannotLand('A milestone has no number.')
  const created_at = timeOf(given.created_at)
  keepIid(ctx.db, { project_id: projectId }, 'milestones', given.iid)
  return ctx.db.run(
    q.insertInto('milestones').values({
      iid: given.iid,
      project_id: projectId,
      group_id: null,
      title,
      description: textOf(given.description) || null,
      state: given.state,
      due_date: given.due_date ? timeOf(given.due_date).slice(0, 10) : null,
      created_at,
      updated_at: given.updated_at ? timeOf(given.updated_at) : created_at,
    }),
  ).id
}
