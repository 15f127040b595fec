import type { Ctx } from '../../ctx.ts'
import { GUEST } from '../../policy/levels.ts'
import { issuableOf, labelIdsOf, setAssignees, setLabels, setMilestone } from '../planning/index.ts'
import { labelsNamed } from '../planning/index.ts'
import { milestoneFor } from '../planning/index.ts'
import { project as scope, type Project } from '../projects/index.ts'
import type { MergeRequestRow } from './merge-request.ts'
import { setReviewers, whoMaySee } from './people.ts'

/** What people of the project say about a merge request, whoever wrote it. */
export interface Metadata {
  readonly assignee_ids?: readonly number[] | undefined
  readonly reviewer_ids?: readonly number[] | undefined
  /** Titles; the list replaces what is there, null clears. */
  readonly labels?: readonly string[] | null | undefined
  readonly add_labels?: readonly string[] | null | undefined
  readonly remove_labels?: readonly string[] | null | undefined
  /** 0 or null for none. */
  readonly milestone_id?: number | null | undefined
}

/** Whether the actor may say such things: who belongs to the project. */
function maySet(ctx: Ctx, project: Project): boolean {
  return ctx.actor.is_admin || scope.roleOf(ctx, project) >= GUEST
}

/**
 * Sets people, labels and milestone as far as they are given; users who cannot see the merge request and milestones of
 * elsewhere are passed over. To be called in the transaction of the change.
 */
export function setMetadata(ctx: Ctx, project: Project, request: MergeRequestRow, given: Metadata): void {
  if (!maySet(ctx, project)) return
  const issuable = issuableOf('MergeRequest', request)
  if (given.assignee_ids) setAssignees(ctx, issuable, whoMaySee(ctx, project, given.assignee_ids))
  if (given.reviewer_ids) setReviewers(ctx, request, whoMaySee(ctx, project, given.reviewer_ids))
  const labels = wantedLabels(ctx, project, request, given)
  if (labels) setLabels(ctx, issuable, labels)
  if (given.milestone_id !== undefined) {
    const milestone = given.milestone_id ? milestoneFor(ctx.db, project, given.milestone_id) : null
    if (milestone !== undefined) setMilestone(ctx, issuable, milestone?.id ?? null)
  }
}

/** Ids of the labels it is to have; undefined for no change. */
function wantedLabels(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  { labels, add_labels, remove_labels }: Metadata,
): number[] | undefined {
  if (labels === undefined && !add_labels && !remove_labels) return undefined
  const named = (titles: readonly string[], create: boolean) =>
    labelsNamed(ctx, project, titles, { create }).map(({ id }) => id)
  const base =
    labels === undefined ? labelIdsOf(ctx.db, 'MergeRequest', request.id) : named(labels ?? [], true)
  const removed = named(remove_labels ?? [], false)
  return [...base, ...named(add_labels ?? [], true)].filter((id) => !removed.includes(id))
}
