import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { IssueDeleted } from './events.ts'
import { eventOf } from './service-events.ts'
import type { IssueRow } from './issue.ts'
import * as store from './store.ts'

/** Removes an issue with its conversation. */
export function deleteIssue(ctx: Ctx, issue: IssueRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, issue.id)
    publish(ctx, IssueDeleted, eventOf(ctx, issue))
  })
}
