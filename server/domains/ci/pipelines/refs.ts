import type { Ctx } from '../../../ctx.ts'
import { keepAroundRef, updateRefs } from '../../../git/write/refs.ts'
import { refTarget } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { projectById, repoOf, type Project } from '../../projects/index.ts'
import * as store from './store.ts'
import type { PipelineRow } from './store.ts'

/**
 * The ref from which runners fetch the commit of a pipeline (spec ci 1.8). Clients can fetch it, but cannot push to it.
 */
export function pipelineRef(id: number): string {
  return `refs/pipelines/${id}`
}

/** The statuses of a finished pipeline. */
export const FINISHED_STATUSES: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped'])

/**
 * Creates the missing refs of a pipeline: one from which runners fetch the commit, and one that keeps the commit after
 * its branch is deleted. Call it before a runner receives a job, because a finished pipeline that runs again has no ref.
 */
export async function ensurePipelineRef(
  ctx: Ctx,
  project: Pick<Project, 'disk_path' | 'repository_storage'>,
  pipeline: Pick<PipelineRow, 'id' | 'sha'>,
): Promise<void> {
  const repo = repoOf(ctx, project)
  await withLock(repo, async () => {
    const refs = [pipelineRef(pipeline.id), keepAroundRef(pipeline.sha)]
    const targets = await Promise.all(refs.map((ref) => refTarget(repo, ref)))
    const missing = refs.filter((_, index) => targets[index] === null)
    await updateRefs(
      repo,
      missing.map((ref) => ({ ref, new: pipeline.sha })),
    )
  })
}

/** Removes the ref from which runners fetch the commit of a pipeline, unless the pipeline is running again. */
export async function removePipelineRef(
  ctx: Ctx,
  event: { readonly project_id: number; readonly pipeline_id: number },
): Promise<void> {
  const project = projectById(ctx.db, event.project_id)
  if (!project) return
  const repo = repoOf(ctx, project)
  await withLock(repo, async () => {
    const pipeline = store.byId(ctx.db, event.pipeline_id)
    if (pipeline && !FINISHED_STATUSES.has(pipeline.status)) return
    const ref = pipelineRef(event.pipeline_id)
    const old = await refTarget(repo, ref)
    if (old !== null) await updateRefs(repo, [{ ref, old, new: null }])
  })
}

/** Serializes the creation and removal of these refs. Pushes need no lock, because they cannot change them. */
function withLock<T>(repo: Repo, work: () => Promise<T>): Promise<T> {
  return repo.git.locks.run(`${repo.key}\0pipelines`, work)
}
