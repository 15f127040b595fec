import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { columnChanges } from '../../../lib/column-changes.ts'
import { recordState } from '../issuables/changes.ts'
import type { StateSource } from '../issuables/store-changes.ts'
import { IssueClosed, IssueDeleted, IssueReopened } from '../events.ts'
import { eventFields, asIssuable, type IssueRow } from './issue.ts'
import * as store from './store.ts'

/** The columns that closing an issue can set: the original of a duplicate. */
type ClosingColumns = Pick<IssueRow, 'duplicated_to_id'>

/**
 * Closes an issue as the actor. Does nothing if it is closed. `source` is the commit or merge request that closes it.
 */
export function closeIssue(
  ctx: Ctx,
  issue: Pick<IssueRow, 'id'>,
  source: StateSource = {},
  columns: Partial<ClosingColumns> = {},
): IssueRow {
  return tx(ctx.db, () => {
    const current = store.byId(ctx.db, issue.id)!
    if (current.state === 'closed') return current
    const closed = store.update(ctx.db, issue.id, {
      state: 'closed',
      closed_at: ctx.now,
      closed_by_id: ctx.actor.id,
      updated_at: ctx.now,
      updated_by_id: ctx.actor.id,
      ...columns,
    })
    recordState(ctx, asIssuable(closed), 'closed', source)
    const { commit_id = null, merge_request_id = null } = source
    const changes = columnChanges(current, closed)
    publish(ctx, IssueClosed, { ...eventFields(ctx, closed), commit_id, merge_request_id, changes })
    return closed
  })
}

/** Reopens a closed issue. It is then no longer marked as moved or as a duplicate. */
export function reopenIssue(ctx: Ctx, issue: Pick<IssueRow, 'id'>): IssueRow {
  return tx(ctx.db, () => {
    const current = store.byId(ctx.db, issue.id)!
    if (current.state === 'opened') return current
    const opened = store.update(ctx.db, issue.id, {
      state: 'opened',
      closed_at: null,
      closed_by_id: null,
      moved_to_id: null,
      duplicated_to_id: null,
      updated_at: ctx.now,
      updated_by_id: ctx.actor.id,
    })
    recordState(ctx, asIssuable(opened), 'reopened')
    publish(ctx, IssueReopened, { ...eventFields(ctx, opened), changes: columnChanges(current, opened) })
    return opened
  })
}

/** Deletes an issue with its notes. */
export function deleteIssue(ctx: Ctx, issue: IssueRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, issue.id)
    publish(ctx, IssueDeleted, eventFields(ctx, issue))
  })
}
