import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/facts.ts'
import { columnChanges } from '../../../lib/column-changes.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { openInto } from '../diffs/store.ts'
import { MergeRequestUpdated } from '../events.ts'
import { factOf } from '../facts-of.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { mergeRequestNoteable } from '../noteable.ts'
import * as store from '../store.ts'
import { disarm } from './arming.ts'

/** Merge requests that are led on at most; more of them are nobody's chain. */
const MAX_LED = 4

/**
 * Leads merge requests that went into a branch which is merged and gone on to where it was merged: a chain of them stays
 * one. `ctx` acts for whoever removed the branch.
 */
export function retargetChain(ctx: Ctx, merged: MergeRequestRow): void {
  if (merged.source_project_id !== merged.project_id) return
  for (const request of openInto(ctx.db, merged.project_id, merged.source_branch).slice(0, MAX_LED)) {
    tx(ctx.db, () => retarget(ctx, request, merged.target_branch))
  }
}

function retarget(ctx: Ctx, request: MergeRequestRow, target_branch: string): void {
  if (request.source_project_id === request.project_id && request.source_branch === target_branch) return
  if (store.openTwin(ctx.db, { ...request, target_branch }, request.id) !== undefined) return
  disarm(ctx, request, 'target branch was changed')
  const led = store.update(ctx.db, request.id, {
    target_branch,
    merge_status: 'unchecked',
    checked_source_sha: null,
    checked_target_sha: null,
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  const body = `deleted the \`${request.target_branch}\` branch. This merge request now targets the \`${target_branch}\` branch`
  const author_id = ctx.actor.id ?? request.author_id
  writeSystemNote(ctx, mergeRequestNoteable(request), { action: 'branch', body, author_id })
  const previous = { target_branch: request.target_branch }
  const changes = columnChanges(request, led)
  const told = { changed: ['target_branch'], previous, changes }
  publish(ctx, MergeRequestUpdated, { ...factOf(ctx, request), ...told })
}
