import type { Updateable } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { PullMirrorsTable } from '../../../db/schema.gen.ts'
import { publish } from '../../../events/publish.ts'
import { isoTime } from '../../../lib/clock.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { PullMirrorChanged } from '../events.ts'
import { tellMaintainers } from '../service-failures.ts'
import * as store from './store.ts'

const MINUTE_MS = 60_000

/** Between two updates that come by themselves. */
const PAUSE_MS = 30 * MINUTE_MS

/** After more failures in a row nothing comes by itself any more (spec administration 5.3). */
const MAX_RETRIES = 14

type Columns = Omit<Updateable<PullMirrorsTable>, 'updated_at'>

/** The time so many milliseconds from now. */
export function after({ now }: Pick<Ctx, 'now'>, ms: number): string {
  return isoTime(Date.parse(now) + ms)
}

/** Writes columns and tells. Nothing is written for a project that is gone, or that follows nothing any more. */
export function write(ctx: Ctx, projectId: number, columns: Columns): void {
  tx(ctx.db, () => {
    if (projectById(ctx.db, projectId)?.mirror !== true) return
    const row = store.write(ctx.db, projectId, { ...columns, updated_at: ctx.now })
    const { update_status } = row
    publish(ctx, PullMirrorChanged, { project_id: projectId, update_status, actor_id: ctx.actor.id })
  })
}

/** The time between two updates after so many failures in a row, which stretch it as far as the settings say. */
function pauseAfter(ctx: Ctx, failures: number): number {
  return Math.min(PAUSE_MS * Math.max(1, failures), settingsOf(ctx).mirror_max_delay * MINUTE_MS)
}

/** An update begins. */
export function begin(ctx: Ctx, projectId: number): void {
  write(ctx, projectId, { update_status: 'started', last_update_started_at: ctx.now })
}

/** Nothing is to be done at the moment; what was known stays. */
export function putOff(ctx: Ctx, projectId: number): void {
  const row = store.find(ctx.db, projectId)
  const update_status = row?.last_update_at ? (row.last_error ? 'failed' : 'finished') : 'none'
  write(ctx, projectId, { update_status, next_update_at: after(ctx, pauseAfter(ctx, 0)) })
}

/** The project has what is there. */
export function finished(ctx: Ctx, projectId: number, diverged: readonly string[] = []): void {
  write(ctx, projectId, {
    update_status: 'finished',
    last_update_at: ctx.now,
    last_successful_update_at: ctx.now,
    last_error: null,
    retry_count: 0,
    diverged: JSON.stringify(diverged),
    next_update_at: after(ctx, pauseAfter(ctx, 0)),
  })
}

/** The update failed. The next comes later and later by itself, until maintainers are told that none comes any more. */
export function failed(ctx: Ctx, projectId: number, reason: string, diverged?: readonly string[]): void {
  const retry_count = (store.find(ctx.db, projectId)?.retry_count ?? 0) + 1
  const isOver = retry_count > MAX_RETRIES
  tx(ctx.db, () => {
    write(ctx, projectId, {
      update_status: 'failed',
      last_update_at: ctx.now,
      last_error: reason,
      retry_count,
      next_update_at: isOver ? null : after(ctx, pauseAfter(ctx, retry_count)),
      ...(diverged ? { diverged: JSON.stringify(diverged) } : {}),
    })
    const project = projectById(ctx.db, projectId)
    if (isOver && project) tellMaintainers(ctx, projectId, { url: addressOf(project), reason })
  })
}

function addressOf({ import_url }: Project): string {
  return import_url ?? 'another address'
}
