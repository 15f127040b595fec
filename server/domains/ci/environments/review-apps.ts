import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { addDays } from '../../../lib/clock.ts'
import { Failure, type FailureKind } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { project as projectScope, type Project } from '../../projects/index.ts'
import { abilities } from './policy.ts'
import { changeEnvironment } from './stop.ts'
import * as store from './store.ts'
import type { EnvironmentRow } from './store.ts'

/** Days between the order and the deletion, in which an environment can be started again. */
const GRACE_DAYS = 7
const DEFAULT_AGE_DAYS = 30

const NONE_FOUND =
  'No environments found for scheduled deletion. Either your query did not match any environments (default parameters ' +
  'match environments that are 30 days or older), or you have insufficient permissions to delete matching environments.'
const NO_RIGHT = 'You do not have permission to destroy environments in this project'

/** Which review apps are meant, and whether it is only asked which those would be. */
export interface ReviewAppsOrder {
  readonly before?: string | undefined
  readonly limit: number
  readonly dry_run: boolean
}

/** What was ordered. */
export interface ScheduledReviewApps {
  readonly scheduled: readonly EnvironmentRow[]
}

/**
 * Orders the deletion of stopped review apps, the oldest first; it happens a week later (spec ci 5.1). Throws 400 where
 * there are none, 401 for who may not delete them, both with the lists of the answer.
 */
export function scheduleReviewApps(ctx: Ctx, project: Project, order: ReviewAppsOrder): ScheduledReviewApps {
  if (!isAble(ctx, projectScope, abilities.destroy_environment, project, true))
    throw refused('unauthorized', NO_RIGHT)
  return tx(ctx.db, () => {
    const before = order.before ?? addDays(ctx.now, -DEFAULT_AGE_DAYS)
    const rows = store.deletableReviewApps(ctx.db, project.id, before, order.limit)
    if (rows.length === 0) throw refused('bad_request', NONE_FOUND)
    const auto_delete_at = addDays(ctx.now, GRACE_DAYS)
    if (!order.dry_run) for (const row of rows) changeEnvironment(ctx, row, { auto_delete_at })
    return { scheduled: rows }
  })
}

function refused(kind: FailureKind, message: string): Failure {
  return new Failure(kind, undefined, {
    body: { scheduled_entries: [], unprocessable_entries: [], message },
  })
}
