import type { Ctx } from '../../../../ctx.ts'
import { canRead, hasAbility } from '../../../../policy/ability.ts'
import { onBehalfOf } from '../../../planning/index.ts'
import {
  findProject,
  fullPath,
  project as scope,
  projectById,
  repoOf,
  type Project,
} from '../../../projects/index.ts'
import { expandText } from '../../../ci_config/index.ts'
import {
  lastOfEachName,
  configItems,
  playItems,
  pipelineVariableItems,
  type VariableItem,
} from '../../job_variables/item.ts'
import { itemsOfJob, type StoredJob } from '../../job_variables/of-job.ts'
import { type JobRow, optionsOf } from '../../jobs/store.ts'
import { abilities } from '../../policy.ts'
import type { PipelineRow } from '../store.ts'
import { pathsBetween } from './selecting.ts'
import { createPipeline } from './service.ts'
import {
  type VariableInput,
  type PipelineMergeRequest,
  type PipelineRequest,
  PipelineRefused,
} from './request.ts'
import * as jobs from '../../jobs/store.ts'
import * as pipelines from '../store.ts'
import * as store from './store.ts'
import type { Database } from '../../../../db/database.ts'
import { planLimits } from '../../../settings/index.ts'

/** The reason why a trigger job creates no pipeline (spec ci 1.15). */
export type DownstreamFailure =
  | 'downstream_bridge_project_not_found'
  | 'insufficient_bridge_permissions'
  | 'invalid_bridge_trigger'
  | 'downstream_pipeline_creation_failed'
  | 'pipeline_loop_detected'
  | 'reached_max_descendant_pipelines_depth'
  | 'reached_max_pipeline_hierarchy_size'

/** The error for a trigger job that creates no pipeline. */
export class DownstreamRefused extends Error {
  readonly reason: DownstreamFailure
  /** The messages of the refusal. */
  readonly texts: readonly string[]

  constructor(reason: DownstreamFailure, texts: readonly string[] = []) {
    super([reason, ...texts].join(': '))
    this.name = 'DownstreamRefused'
    this.reason = reason
    this.texts = texts
  }
}

/**
 * Creates the pipeline of a trigger job as the user who started the job (spec ci 2.4): a pipeline of another project or a
 * child pipeline. A second call returns the same pipeline. Throws DownstreamRefused.
 */
export async function createDownstream(ctx: Ctx, job: JobRow): Promise<PipelineRow> {
  const existing = pipelines.createdByJob(ctx.db, job.id)
  if (existing) return requireValid(existing)
  const actorCtx = onBehalfOf(ctx, job.user_id)
  const bridge = bridgeOf(ctx, job)
  if (!bridge) throw new DownstreamRefused('invalid_bridge_trigger')
  if (!actorCtx) throw new DownstreamRefused('insufficient_bridge_permissions')
  if (exceedsHierarchySize(ctx.db, job.pipeline_id))
    throw new DownstreamRefused('reached_max_pipeline_hierarchy_size')
  const { project, request } = await requestOfBridge(actorCtx, bridge)
  if (!hasAbility(actorCtx, scope, abilities.create_pipeline, project, true)) {
    throw new DownstreamRefused('insufficient_bridge_permissions')
  }
  try {
    return requireValid(await createPipeline(actorCtx, project, request))
  } catch (error) {
    if (!(error instanceof PipelineRefused)) throw error
    const isPermission = error.refusalKind === 'rights'
    const reason = isPermission ? 'insufficient_bridge_permissions' : 'downstream_pipeline_creation_failed'
    throw new DownstreamRefused(reason, error.texts)
  }
}

/** Returns the pipeline. Throws DownstreamRefused if it failed because its configuration is invalid. */
function requireValid(row: PipelineRow): PipelineRow {
  if (row.failure_reason !== 'config_error') return row
  throw new DownstreamRefused('downstream_pipeline_creation_failed', [row.yaml_errors ?? ''])
}

