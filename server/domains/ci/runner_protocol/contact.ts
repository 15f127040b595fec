import type { Ctx } from '../../../ctx.ts'
import type { JobRow } from '../jobs/store.ts'
import { noteContact } from '../runners/contact.ts'
import { runnerById } from '../runners/store.ts'

/** A runner that speaks of its job is there: while all that it can do at once is running it asks for nothing. */
export function noteCall(ctx: Ctx, job: Pick<JobRow, 'runner_id' | 'runner_system_id'>, ip: string): void {
  const runner = job.runner_id === null ? undefined : runnerById(ctx.db, job.runner_id)
  if (runner) noteContact(ctx, runner, undefined, job.runner_system_id, ip)
}
