import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { listChanges } from '../../../git/write/changes.ts'
import { fail } from '../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import {
  ciAbilities,
  createPipeline,
  withPaths,
  showPipeline,
  tryPipeline,
  type PipelineRequest,
  type PipelineRow,
  type PipelineView,
} from '../../ci/index.ts'
import type { PipelineWithPath } from '../../ci/pipelines/entity.ts'
import { assigneesOf, labelsOf, milestonesOf } from '../../planning/index.ts'
import {
  project as scope,
  projectById,
  repoOf,
  type Project,
  fullPath,
  protectionsOf,
} from '../../projects/index.ts'
import { protecting } from '../../repository/index.ts'
import { isApproved } from '../approvals/state.ts'
import { followBranchTips } from '../diffs/branches.ts'
import { mergeRequestRef } from '../diffs/version.ts'
import { latestDiff, type DiffVersionRow } from '../diffs/store.ts'
import { mayPushToSource } from '../policy.ts'
import type { MergeRequestRow } from '../types.ts'
import * as store from './store.ts'

/** The maximum number of changed paths that CI rules are checked against. */
const MAX_PATHS = 50_000

/** A pipeline for a merge request and the project that runs it. */
interface PreparedPipeline {
  readonly owner: Project
  readonly pipelineRequest: PipelineRequest
}

/**
 * Loads the context of a pipeline. Returns undefined if the merge request can have none: it is not open, or has no
 * commits or source project.
 */
function contextOf(ctx: Ctx, project: Project, request: MergeRequestRow): RequestContext | undefined {
  const source =
    request.source_project_id === null ? undefined : projectById(ctx.db, request.source_project_id)
  const version = latestDiff(ctx.db, request)
  if (!source || !version || version.state === 'empty' || request.state !== 'opened') return undefined
  return { request, project, source, version }
}

/**
 * Returns the project that runs the pipeline. For a fork this is the fork, with its variables and runners, unless the
 * target project allows pipelines of forks and the actor could push the branch there.
 */
function pipelineOwner(ctx: Ctx, { request, project, source }: RequestContext): Project {
  if (source.id === project.id || !project.ci_allow_fork_pipelines_to_run_in_parent_project) return source
  const mayCreate = hasAbility(ctx, scope, ciAbilities.create_pipeline, project, true)
  return mayCreate && mayPushToSource(ctx, project, project, request) ? project : source
}