function bridgeOf(ctx: Ctx, job: JobRow): Bridge | undefined {
  const project = projectById(ctx.db, job.project_id)
  const pipeline = pipelines.byId(ctx.db, job.pipeline_id)
  const details = jobs.detailsOf(ctx.db, job.id)
  return project && pipeline && details ? { project, pipeline, job, details } : undefined
}

/** `trigger:` as it is stored. */
interface Trigger {
  readonly project?: string
  readonly branch?: string
  readonly include?: readonly Readonly<Record<string, unknown>>[]
  readonly forward?: { readonly yaml_variables?: unknown; readonly pipeline_variables?: unknown } | null
}

async function requestOfBridge(
  ctx: Ctx,
  bridge: Bridge,
): Promise<{ project: Project; request: PipelineRequest }> {
  const trigger = optionsOf(bridge.details).trigger as Trigger | null
  if (!trigger || (!trigger.include && !trigger.project))
    throw new DownstreamRefused('invalid_bridge_trigger')
  const values = await variablesOfBridge(ctx, bridge)
  const variables = forwardedVariables(ctx, bridge, values, trigger.forward ?? {})
  const upstream = { pipeline_id: bridge.pipeline.id, job_id: bridge.job.id }
  const expand = (text: string) => expandText(text, (name) => values.get(name)?.value)
  if (trigger.include) {
    if (isTooDeep(ctx.db, bridge.pipeline.id)) {
      throw new DownstreamRefused('reached_max_descendant_pipelines_depth')
    }
    const request = childRequest(ctx, bridge, trigger.include, expand)
    return { project: bridge.project, request: { ...request, variables, upstream } }
  }
  const project = otherProject(ctx, bridge, expand(trigger.project!))
  if (isLoop(ctx.db, bridge.pipeline.id)) throw new DownstreamRefused('pipeline_loop_detected')
  const ref = (trigger.branch === undefined ? '' : expand(trigger.branch)) || project.default_branch
  return { project, request: { source: 'pipeline', ref, variables, upstream } }
}

function otherProject(ctx: Ctx, bridge: Bridge, path: string): Project {
  const project = path.includes('/') ? findProject(ctx, path) : undefined
  if (!project || !canRead(ctx, scope, project))
    throw new DownstreamRefused('downstream_bridge_project_not_found')
  if (fullPath(project) === fullPath(bridge.project)) throw new DownstreamRefused('invalid_bridge_trigger')
  return project
}

type Include = Readonly<Record<string, unknown>>

/**
 * The request for a child pipeline. It has the commit of the parent, and its configuration includes the given files.
 */
function childRequest(
  ctx: Ctx,
  { project, pipeline }: Bridge,
  include: readonly Include[],
  expand: (text: string) => string,
): PipelineRequest {
  const merge_request = mergeRequestOf(ctx, project, pipeline)
  return {
    source: 'parent_pipeline',
    ref: fullRef(pipeline),
    sha: pipeline.sha,
    before_sha: pipeline.before_sha,
    // The configuration is written as JSON, which is valid YAML.
    config: JSON.stringify({ include: include.map((entry) => expandInclude(entry, expand)) }),
    ...(merge_request ? { merge_request } : {}),
  }
}

/** The full ref of a pipeline, which unlike a short one is never ambiguous. */
function fullRef({ ref, tag }: Pick<PipelineRow, 'ref' | 'tag'>): string {
  if (ref.startsWith('refs/')) return ref
  return tag ? `refs/tags/${ref}` : `refs/heads/${ref}`
}

function expandInclude(include: Include, expand: (text: string) => string): Include {
  const entries = Object.entries(include).map(([key, value]) => {
    if (key === 'rules') return [key, value]
    if (Array.isArray(value))
      return [key, value.map((item) => (typeof item === 'string' ? expand(item) : item))]
    return [key, typeof value === 'string' ? expand(value) : value]
  })
  return Object.fromEntries(entries) as Include
}

