import type { Ctx } from '../../../ctx.ts'
import type { JobRow } from '../jobs/store.ts'
import { failOutdated, toPending } from './enqueue.ts'
import { isOutdated } from './forward.ts'
import { processPipeline } from './process.ts'

/** The next job in line, which need not be waiting yet: with an order, later ones wait for it (spec ci 2.11). */
const NEXT: Readonly<Record<string, string>> = {
  unordered: `SELECT * FROM ci_jobs INDEXED BY ci_jobs_awaiting
    WHERE resource_group_id = ? AND status = 'waiting_for_resource' ORDER BY id LIMIT 1`,
  oldest_first: ordered('ASC'),
  newest_first: ordered('DESC'),
}

function ordered(direction: 'ASC' | 'DESC'): string {
  return `SELECT * FROM ci_jobs WHERE resource_group_id = ? AND retried = 0
    AND status IN ('created', 'scheduled', 'waiting_for_resource')
    ORDER BY pipeline_id ${direction}, status <> 'waiting_for_resource', id LIMIT 1`
}

/**
 * Gives a resource that is free to the next job in line, in whichever pipeline it is. Other pipelines than `own` are
 * settled; `own` is up to the caller. To be called in a transaction.
 */
export function grantNext(ctx: Ctx, groupId: number, own?: number): void {
  const touched = new Set<number>()
  for (;;) {
    const next = nextInLine(ctx, groupId)
    if (next?.status !== 'waiting_for_resource') break
    touched.add(next.pipeline_id)
    if (!isOutdated(ctx, next)) {
      toPending(ctx, next, { holds_resource: true })
      break
    }
    failOutdated(ctx, next)
  }
  for (const id of touched) if (id !== own) processPipeline(ctx, id)
}

function nextInLine(ctx: Ctx, groupId: number): JobRow | undefined {
  const isTaken = ctx.db.one(
    'SELECT 1 FROM ci_jobs WHERE resource_group_id = ? AND holds_resource = 1 LIMIT 1',
    groupId,
  )
  const group = ctx.db.one<{ process_mode: string }>(
    'SELECT process_mode FROM ci_resource_groups WHERE id = ?',
    groupId,
  )
  return isTaken || !group ? undefined : ctx.db.one<JobRow>(NEXT[group.process_mode]!, groupId)
}
