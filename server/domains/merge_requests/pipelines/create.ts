import type { Ctx } from '../../../ctx.ts'
import { listChanges } from '../../../git/changes.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import {
  ciAbilities,
  createPipeline,
  tryPipeline,
  type PipelineOrder,
  type PipelineRow,
} from '../../ci/index.ts'
import { project as scope, projectById, repoOf, type Project } from '../../projects/index.ts'
import { latestDiff } from '../diffs/latest.ts'
import { catchUp } from '../diffs/refresh.ts'
import { mergeRequestRef } from '../diffs/refs.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { mayPushToSource } from '../rights.ts'
import { mergeRequestVariables, type RequestContext } from './predefined.ts'
import * as store from './store.ts'

/** Longest list of changed paths that rules are asked about. */
const MAX_PATHS = 50_000

/** A pipeline for a merge request, and where it runs. */
interface Prepared {
  readonly owner: Project
  readonly order: PipelineOrder
}

/** The merge request as it stands; undefined where there is nothing to build: no version, no commits, no source. */
function contextOf(ctx: Ctx, project: Project, request: MergeRequestRow): RequestContext | undefined {
  const source =
    request.source_project_id === null ? undefined : projectById(ctx.db, request.source_project_id)
  const version = latestDiff(ctx.db, request)
  if (!source || !version || version.state === 'empty' || request.state !== 'opened') return undefined
  return { request, project, source, version }
}

/**
 * Where the pipeline runs: of a fork in the fork, with its variables and runners, unless the project lets such pipelines in
 * and the actor could push the same branch there.
 */
function runsIn(ctx: Ctx, { request, project, source }: RequestContext): Project {
  if (source.id === project.id || !project.ci_allow_fork_pipelines_to_run_in_parent_project) return source
  const may = isAble(ctx, scope, ciAbilities.create_pipeline, project, true)
  return may && mayPushToSource(ctx, project, project, request) ? project : source
}

function prepare(ctx: Ctx, context: RequestContext): Prepared {
  const { request, project, version } = context
  const owner = runsIn(ctx, context)
  const order: PipelineOrder = {
    source: 'merge_request_event',
    // The ref of the merge request is in the project that is merged into.
    ref:
      owner.id === project.id ? mergeRequestRef(request.iid, 'head') : `refs/heads/${request.source_branch}`,
    sha: version.head_commit_sha,
    merge_request: {
      id: request.id,
      iid: request.iid,
      predefined: mergeRequestVariables(ctx, context),
      changes: () => changedPaths(ctx, context),
      source_project_id: context.source.id,
    },
  }
  return { owner, order }
}

async function changedPaths(ctx: Ctx, { project, version }: RequestContext): Promise<string[] | null> {
  const from = version.base_commit_sha ?? version.start_commit_sha
  const ends = { from, to: version.head_commit_sha }
  const files = await listChanges(repoOf(ctx, project), ends, { renames: false })
  const paths = [...new Set(files.flatMap(({ old_path, new_path }) => [old_path, new_path]))]
  return paths.length > MAX_PATHS ? null : paths
}

/**
 * Makes a pipeline for a merge request because somebody asks for one. Throws 405 where there is nothing to build, 400
 * `{"message":{"base":[…]}}` where the pipeline is refused (spec core 5.2).
 */
export async function startPipeline(
  ctx: Ctx,
  project: Project,
  given: MergeRequestRow,
): Promise<{ owner: Project; row: PipelineRow }> {
  const request = await catchUp(ctx, project, given)
  const context = contextOf(ctx, project, request)
  if (!context) throw fail('not_allowed')
  const { owner, order } = prepare(ctx, context)
  return { owner, row: await createPipeline(ctx, owner, order) }
}

/** The pipeline of a new version; none where its head has one already, or the configuration has no jobs for it. */
export async function pipelineOfVersion(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<void> {
  const context = contextOf(ctx, project, request)
  if (!context || store.headPipeline(ctx.db, request)?.source === 'merge_request_event') return
  const { owner, order } = prepare(ctx, context)
  await tryPipeline(ctx, owner, order)
}
