import type { Ctx } from '../../../ctx.ts'
import { type Variable, expandText, expandAll } from '../../ci_config/index.ts'
import type { Project } from '../../projects/index.ts'
import { type JobDetailsRow, yamlVariablesOf } from '../jobs/store.ts'
import { variablesOf } from '../pipelines/store.ts'
import { variablesFor, type VariableUse } from '../variables/service.ts'

/** A variable of a job. */
export interface Item {
  readonly key: string
  readonly value: string
  /** True if service containers of the job receive it, too. */
  readonly isPublic?: boolean
  /** True if the runner masks its value in the log. */
  readonly isMasked?: boolean
  /** True if the job gets the path of a file with the value. */
  readonly isFile?: boolean
  /** True if it is not expanded, and not expanded into others. */
  readonly isRaw?: boolean
}

type Values = Readonly<Record<string, string | number | null | undefined>>

/** Creates public variables in order. Those without a value are omitted. */
export function plain(values: Values): Item[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: String(value), isPublic: true }],
  )
}

/**
 * Creates variables for texts that users wrote, such as a commit message. They are not expanded: with a `$` in such a
 * text, its author could otherwise read variables of the user who runs the job.
 */
export function texts(values: Values): Item[] {
  return plain(values).map((item) => ({ ...item, isRaw: true }))
}

/** Creates masked variables. */
export function secrets(values: Values): Item[] {
  return plain(values).map(({ key, value }) => ({ key, value, isMasked: true }))
}

/** Formats a time for variables, without fractions of a second. */
export function moment(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z')
}

/** Replaces variables in a text by their expanded values. Unknown names become empty, `$$` stays. */
export function expandWith(text: string, variables: readonly Pick<Variable, 'key' | 'value'>[]): string {
  const byKey = new Map(variables.map(({ key, value }) => [key, value]))
  return expandText(text, (name) => byKey.get(name))
}

/** Returns the last item of each name, at the position of the first one. */
export function strongest(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.key, item])).values()]
}

/**
 * Expands variables into each other, one item for each name. File and raw variables are not expanded, and references to
 * them stay, because the runner replaces them by a path or a literal text. Unknown names stay, too.
 */
export function expandItems(items: readonly Item[]): Item[] {
  const { values } = expandAll(
    items.map(({ key, value, isRaw, isFile }) => ({ key, value, raw: isRaw === true || isFile === true })),
  )
  return items.map((item) => ({ ...item, value: values.get(item.key)! }))
}

/** Deprecated names that scripts still read, and the variable that each one copies (spec ci 2.13). */
const COPIES: Readonly<Record<string, string>> = {
  CI_BUILD_REF: 'CI_COMMIT_SHA',
  CI_BUILD_BEFORE_SHA: 'CI_COMMIT_BEFORE_SHA',
  CI_BUILD_REF_NAME: 'CI_COMMIT_REF_NAME',
  CI_BUILD_REF_SLUG: 'CI_COMMIT_REF_SLUG',
  CI_BUILD_TAG: 'CI_COMMIT_TAG',
  CI_BUILD_ID: 'CI_JOB_ID',
  CI_BUILD_TOKEN: 'CI_JOB_TOKEN',
  CI_BUILD_NAME: 'CI_JOB_NAME',
  CI_BUILD_STAGE: 'CI_JOB_STAGE',
  CI_BUILD_MANUAL: 'CI_JOB_MANUAL',
  CI_BUILD_TRIGGERED: 'CI_PIPELINE_TRIGGERED',
}

/** Adds the deprecated names of the given variables. */
export function legacyOf(items: readonly Item[]): Item[] {
  const byKey = new Map(items.map((item) => [item.key, item]))
  return Object.entries(COPIES).flatMap(([key, of]) => {
    const item = byKey.get(of)
    return item ? [{ ...item, key }] : []
  })
}

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
interface StartVariable {
  readonly key: string
  readonly value: string
  readonly variable_type?: 'env_var' | 'file' | undefined
  readonly raw?: boolean | undefined
}

/**
 * Variables that override the configuration when rules are evaluated: first those of the instance, groups and the
 * project, then those that the pipeline is started with. The last one of a name wins.
 */
export function variablesForRules(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'lineage'>,
  use: VariableUse & { readonly pipelineVariables?: readonly StartVariable[] | undefined },
): Variable[] {
  const stored = variablesFor(ctx, project, use).map(({ key, value, isRaw }) => ({ key, value, raw: isRaw }))
  const variables = (use.pipelineVariables ?? []).map(({ key, value, raw }) => ({
    key,
    value,
    raw: raw === true,
  }))
  return [...stored, ...variables]
}
