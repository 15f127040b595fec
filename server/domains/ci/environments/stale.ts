import type { Ctx } from '../../../ctx.ts'
import { enqueue } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { stopStale } from './jobs.ts'

const WEEK = 7
const TEN_YEARS = 3652

/**
 * Stops the environments of a project that nothing was brought to since a time, in the background. Throws 400 unless that
 * time lies between ten years and one week ago (spec ci 5.1).
 */
export function stopStaleEnvironments(ctx: Ctx, project: Project, before: string): string {
  if (before > addDays(ctx.now, -WEEK) || before < addDays(ctx.now, -TEN_YEARS))
    throw fail('bad_request', '400 Bad request - Invalid Date')
  enqueue(ctx, stopStale, { project_id: project.id, user_id: ctx.actor.id, before })
  return 'Successfully requested stop for all stale environments'
}
