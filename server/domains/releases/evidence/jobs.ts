import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { isHistorical, type ReleaseRow } from '../release.ts'
import { collectEvidence } from './collect.ts'

const args = { release_id: z.number(), pipeline_id: z.number().nullable(), is_asked: z.boolean() }

export const evidenceJob = job('releases.collect_evidence', { args }, collectEvidence)

/** Has the evidence of a release collected once it is out. `pipeline_id`: whose reports count, if that is known now. */
export function orderEvidence(ctx: Ctx, release: ReleaseRow, pipeline_id: number | null): void {
  if (isHistorical(release)) return
  const delay = Math.max(0, Date.parse(release.released_at) - Date.parse(ctx.now))
  const known = delay > 0 ? null : pipeline_id
  enqueue(ctx, evidenceJob, { release_id: release.id, pipeline_id: known, is_asked: false }, { delay })
}

/** Has the evidence of a release collected now, whether or not there is one. */
export function askForEvidence(ctx: Ctx, release: ReleaseRow): void {
  enqueue(
    ctx,
    evidenceJob,
    { release_id: release.id, pipeline_id: null, is_asked: true },
    { once: `releases.evidence:${release.id}` },
  )
}

/** Jobs of this domain. */
export const jobs = [evidenceJob]
