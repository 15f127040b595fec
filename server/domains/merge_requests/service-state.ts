import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { columnChanges } from '../../lib/column-changes.ts'
import { invalid } from '../../lib/fail.ts'
import { issuableOf, recordState } from '../planning/index.ts'
import { projectById, type Project } from '../projects/index.ts'
import { eventFields, MergeRequestClosed, MergeRequestReopened } from './events.ts'
import { clearAutoMerge } from './merging/auto-merge-state.ts'
import { actingAs } from './policy.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'
import { areRelated, refuseDuplicate, tipOf } from './validation.ts'

/**
 * Throws when a closed merge request cannot be reopened: 409 when another one is open for the same branches, 400 when a
 * branch does not exist. Does nothing unless it is closed.
 */
export async function checkReopening(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<void> {
  if (request.state !== 'closed') return
  refuseDuplicate(ctx, request, request.id)
  const source =
    request.source_project_id === null ? undefined : projectById(ctx.db, request.source_project_id)
  if (!source || (await tipOf(ctx, source, request.source_branch)) === null)
    throw invalid({ source_branch: 'does not exist' })
  if ((await tipOf(ctx, project, request.target_branch)) === null)
    throw invalid({ target_branch: 'does not exist' })
}

/** Closes or reopens a merge request. A merged one stays unchanged. Call it in a transaction. */
export function changeState(ctx: Ctx, request: MergeRequestRow, event: 'close' | 'reopen'): MergeRequestRow {
  if (event === 'close') return request.state === 'opened' ? close(ctx, request) : request
  return request.state === 'closed' ? reopen(ctx, request) : request
}

function close(ctx: Ctx, request: MergeRequestRow): MergeRequestRow {
  // A closed merge request must not merge automatically.
  clearAutoMerge(ctx, request, 'merge request was closed')
  const closed = store.update(ctx.db, request.id, {
    state: 'closed',
    closed_at: ctx.now,
    closed_by_id: ctx.actor.id,
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  recordState(ctx, issuableOf('MergeRequest', request), 'closed')
  publish(ctx, MergeRequestClosed, { ...eventFields(ctx, request), changes: columnChanges(request, closed) })
  return closed
}

function reopen(ctx: Ctx, request: MergeRequestRow): MergeRequestRow {
  refuseDuplicate(ctx, request, request.id)
  const opened = store.update(ctx.db, request.id, {
    state: 'opened',
    closed_at: null,
    closed_by_id: null,
    merge_status: 'unchecked',
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  recordState(ctx, issuableOf('MergeRequest', request), 'reopened')
  publish(ctx, MergeRequestReopened, {
    ...eventFields(ctx, request),
    changes: columnChanges(request, opened),
  })
  return opened
}

function closeAll(ctx: Ctx, actorId: number | null, rows: readonly MergeRequestRow[]): void {
  for (const { id, author_id } of rows) {
    tx(ctx.db, () => {
      const request = store.byId(ctx.db, id)
      if (request) changeState(actingAs(ctx, actorId ?? author_id), request, 'close')
    })
  }
}

/** Closes the merge requests between a project and projects that left its fork network. */
export function closeBetween(ctx: Ctx, event: { project_id: number; actor_id: number | null }): void {
  const unrelated = store.openBetween(ctx.db, event.project_id).filter((row) => {
    const [source, target] = [row.source_project_id ?? 0, row.project_id].map((id) => projectById(ctx.db, id))
    return !source || !target || !areRelated(source, target)
  })
  closeAll(ctx, event.actor_id, unrelated)
}

/** Closes the open merge requests with a deleted source project. */
export function closeOrphans(ctx: Ctx, event: { actor_id: number | null }): void {
  closeAll(ctx, event.actor_id, store.openOrphans(ctx.db))
}
