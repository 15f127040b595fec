import { createHash } from 'node:crypto'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/facts.ts'
import { jobById, keepArtifacts } from '../../ci/index.ts'
import { projectById } from '../../projects/index.ts'
import { EvidenceCollected } from '../events.ts'
import { isHistorical, isUpcoming } from '../release.ts'
import * as releases from '../store.ts'
import { newestPipeline } from './pipeline.ts'
import * as store from './store.ts'
import { summaryOf } from './summary.ts'

/** Which evidence is to be collected. */
export interface EvidenceOrder {
  readonly release_id: number
  /** Whose reports count; null for the newest of the commit. */
  readonly pipeline_id: number | null
  /** Somebody asked for it: also where there is one already. */
  readonly is_asked: boolean
}

/**
 * Writes down what a release is made of, and lets the reports of its pipeline stay for good. By itself that happens once,
 * when the release has come out; not for one that was entered later than it came out.
 */
export function collectEvidence(ctx: Ctx, order: EvidenceOrder): void {
  tx(ctx.db, () => {
    const release = releases.byId(ctx.db, order.release_id)
    const project = release && projectById(ctx.db, release.project_id)
    if (!release || !project) return
    const isDue = !isUpcoming(release, ctx.now) && !isHistorical(release) && !store.exists(ctx.db, release.id)
    if (!order.is_asked && !isDue) return
    const pipeline = order.pipeline_id ?? newestPipeline(ctx.db, project.id, release.sha)
    const jobs = pipeline === null ? [] : store.jobsWithReports(ctx.db, pipeline)
    const summary = summaryOf(ctx, project, release, jobs)
    const sha = createHash('sha256').update(summary).digest('hex')
    const row = store.insert(ctx.db, { release_id: release.id, sha, summary, collected_at: ctx.now })
    for (const id of jobs) keepArtifacts(ctx, jobById(ctx.db, id)!)
    publish(ctx, EvidenceCollected, {
      project_id: project.id,
      release_id: release.id,
      tag: release.tag,
      actor_id: ctx.actor.id,
      evidence_id: row.id,
    })
  })
}