function preparePipeline(ctx: Ctx, context: RequestContext): PreparedPipeline {
  const { request, project, version } = context
  const owner = pipelineOwner(ctx, context)
  const pipelineRequest: PipelineRequest = {
    source: 'merge_request_event',
    // Only the target project has the ref of the merge request.
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
  return { owner, pipelineRequest }
}

async function changedPaths(ctx: Ctx, { project, version }: RequestContext): Promise<string[] | null> {
  const from = version.base_commit_sha ?? version.start_commit_sha
  const comparison = { from, to: version.head_commit_sha }
  const files = await listChanges(repoOf(ctx, project), comparison, { renames: false })
  const paths = [...new Set(files.flatMap(({ old_path, new_path }) => [old_path, new_path]))]
  return paths.length > MAX_PATHS ? null : paths
}

/**
 * Creates a pipeline for a merge request that a user asked for. Throws 405 when the merge request can have none, 400
 * `{"message":{"base":[…]}}` when the pipeline is refused (spec core 5.2).
 */
export async function startPipeline(
  ctx: Ctx,
  project: Project,
  before: MergeRequestRow,
): Promise<{ owner: Project; row: PipelineRow }> {
  const request = await followBranchTips(ctx, project, before)
  const context = contextOf(ctx, project, request)
  if (!context) throw fail('not_allowed')
  const { owner, pipelineRequest } = preparePipeline(ctx, context)
  return { owner, row: await createPipeline(ctx, owner, pipelineRequest) }
}

/** Creates the pipeline of a new version, unless its head has one or the configuration has no jobs for it. */
export async function createVersionPipeline(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
): Promise<void> {
  const context = contextOf(ctx, project, request)
  if (!context || store.headPipeline(ctx.db, request)?.source === 'merge_request_event') return
  const { owner, pipelineRequest } = preparePipeline(ctx, context)
  await tryPipeline(ctx, owner, pipelineRequest)
}

/** Whether the actor may see the pipelines of a project. */
export function mayReadPipelines(ctx: Ctx, project: Project): boolean {
  return canRead(ctx, scope, project) && hasAbility(ctx, scope, ciAbilities.read_pipelines, project)
}

/**
 * Loads the pipeline of the head for the answer about a single merge request. Null if there is none that the actor may
 * see, undefined if they may not see the pipelines of the project.
 */
export function showHeadPipeline(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
): PipelineView | null | undefined {
  if (!mayReadPipelines(ctx, project)) return undefined
  const row = store.headPipeline(ctx.db, request)
  const owner = row && ownerOf(ctx, project, row)
  return row && owner ? showPipeline(ctx, owner, row) : null
}
function ownerOf(ctx: Ctx, project: Project, row: PipelineRow): Project | undefined {
  if (row.project_id === project.id) return project
  const owner = projectById(ctx.db, row.project_id)
  return owner && mayReadPipelines(ctx, owner) ? owner : undefined
}

/** Lists the open merge requests with this pipeline as their head pipeline. */
export function requestsOfPipeline(
  ctx: Pick<Ctx, 'db'>,
  pipeline: { readonly pipeline_id: number; readonly project_id: number; readonly sha: string },
): MergeRequestRow[] {
  const candidates = store.openWithHead(ctx.db, pipeline.project_id, pipeline.sha)
  return candidates.filter((request) => store.headPipeline(ctx.db, request)?.id === pipeline.pipeline_id)
}

/**
 * Lists one page of the pipelines of a merge request, without those of a fork that the actor may not see. Throws 403 if
 * the actor may not see the pipelines of the project.
 */
export function findPipelines(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  page: { readonly limit: number; readonly offset: number },
): Rows<PipelineWithPath> {
  if (!mayReadPipelines(ctx, project)) throw fail('forbidden')
  const source =
    request.source_project_id === null ? undefined : projectById(ctx.db, request.source_project_id)
  const owners = [
    project,
    ...(source && source.id !== project.id && mayReadPipelines(ctx, source) ? [source] : []),
  ]
  const ids = owners.map((owner) => owner.id)
  const result = store.listPipelines(ctx.db, request, ids, page)
  const rows = result.rows.flatMap((row) => {
    const owner = owners.find((candidate) => candidate.id === row.project_id)!
    return withPaths(owner, [row])
  })
  return { ...result, rows }
}

/** A merge request with its projects and its newest version. */
interface RequestContext {
  readonly request: MergeRequestRow
  readonly project: Project
  readonly source: Project
  readonly version: DiffVersionRow
}

interface Variable {
  readonly key: string
  readonly value: string
}

/** Returns the predefined variables CI_MERGE_REQUEST_* (spec ci 2.13). */
function mergeRequestVariables(ctx: Ctx, context: RequestContext): Variable[] {
  const variables = { ...requestVariables(ctx, context), ...branchVariables(ctx, context) }
  return Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [{ key: `CI_MERGE_REQUEST_${name}`, value: String(value) }],
  )
}

function requestVariables(ctx: Ctx, { request, project, version }: RequestContext) {
  const labels = labelsOf(ctx.db, 'MergeRequest', [request.id]).get(request.id) ?? []
  const assignees = assigneesOf(ctx.db, 'MergeRequest', [request.id]).get(request.id) ?? []
  const milestone = milestonesOf(ctx.db, [request]).get(request.milestone_id ?? 0)
  return {
    ID: request.id,
    IID: request.iid,
    REF_PATH: mergeRequestRef(request.iid, 'head'),
    TITLE: request.title,
    LABELS: labels.length > 0 ? labels.map((label) => label.title).join(',') : undefined,
    MILESTONE: milestone?.title,
    ASSIGNEES: assignees.length > 0 ? joinNames(assignees.map((user) => user.username)) : undefined,
    EVENT_TYPE: 'detached',
    APPROVED: isApproved(ctx, request, project) ? true : undefined,
    DIFF_ID: version.id,
    DIFF_BASE_SHA: version.base_commit_sha ?? undefined,
  }
}

function branchVariables(ctx: Ctx, { request, project, source }: RequestContext) {
  const isProtected = protecting(protectionsOf(ctx.db, project.id), request.target_branch).length > 0
  return {
    PROJECT_ID: project.id,
    PROJECT_PATH: fullPath(project),
    PROJECT_URL: `${ctx.config.url}/${fullPath(project)}`,
    SOURCE_PROJECT_ID: source.id,
    SOURCE_PROJECT_PATH: fullPath(source),
    SOURCE_PROJECT_URL: `${ctx.config.url}/${fullPath(source)}`,
    SOURCE_BRANCH_NAME: request.source_branch,
    // Both SHAs are only set in merged results pipelines, which this instance does not have.
    SOURCE_BRANCH_SHA: '',
    TARGET_BRANCH_NAME: request.target_branch,
    TARGET_BRANCH_SHA: '',
    TARGET_BRANCH_PROTECTED: isProtected,
  }
}

/** Joins names to `a`, `a and b`, or `a, b, and c`. */
function joinNames(names: readonly string[]): string {
  if (names.length < 3) return names.join(' and ')
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)!}`
}