/** The merge request of the upstream pipeline, taken from the predefined variables of that pipeline. */
function mergeRequestOf(
  ctx: Ctx,
  project: Bridge['project'],
  pipeline: PipelineRow,
): PipelineMergeRequest | undefined {
  if (pipeline.merge_request_id === null) return undefined
  const predefined = JSON.parse(pipeline.predefined) as { key: string; value: string }[]
  const valueOf = (name: string) =>
    predefined.find(({ key }) => key === `CI_MERGE_REQUEST_${name}`)?.value ?? ''
  const base = valueOf('DIFF_BASE_SHA')
  return {
    id: pipeline.merge_request_id,
    iid: Number(valueOf('IID')),
    predefined,
    changes: base === '' ? null : () => pathsBetween(repoOf(ctx, project), base, pipeline.sha),
    source_project_id: Number(valueOf('SOURCE_PROJECT_ID')) || project.id,
  }
}

/** A trigger job with the sources of its variables. */
type Bridge = StoredJob

/** All variables of a trigger job by name, with expanded values. */
async function variablesOfBridge(ctx: Ctx, bridge: Bridge): Promise<Map<string, VariableItem>> {
  return new Map((await itemsOfJob(ctx, bridge)).map((item) => [item.key, item]))
}

/**
 * The variables that a trigger job forwards: those of its configuration, and if `trigger:forward` allows it those with
 * which its own pipeline was started.
 */
function forwardedVariables(
  ctx: Ctx,
  bridge: Bridge,
  values: ReadonlyMap<string, VariableItem>,
  forward: { readonly yaml_variables?: unknown; readonly pipeline_variables?: unknown },
): VariableInput[] {
  const { details, pipeline } = bridge
  const items = forward.yaml_variables === false ? [] : [...configItems(details), ...playItems(ctx, details)]
  const pipelineItems = forward.pipeline_variables === true ? pipelineVariableItems(ctx, pipeline.id) : []
  const valueOf = (name: string) => values.get(name)?.value
  return [...lastOfEachName(items), ...pipelineItems].map(({ key, value, isFile, isRaw }) => ({
    key,
    value: isRaw || isFile ? value : expandText(value, valueOf),
    variable_type: isFile ? 'file' : 'env_var',
    raw: isRaw === true,
  }))
}

/** The maximum depth of child pipelines. Child pipelines may have children, but no grandchildren. */
const MAX_CHILD_DEPTH = 2

/** How often a project and ref may occur in a chain of pipelines: A, B, A, B is allowed. */
const MAX_OCCURRENCES = 2
/** The maximum length of a chain of pipelines. */
const MAX_CHAIN = 100

/** Whether a pipeline is the child of a child pipeline. */
function isTooDeep(db: Database, pipelineId: number): boolean {
  const all = store.upstreamChain(db, pipelineId, MAX_CHAIN)
  const root = all.findIndex(({ source }) => source !== 'parent_pipeline')
  return (root < 0 ? all.length : root) >= MAX_CHILD_DEPTH
}

/** Whether pipelines of several projects trigger each other in a loop. */
function isLoop(db: Database, pipelineId: number): boolean {
  const all = store.upstreamChain(db, pipelineId, MAX_CHAIN)
  const ancestors = all.filter(({ source }) => source !== 'parent_pipeline')
  const origins = Map.groupBy(ancestors, ({ project_id, ref, source }) => `${project_id} ${source} ${ref}`)
  return all.length >= MAX_CHAIN || [...origins.values()].some((origin) => origin.length > MAX_OCCURRENCES)
}

/**
 * Whether the root pipeline already has too many descendants. The limit of the depth does not limit the number of
 * children.
 */
function exceedsHierarchySize(db: Database, pipelineId: number): boolean {
  const { pipeline_hierarchy_size: limit } = planLimits(db)
  const root = store.upstreamChain(db, pipelineId, MAX_CHAIN).at(-1)?.id ?? pipelineId
  return limit > 0 && store.countDescendants(db, root, limit) >= limit
}
