import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { ZERO_ID } from '../../../../git/names.ts'
import { type CompiledJob, expandText, type SelectedJob } from '../../../ci_config/index.ts'
import type { Project } from '../../../projects/index.ts'
import { prepareEnvironment } from '../../environments/prepare.ts'
import { PipelineCreated } from '../../events.ts'
import type { JobOptions } from '../../jobs/store.ts'
import * as jobs from '../../jobs/store.ts'
import { cancelRedundant } from '../../processing/run.ts'
import { processPipeline } from '../../processing/state.ts'
import { resourceGroupFor } from '../../resource_groups/service.ts'
import type { PipelineRow } from '../store.ts'
import { type PipelineRequest, PipelineRefused, type PipelineTarget } from './request.ts'
import type { Choice } from './selecting.ts'
import * as pipelines from '../store.ts'
import * as store from './store.ts'

const PURPOSE = 'ci_pipeline_variables.value'

/** A pipeline that is about to be stored. */
export interface Draft {
  readonly request: PipelineRequest
  readonly target: PipelineTarget
  readonly committed_at: string | null
}

/** Stores a pipeline without jobs, because it is skipped or its configuration is invalid. */
export function writeEmpty(
  ctx: Ctx,
  project: Project,
  draft: Draft,
  state: Pick<PipelineRow, 'status'> & Partial<PipelineRow>,
): PipelineRow {
  return tx(ctx.db, () => {
    const row = writePipeline(ctx, project, draft, state)
    publishCreated(ctx, row)
    return row
  })
}

/**
 * Stores a pipeline with its jobs, starts the first jobs, and cancels redundant pipelines, in one transaction. Throws
 * PipelineRefused if no job is selected or the selection has errors.
 */
export function writeFull(
  ctx: Ctx,
  project: Project,
  draft: Draft,
  plan: {
    readonly iid: number
    readonly choice: Choice
    choose(iid: number): Choice
    readonly auto_cancel: unknown
  },
): PipelineRow {
  return tx(ctx.db, () => {
    const iid = pipelines.nextIid(ctx.db, project.id)
    // If another pipeline has taken the IID in the meantime, the rules are evaluated again.
    const choice = iid === plan.iid ? plan.choice : requireValid(plan.choose(iid))
    const row = writePipeline(ctx, project, draft, {
      iid,
      status: 'created',
      name: choice.selection.name,
      auto_cancel: JSON.stringify(plan.auto_cancel ?? {}),
    })
    writeJobs(ctx, project, row, choice)
    publishCreated(ctx, row)
    processPipeline(ctx, row.id)
    cancelRedundant(ctx, project, row)
    return pipelines.byId(ctx.db, row.id)!
  })
}

const NO_JOBS = 'No stages / jobs for this pipeline.'

/**
 * Returns the choice. Throws PipelineRefused if it has errors. A configuration without jobs for this pipeline is not
 * invalid.
 */
export function requireValid(choice: Choice): Choice {
  const { errors, isAllowed: isWanted } = choice.selection
  if (errors.length === 0) return choice
  const isInvalid = isWanted && !(errors.length === 1 && errors[0] === NO_JOBS)
  throw new PipelineRefused(errors, isInvalid ? 'config' : undefined)
}

function writePipeline(
  ctx: Ctx,
  project: Project,
  { request, target, committed_at }: Draft,
  columns: Pick<PipelineRow, 'status'> & Partial<PipelineRow>,
): PipelineRow {
  const row = pipelines.insert(ctx.db, {
    project_id: project.id,
    user_id: ctx.actor.id,
    source: request.source,
    ref: target.ref,
    tag: target.kind === 'tag',
    sha: target.sha,
    before_sha: request.before_sha || ZERO_ID,
    protected: target.isProtected,
    merge_request_id: request.merge_request?.id ?? null,
    schedule_id: request.schedule_id ?? null,
    trigger_id: request.trigger_id ?? null,
    upstream_pipeline_id: request.upstream?.pipeline_id ?? null,
    upstream_job_id: request.upstream?.job_id ?? null,
    predefined: JSON.stringify(request.merge_request?.predefined ?? []),
    committed_at,
    created_at: ctx.now,
    updated_at: ctx.now,
    ...columns,
  })
  writeVariables(ctx, row, request)
  return row
}

