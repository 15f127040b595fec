import type { Ctx } from '../../../ctx.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { RateWindow } from '../../../lib/rate-window.ts'
import type { Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'

/** The period of the rates in seconds. */
const PERIOD = 60
/** The size in bytes above which a file is large. Five requests a minute for it are allowed (spec core 4.2). */
const LARGE_BYTES = 10 * 1024 * 1024
const LARGE = { max: 5, per: PERIOD }

function windowOf(ctx: Ctx): RateWindow {
  return ctx.db.instance('repository.file_reads', () => new RateWindow(), { dependsOnRows: true })
}

/** Counts one API request for a large file. Throws 429 above the limit. */
export function countLargeFile(ctx: Ctx, project: Project, file: { blob: string; size: number }): void {
  if (file.size <= LARGE_BYTES) return
  const key = `large ${project.id} ${ctx.actor.id ?? 'nobody'} ${file.blob}`
  if (windowOf(ctx).take(key, LARGE, Date.parse(ctx.now)).allowed) return
  const error = 'This endpoint has been requested too many times. Try again later.'
  throw new Failure('too_many', undefined, { body: { message: { error } } })
}

/** Counts one request for a raw file outside the API. Throws 429 above the limit of the settings, per path and minute. */
export function countRawFile(ctx: Ctx, project: Project, path: string): void {
  const max = settingsOf(ctx).raw_blob_request_limit
  if (max === 0) return
  const key = `raw ${project.id} ${path}`
  if (windowOf(ctx).take(key, { max, per: PERIOD }, Date.parse(ctx.now)).allowed) return
  throw fail('too_many', 'You cannot access the raw file. Please wait a minute.')
}
