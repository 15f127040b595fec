import type { Ctx } from '../../ctx.ts'
import { publish } from '../../events/publish.ts'
import { isAble } from '../../policy/ability.ts'
import { inNameOf, peopleSentence, touch, type Difference } from '../planning/index.ts'
import { writeSystemNote } from '../discussions/index.ts'
import { project as scope, type Project } from '../projects/index.ts'
import { ReviewersChanged } from './events.ts'
import { eventOf } from './service-events.ts'
import type { MergeRequestRow } from './merge-request.ts'
import { mergeRequestNoteable } from './noteable.ts'
import { abilities } from './policy.ts'
import { usersById } from '../users/index.ts'
import * as store from './store.ts'
import type { ReviewerView } from './view-row.ts'

/** Those of some users who may see the merge requests of a project; nobody else is asked to do something with them. */
export function whoMaySee(ctx: Ctx, project: Project, ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => {
    const theirs = inNameOf(ctx, id)
    if (!theirs) return false
    const isVisible =
      theirs.actor.is_admin || scope.openTo(theirs.actor, project) || scope.roleOf(theirs, project) > 0
    return isVisible && isAble(theirs, scope, abilities.read_merge_request, project)
  })
}

/** Asks exactly these users to review. To be called in the transaction of the change. */
export function setReviewers(ctx: Ctx, request: MergeRequestRow, ids: readonly number[]): Difference {
  const before = store.reviewersOf(ctx.db, [request.id]).map((row) => row.user_id)
  const added = [...new Set(ids)].filter((id) => !before.includes(id))
  const removed = before.filter((id) => !ids.includes(id))
  if (added.length + removed.length === 0) return { added, removed }
  for (const id of added) store.addReviewer(ctx.db, request.id, id, ctx.now)
  for (const id of removed) store.removeReviewer(ctx.db, request.id, id)
  const words = ['requested review from', 'removed review request for'] as const
  const body = peopleSentence(ctx, { added, removed }, words)
  writeSystemNote(ctx, mergeRequestNoteable(request), { action: 'reviewer', body })
  const changes = touch(ctx, { kind: 'MergeRequest', id: request.id })
  publish(ctx, ReviewersChanged, { ...eventOf(ctx, request), added, removed, changes })
  return { added, removed }
}

/** Who is asked to review, and whether they did. */
export function reviewersOf(ctx: Ctx, request: MergeRequestRow): ReviewerView[] {
  const rows = store.reviewersOf(ctx.db, [request.id])
  const users = usersById(
    ctx.db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => ({ ...row, user: users.get(row.user_id)! }))
}
