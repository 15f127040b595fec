import type { Ctx } from '../../../ctx.ts'
import type { Variable } from '../../ci_config/index.ts'
import { type JobDetailsRow, yamlVariablesOf } from '../jobs/store.ts'
import { variablesOf } from '../pipelines/store.ts'
import { variablesFor, type VariableUse } from '../variables/service.ts'
import type { Item } from './item.ts'
import type { Project } from '../../projects/index.ts'

/** From the configuration: root, job, and the rule that added the job. */
export function configured(details: Pick<JobDetailsRow, 'variables'>): Item[] {
  return yamlVariablesOf(details).map(({ key, value, raw }) => ({
    key,
    value,
    isPublic: true,
    isRaw: raw === true,
  }))
}

/** Variables of the instance, groups and the project. */
export function stored(ctx: Ctx, project: Project, use: VariableUse): Item[] {
  return variablesFor(ctx, project, use)
}

/** Variables that the pipeline was started with, by users, schedules, triggers and upstream pipelines. */
export function ofStart(ctx: Ctx, pipelineId: number): Item[] {
  return variablesOf(ctx.db, pipelineId).map((row) => ({
    key: row.key,
    value: ctx.secrets.open(row.value, 'ci_pipeline_variables.value').toString(),
    isFile: row.variable_type === 'file',
    isRaw: row.raw,
  }))
}

/** Variables from the user who started a manual job. */
export function ofPlay(ctx: Ctx, { own_variables }: Pick<JobDetailsRow, 'own_variables'>): Item[] {
  if (own_variables === null) return []
  const text = ctx.secrets.open(own_variables, 'ci_job_details.own_variables').toString()
  return (JSON.parse(text) as Variable[]).map(({ key, value }) => ({ key, value }))
}

/** A variable given when a pipeline is started. */
export interface StartVariable {
  readonly key: string
  readonly value: string
  readonly variable_type?: 'env_var' | 'file' | undefined
  readonly raw?: boolean | undefined
}

/**
 * Variables that override the configuration when rules are evaluated: first those of the instance, groups and the project, then
 * those that the pipeline is started with. The last one of a name wins.
 */
export function variablesForRules(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'lineage'>,
  use: VariableUse & { readonly pipelineVariables?: readonly StartVariable[] | undefined },
): Variable[] {
  const stored = variablesFor(ctx, project, use).map(({ key, value, isRaw }) => ({ key, value, raw: isRaw }))
  const given = (use.pipelineVariables ?? []).map(({ key, value, raw }) => ({
    key,
    value,
    raw: raw === true,
  }))
  return [...stored, ...given]
}
