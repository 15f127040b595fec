import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { ZERO_ID } from '../../../../git/names.ts'
import type { Project } from '../../../projects/index.ts'
import { PipelineCreated } from '../../events.ts'
import { cancelRedundant } from '../../processing/cancel.ts'
import { processPipeline } from '../../processing/state.ts'
import type { PipelineRow } from '../store.ts'
import { type PipelineRequest, PipelineRefused } from './request.ts'
import type { Choice } from './selecting.ts'
import type { PipelineTarget } from './target.ts'
import { writeJobs } from './write-jobs.ts'
import * as pipelines from '../store.ts'
import * as store from './store.ts'

const PURPOSE = 'ci_pipeline_variables.value'

/** A pipeline that is about to be stored. */
export interface Draft {
  readonly request: PipelineRequest
  readonly target: PipelineTarget
  readonly committed_at: string | null
}

/** Stores a pipeline without jobs: it was skipped, or its configuration is broken. */
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
 * Stores a pipeline with its jobs, starts the first ones, and cancels redundant pipelines, in one transaction.
 * Throws PipelineRefused where the choice comes out empty or with errors.
 */
export function writeFull(
  ctx: Ctx,
  project: Project,
  draft: Draft,
  chosen: {
    readonly iid: number
    readonly choice: Choice
    choose(iid: number): Choice
    readonly auto_cancel: unknown
  },
): PipelineRow {
  return tx(ctx.db, () => {
    const iid = pipelines.nextIid(ctx.db, project.id)
    // Another pipeline took the number that the rules were evaluated with.
    const choice = iid === chosen.iid ? chosen.choice : checked(chosen.choose(iid))
    const row = writePipeline(ctx, project, draft, {
      iid,
      status: 'created',
      name: choice.selection.name,
      auto_cancel: JSON.stringify(chosen.auto_cancel ?? {}),
    })
    writeJobs(ctx, project, row, choice)
    publishCreated(ctx, row)
    processPipeline(ctx, row.id)
    cancelRedundant(ctx, project, row)
    return pipelines.byId(ctx.db, row.id)!
  })
}

const NO_JOBS = 'No stages / jobs for this pipeline.'

/** Returns the choice. Throws PipelineRefused for errors; a configuration without jobs for this pipeline is not broken. */
export function checked(choice: Choice): Choice {
  const { errors, isWanted } = choice.selection
  if (errors.length === 0) return choice
  const isBroken = isWanted && !(errors.length === 1 && errors[0] === NO_JOBS)
  throw new PipelineRefused(errors, isBroken ? 'config' : undefined)
}

function writePipeline(
  ctx: Ctx,
  project: Project,
  { request, target, committed_at }: Draft,
  more: Pick<PipelineRow, 'status'> & Partial<PipelineRow>,
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
    ...more,
  })
  writeVariables(ctx, row, request)
  return row
}

function writeVariables(ctx: Ctx, { id }: PipelineRow, { variables = [] }: PipelineRequest): void {
  const last = new Map(variables.map((one) => [one.key, one]))
  for (const { key, value, variable_type = 'env_var', raw = false } of last.values()) {
    const sealed = ctx.secrets.seal(value, PURPOSE)
    store.insertVariable(ctx.db, { pipeline_id: id, key, value: sealed, variable_type, raw: raw })
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
