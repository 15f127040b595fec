import type { Ctx } from '../../../ctx.ts'
import type { JobRow } from '../jobs/store.ts'
import { runnersFor } from '../runner_protocol/match.ts'
import { ago, awakeSince } from './uptime.ts'
import { dropJob } from './run.ts'

const HOUR = 3_600_000
/** A job that waits this long fails (spec ci 2.5). */
const LONGEST_MS = 24 * HOUR
/** The same where no runner that could take it is there. */
const ALONE_MS = HOUR
/** A runner is there when it called within this time (spec ci 3.2). */
const ONLINE_MS = 2 * HOUR

type Waiting = Pick<JobRow, 'id' | 'project_id' | 'protected' | 'tag_list'> & { readonly since: string }

/** Ends pending jobs that nobody takes; runners get an hour to come back after the machine slept. */
export function sweepPending(ctx: Ctx): void {
  if (awakeSince(ctx) > ago(ctx, ALONE_MS)) return
  const waiting = ctx.db.many<Waiting>(
    `SELECT id, project_id, protected, tag_list, coalesce(queued_at, updated_at) AS since
     FROM ci_jobs INDEXED BY ci_jobs_queue WHERE status = 'pending' AND kind = 'job' AND since < ?`,
    ago(ctx, ALONE_MS),
  )
  const online = onlineRunners(ctx, ago(ctx, ONLINE_MS))
  const known = new Map<string, boolean>()
  for (const job of waiting) {
    if (job.since < ago(ctx, LONGEST_MS) || !hasRunner(ctx, job, online, known)) {
      dropJob(ctx, job, 'stuck_or_timeout_failure')
    }
  }
}

function onlineRunners(ctx: Ctx, since: string): number[] {
  return ctx.db
    .many<{ id: number }>('SELECT id FROM runners WHERE contacted_at > ?', since)
    .map(({ id }) => id)
}

/** Jobs of one project with the same tags are alike to runners. */
function hasRunner(ctx: Ctx, job: Waiting, online: readonly number[], known: Map<string, boolean>): boolean {
  const kind = JSON.stringify([job.project_id, job.protected, job.tag_list])
  const found = known.get(kind) ?? runnersFor(ctx.db, job.id, online).length > 0
  known.set(kind, found)
  return found
}
