import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { projectById } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { byId as pipelineById, type PipelineRow } from '../pipelines/store.ts'
import type { JobRow } from '../jobs/store.ts'
import { familyBelow, lastSuccess, newestWithArchive, unlockArtifacts } from './store.ts'

type PipelineRef = Pick<PipelineRow, 'project_id' | 'ref' | 'tag'>

/** Pipelines that other pipelines made are looked for this far up. */
const MAX_DEPTH = 10

/** The pipeline that was there first: of one that a pipeline made for itself the one above. */
export function rootOf(db: Database, pipeline: PipelineRow): PipelineRow {
  let root = pipeline
  for (let depth = 0; depth < MAX_DEPTH && root.source === 'parent_pipeline'; depth++) {
    const above = root.upstream_pipeline_id === null ? undefined : pipelineById(db, root.upstream_pipeline_id)
    if (!above) break
    root = above
  }
  return root
}

/** True where the files of a job stay beyond their time: they are those of the last successful pipeline of a ref. */
export function isKept(
  ctx: Pick<Ctx, 'db' | 'now'>,
  job: Pick<JobRow, 'project_id' | 'pipeline_id'>,
): boolean {
  if (!settingsOf(ctx).keep_latest_artifact) return false
  if (projectById(ctx.db, job.project_id)?.keep_latest_artifact !== true) return false
  const pipeline = pipelineById(ctx.db, job.pipeline_id)
  if (!pipeline) return false
  const root = rootOf(ctx.db, pipeline)
  return !root.artifacts_unlocked && lastSuccess(ctx.db, root)?.id === root.id
}

/** True where the time of a job's files is over and nothing keeps them. */
export function isOver(
  ctx: Pick<Ctx, 'db' | 'now'>,
  job: Pick<JobRow, 'project_id' | 'pipeline_id' | 'artifacts_expire_at'>,
): boolean {
  return job.artifacts_expire_at !== null && job.artifacts_expire_at <= ctx.now && !isKept(ctx, job)
}

/** The branch or tag is gone: what its last successful pipeline left is kept no longer. */
export function letGo(db: Database, ref: PipelineRef): void {
  const last = lastSuccess(db, ref)
  if (last) unlockArtifacts(db, last.id)
}

/**
 * The job of a name with an archive in the last successful pipeline of a branch or tag, or in a pipeline that this one
 * made (spec ci 2.7).
 */
export function latestWithArchive(
  db: Database,
  target: { readonly project_id: number; readonly ref: string },
  name: string,
): JobRow | undefined {
  const found = [false, true].flatMap((tag) => lastSuccess(db, { ...target, tag }) ?? [])
  const newest = found.sort((a, b) => b.id - a.id)[0]
  return newest && newestWithArchive(db, familyBelow(db, newest.id), name)
}
