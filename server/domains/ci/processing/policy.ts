import type { Ctx } from '../../../ctx.ts'
import { secondsOf } from '../../../lib/text/durations.ts'
import type { Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { mayRunOn } from '../pipelines/creation/policy.ts'

/**
 * True when the actor, who may change jobs of the project, may do so on the ref of a job. On a protected branch this takes
 * the right to push or merge, on a protected tag the right to create it.
 */
export function mayChange(
  ctx: Ctx,
  project: Project,
  job: { readonly ref: string; readonly tag: boolean },
): boolean {
  const isOfRequest = job.ref.startsWith('refs/merge-requests/')
  const kind = isOfRequest ? 'merge_request' : job.tag ? 'tag' : 'branch'
  return mayRunOn(ctx, project, { ref: job.ref, kind })
}

/**
 * True for a job that is so old that it can only be read, by the setting `archive_builds_in_human_readable` (spec
 * administration 1.3); false for all jobs while the setting is empty.
 */
export function isArchived(ctx: Pick<Ctx, 'db' | 'now'>, job: { readonly created_at: string }): boolean {
  const text = settingsOf(ctx).archive_builds_in_human_readable
  const seconds = text ? secondsOf(text) : null
  return seconds !== null && Date.parse(job.created_at) < Date.parse(ctx.now) - seconds * 1000
}
