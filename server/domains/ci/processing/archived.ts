import type { Ctx } from '../../../ctx.ts'
import { secondsOf } from '../../../lib/durations.ts'
import { settingsOf } from '../../settings/index.ts'
import type { JobRow } from '../jobs/store.ts'

/**
 * True for a job that is so old that it can only be read, by the setting `archive_builds_in_human_readable` (spec
 * administration 1.3); none is while that is empty.
 */
export function isArchived(ctx: Pick<Ctx, 'db' | 'now'>, job: Pick<JobRow, 'created_at'>): boolean {
  const text = settingsOf(ctx).archive_builds_in_human_readable
  const seconds = text ? secondsOf(text) : null
  return seconds !== null && Date.parse(job.created_at) < Date.parse(ctx.now) - seconds * 1000
}
