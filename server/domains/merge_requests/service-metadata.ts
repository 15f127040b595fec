import type { Ctx } from '../../ctx.ts'
import { publish } from '../../events/publish.ts'
import { GUEST } from '../../policy/levels.ts'
import { writeSystemNote } from '../discussions/index.ts'
import {
  issuableOf,
  labelIdsOf,
  labelsNamed,
  milestoneFor,
  peopleSentence,
  setAssignees,
  setLabels,
  setMilestone,
  touch,
  type Difference,
} from '../planning/index.ts'
import { project as scope, type Project } from '../projects/index.ts'
import { usersById } from '../users/index.ts'
import { eventFields, ReviewersChanged } from './events.ts'
import { usersWhoMayRead } from './policy.ts'
import { mergeRequestNoteable } from './service-notes.ts'
import * as store from './store.ts'
import type { MergeRequestRow, ReviewerView } from './types.ts'

/** The people, labels and milestone of a merge request, which project members may set. */
export interface Metadata {
  readonly assignee_ids?: readonly number[] | undefined
  readonly reviewer_ids?: readonly number[] | undefined
  /** Titles that replace the current labels; null clears. */
  readonly labels?: readonly string[] | null | undefined
  readonly add_labels?: readonly string[] | null | undefined
  readonly remove_labels?: readonly string[] | null | undefined
  /** 0 or null removes the milestone. */
  readonly milestone_id?: number | null | undefined
}

/** Whether the actor may set metadata: as a member of the project. */
function maySetMetadata(ctx: Ctx, project: Project): boolean {
  return ctx.actor.is_admin || scope.roleOf(ctx, project) >= GUEST
}

/**
 * Sets the given people, labels and milestone. Skips users who may not read the merge request, and milestones of other
 * projects. Call it in the transaction of the change.
 */
export function setMetadata(ctx: Ctx, project: Project, request: MergeRequestRow, metadata: Metadata): void {
  if (!maySetMetadata(ctx, project)) return
  const issuable = issuableOf('MergeRequest', request)
  if (metadata.assignee_ids) setAssignees(ctx, issuable, usersWhoMayRead(ctx, project, metadata.assignee_ids))
  if (metadata.reviewer_ids) setReviewers(ctx, request, usersWhoMayRead(ctx, project, metadata.reviewer_ids))
  const labels = newLabelIds(ctx, project, request, metadata)
  if (labels) setLabels(ctx, issuable, labels)
  if (metadata.milestone_id !== undefined) {
    const milestone = metadata.milestone_id ? milestoneFor(ctx.db, project, metadata.milestone_id) : null
    if (milestone !== undefined) setMilestone(ctx, issuable, milestone?.id ?? null)
  }
}

/** Returns the IDs of the new labels. Undefined for no change. */
function newLabelIds(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  { labels, add_labels, remove_labels }: Metadata,
): number[] | undefined {
  if (labels === undefined && !add_labels && !remove_labels) return undefined
  const labelsWith = (titles: readonly string[], create: boolean) =>
    labelsNamed(ctx, project, titles, { create }).map(({ id }) => id)
  const base =
    labels === undefined ? labelIdsOf(ctx.db, 'MergeRequest', request.id) : labelsWith(labels ?? [], true)
  const removed = labelsWith(remove_labels ?? [], false)
  return [...base, ...labelsWith(add_labels ?? [], true)].filter((id) => !removed.includes(id))
}

/** Replaces the reviewers. Call it in the transaction of the change. */
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
  publish(ctx, ReviewersChanged, { ...eventFields(ctx, request), added, removed, changes })
  return { added, removed }
}

/** Lists the reviewers with their state. */
export function reviewersOf(ctx: Ctx, request: MergeRequestRow): ReviewerView[] {
  const rows = store.reviewersOf(ctx.db, [request.id])
  const users = usersById(
    ctx.db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => ({ ...row, user: users.get(row.user_id)! }))
}