function writeVariables(ctx: Ctx, { id }: PipelineRow, { variables = [] }: PipelineRequest): void {
  const byKey = new Map(variables.map((variable) => [variable.key, variable]))
  for (const { key, value, variable_type = 'env_var', raw = false } of byKey.values()) {
    const sealed = ctx.secrets.seal(value, PURPOSE)
    store.insertVariable(ctx.db, { pipeline_id: id, key, value: sealed, variable_type, raw })
  }
}

function publishCreated(ctx: Ctx, row: PipelineRow): void {
  const { id, project_id, ref, sha, source, merge_request_id, status } = row
  publish(ctx, PipelineCreated, {
    project_id,
    pipeline_id: id,
    actor_id: ctx.actor.id,
    ref,
    sha,
    source,
    merge_request_id,
    status,
  })
}

/** Stores the jobs of a pipeline, with their environments and resource groups. Call it in its transaction. */
function writeJobs(ctx: Ctx, project: Project, pipeline: PipelineRow, choice: Choice): void {
  for (const selected of choice.selection.jobs) writeJob(ctx, project, pipeline, selected, choice)
}

function writeJob(
  ctx: Ctx,
  project: Project,
  pipeline: PipelineRow,
  selected: SelectedJob,
  choice: Choice,
): void {
  const { job } = selected
  const expand = expander(selected, choice)
  const environment = job.environment && { ...job.environment, name: expand(job.environment.name) }
  const group = job.resource_group === null ? '' : expand(job.resource_group)
  const id = store.insertJob(ctx.db, {
    pipeline_id: pipeline.id,
    project_id: project.id,
    kind: job.kind,
    name: job.name,
    base: job.base,
    stage: job.stage,
    stage_index: job.stage_index,
    status: 'created',
    when: selected.when,
    allow_failure: selected.allow_failure,
    needs: selected.needs === null ? null : JSON.stringify(selected.needs),
    user_id: pipeline.user_id,
    ref: pipeline.ref,
    tag: pipeline.tag,
    protected: pipeline.protected,
    tag_list: JSON.stringify(job.tag_list.map((tag) => expand(tag, true))),
    interruptible: selected.interruptible,
    resource_group_id: group === '' ? null : resourceGroupFor(ctx, project, group),
    environment: environment?.name ?? null,
    environment_action: environment?.action ?? null,
    follows_downstream: followsDownstream(job),
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  store.insertDetails(ctx.db, {
    job_id: id,
    options: JSON.stringify(optionsFor(selected)),
    variables: JSON.stringify(selected.variables),
  })
  if (environment) prepareEnvironment(ctx, project, pipeline, jobs.byId(ctx.db, id)!, environment)
}

/** Returns a function that expands variables in texts. It creates the lookup only when a text contains a variable. */
function expander(selected: SelectedJob, choice: Choice): (text: string, keepUnknown?: boolean) => string {
  let lookup: ((name: string) => string | undefined) | undefined
  return (text, keepUnknown = false) => {
    if (!/[$%]/.test(text)) return text
    lookup ??= choice.lookup(selected)
    return expandText(text, lookup, keepUnknown)
  }
}

function followsDownstream({ trigger }: CompiledJob): boolean {
  return trigger?.['strategy'] === 'depend'
}

function optionsFor({ job, start_in, allowed_exit_codes }: SelectedJob): JobOptions {
  return {
    script: job.script,
    before_script: job.before_script,
    after_script: job.after_script,
    start_in,
    allowed_exit_codes,
    other_needs: job.other_needs,
    dependencies: job.dependencies,
    environment: job.environment,
    resource_group: job.resource_group,
    timeout: job.timeout,
    coverage: job.coverage,
    retry: job.retry,
    parallel: job.parallel,
    image: job.image,
    services: job.services,
    cache: job.cache,
    artifacts: job.artifacts,
    release: job.release,
    secrets: job.secrets,
    id_tokens: job.id_tokens,
    hooks: job.hooks,
    trigger: job.trigger,
  }
}
