import type { Updateable } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { PullMirrorsTable } from '../../../db/schema.gen.ts'
import { publish } from '../../../events/publish.ts'
import { isoTime } from '../../../lib/clock.ts'
import { projectById, writePullMirror, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { PullMirrorChanged } from '../events.ts'
import { notifyMaintainers } from '../service-failures.ts'
import * as store from './store.ts'

const MINUTE_MS = 60_000

/** Time between two automatic updates without failures. */
const INTERVAL_MS = 30 * MINUTE_MS

/** The maximum number of failures in a row before automatic updates stop (spec administration 5.3). */
const MAX_RETRIES = 14

type Columns = Omit<Updateable<PullMirrorsTable>, 'updated_at'>

/** Returns the time `ms` milliseconds from now. */
export function timeAfter({ now }: Pick<Ctx, 'now'>, ms: number): string {
  return isoTime(Date.parse(now) + ms)
}

/** Updates columns and publishes the change. Does nothing when the project is deleted or no longer a pull mirror. */
export function saveState(ctx: Ctx, projectId: number, columns: Columns): void {
  tx(ctx.db, () => {
    if (projectById(ctx.db, projectId)?.mirror !== true) return
    const row = writePullMirror(ctx.db, projectId, { ...columns, updated_at: ctx.now })
    const { update_status } = row
    publish(ctx, PullMirrorChanged, { project_id: projectId, update_status, actor_id: ctx.actor.id })
  })
}

/**
 * Returns the milliseconds until the next update. They grow with consecutive failures, up to the limit in the settings.
 */
function intervalAfter(ctx: Ctx, failures: number): number {
  return Math.min(INTERVAL_MS * Math.max(1, failures), settingsOf(ctx).mirror_max_delay * MINUTE_MS)
}

/** Records the start of an update. */
export function recordStart(ctx: Ctx, projectId: number): void {
  saveState(ctx, projectId, { update_status: 'started', last_update_started_at: ctx.now })
}

/** Postpones the update. Keeps the result of the last one. */
export function postpone(ctx: Ctx, projectId: number): void {
  const row = store.find(ctx.db, projectId)
  const update_status = row?.last_update_at ? (row.last_error ? 'failed' : 'finished') : 'none'
  saveState(ctx, projectId, { update_status, next_update_at: timeAfter(ctx, intervalAfter(ctx, 0)) })
}

/** Records a successful update. */
export function recordSuccess(ctx: Ctx, projectId: number, diverged: readonly string[] = []): void {
  saveState(ctx, projectId, {
    update_status: 'finished',
    last_update_at: ctx.now,
    last_successful_update_at: ctx.now,
    last_error: null,
    retry_count: 0,
    diverged: [...diverged],
    next_update_at: timeAfter(ctx, intervalAfter(ctx, 0)),
  })
}

/**
 * Records a failed update and schedules the next one, later after each failure. After too many failures in a row, stops
 * automatic updates and notifies the maintainers.
 */
export function recordFailure(
  ctx: Ctx,
  projectId: number,
  reason: string,
  diverged?: readonly string[],
): void {
  const retry_count = (store.find(ctx.db, projectId)?.retry_count ?? 0) + 1
  const isFinal = retry_count > MAX_RETRIES
  tx(ctx.db, () => {
    saveState(ctx, projectId, {
      update_status: 'failed',
      last_update_at: ctx.now,
      last_error: reason,
      retry_count,
      next_update_at: isFinal ? null : timeAfter(ctx, intervalAfter(ctx, retry_count)),
      ...(diverged ? { diverged: [...diverged] } : {}),
    })
    const project = projectById(ctx.db, projectId)
    if (isFinal && project) notifyMaintainers(ctx, projectId, { url: addressOf(project), reason })
  })
}

function addressOf({ import_url }: Project): string {
  return import_url ?? 'another address'
}
