import { setImmediate } from 'node:timers/promises'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { secondsOf } from '../../ci_config/index.ts'
import { ArtifactsChanged } from '../events.ts'
import { requestRemoval } from './disk.ts'
import { isKept } from './keeping.ts'
import * as store from './store.ts'

/** Used where the setting is no duration. */
const USUAL = 30 * 24 * 60 * 60
/** Jobs or files that one transaction is about. */
const BATCH = 50

/**
 * The moment at which files end that were given so long; without `expireIn` as long as the settings say. Null for never.
 * Throws 400 for what is no duration.
 */
export function endOfTime(ctx: Pick<Ctx, 'db' | 'now'>, expireIn: string | undefined): string | null {
  const given = expireIn?.trim() || undefined
  const text = given ?? settingsOf(ctx).default_artifacts_expire_in.trim()
  if (text === 'never' || text === '0') return null
  const seconds = secondsOf(text) ?? (given === undefined ? USUAL : NaN)
  const end = Date.parse(ctx.now) + seconds * 1000
  if (!(end <= Date.parse('9999-12-31'))) throw fail('parameter', 'expire_in is invalid')
  return seconds === 0 ? null : new Date(end).toISOString()
}

/** Removes what the time is over for, unless it is what the last successful pipeline of a ref left. */
export async function expire(ctx: Ctx): Promise<void> {
  let after = { ends_at: '', id: 0 }
  for (;;) {
    const jobs = store.ended(ctx.db, ctx.now, after, BATCH)
    const over = jobs.filter((job) => !isKept(ctx, job))
    // One commit for some of them: each waits for the disk.
    if (over.length > 0) tx(ctx.db, () => over.forEach((job) => removeFiles(ctx, job, null)))
    after = jobs.at(-1) ?? after
    if (jobs.length < BATCH) return
    // Others get their turn between two pages.
    await setImmediate()
  }
}

/** Lets what the jobs of a project left end now. */
export async function endAll(ctx: Ctx, projectId: number): Promise<void> {
  let after = 0
  for (;;) {
    const files = store.filesFrom(ctx.db, projectId, after, BATCH)
    const jobs = new Set(files.map((file) => file.job_id))
    tx(ctx.db, () => jobs.forEach((id) => store.endAt(ctx.db, id, ctx.now)))
    after = files.at(-1)?.id ?? after
    if (files.length < BATCH) return
    await setImmediate()
  }
}

/** Removes the files of a job but its log; they go off the disk in the background. True where there were some. */
export function removeFiles(
  ctx: Ctx,
  { id, project_id }: { readonly id: number; readonly project_id: number },
  actor_id: number | null,
): boolean {
  return tx(ctx.db, () => {
    if (!store.removeOf(ctx.db, id)) return false
    publish(ctx, ArtifactsChanged, { project_id, job_id: id, actor_id })
    requestRemoval(ctx)
    return true
  })
}
