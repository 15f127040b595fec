import type { Ctx } from '../../../ctx.ts'
import { type Variable, expandText, expandAll } from '../../ci_config/index.ts'
import type { Project } from '../../projects/index.ts'
import { type JobDetailsRow, yamlVariablesOf } from '../jobs/store.ts'
import { variablesOf } from '../pipelines/store.ts'
import { variablesFor, type VariableUse } from '../variables/service.ts'

/** A variable of a job. */
export interface VariableItem {
  readonly key: string
  readonly value: string
  /** Whether service containers of the job also receive the variable. */
  readonly isPublic?: boolean
  /** Whether the runner masks the value in the log. */
  readonly isMasked?: boolean
  /** Whether the job receives the path of a file with the value. */
  readonly isFile?: boolean
  /** Whether the value is used literally: it is not expanded, and other values keep its name. */
  readonly isRaw?: boolean
}

type Values = Readonly<Record<string, string | number | null | undefined>>

/** Makes public variables. Those without a value are left out. */
export function publicItems(values: Values): VariableItem[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: String(value), isPublic: true }],
  )
}

/**
 * Makes raw variables for texts that users wrote, such as a commit message. If they were expanded, a `$` in such a text
 * would let its author read variables of the user who runs the job.
 */
export function rawItems(values: Values): VariableItem[] {
  return publicItems(values).map((item) => ({ ...item, isRaw: true }))
}

/** Makes masked variables. */
export function maskedItems(values: Values): VariableItem[] {
  return publicItems(values).map(({ key, value }) => ({ key, value, isMasked: true }))
}

/** Removes the fraction of a second from a time. */
export function withoutFraction(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z')
}

/** Expands variables in a text. Unknown variables become empty, and `$$` stays unchanged. */
export function expandWith(text: string, variables: readonly Pick<Variable, 'key' | 'value'>[]): string {
  const byKey = new Map(variables.map(({ key, value }) => [key, value]))
  return expandText(text, (name) => byKey.get(name))
}

/** Returns the last variable of each name, at the position of the first one. */
export function lastOfEachName(items: readonly VariableItem[]): VariableItem[] {
  return [...new Map(items.map((item) => [item.key, item])).values()]
}

/**
 * Expands the variables that values refer to. Each name occurs only once. File and raw variables are not expanded, and
 * references to them stay, because the runner replaces these by a path or a literal text. References to unknown
 * variables stay, too.
 */
export function expandItems(items: readonly VariableItem[]): VariableItem[] {
  const { values } = expandAll(
    items.map(({ key, value, isRaw, isFile }) => ({ key, value, raw: isRaw === true || isFile === true })),
  )
  return items.map((item) => ({ ...item, value: values.get(item.key)! }))
}

/** Deprecated names that scripts still read, each with the name of the variable that replaces it (spec ci 2.13). */
const DEPRECATED_NAMES: Readonly<Record<string, string>> = {
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

/** Returns copies of the given variables with their deprecated names. */
export function deprecatedItems(items: readonly VariableItem[]): VariableItem[] {
  const byKey = new Map(items.map((item) => [item.key, item]))
  return Object.entries(DEPRECATED_NAMES).flatMap(([key, current]) => {
    const item = byKey.get(current)
    return item ? [{ ...item, key }] : []
  })
}

/** The variables of the configuration: of its root, the job, and the rule that added the job. */
export function configItems(details: Pick<JobDetailsRow, 'variables'>): VariableItem[] {
  return yamlVariablesOf(details).map(({ key, value, raw }) => ({
    key,
    value,
    isPublic: true,
    isRaw: raw === true,
  }))
}

/** The variables in the settings of the instance, the groups and the project. */
export function settingsItems(ctx: Ctx, project: Project, use: VariableUse): VariableItem[] {
  return variablesFor(ctx, project, use)
}

/** The variables with which a user, schedule, trigger or upstream pipeline started the pipeline. */
export function pipelineVariableItems(ctx: Ctx, pipelineId: number): VariableItem[] {
  return variablesOf(ctx.db, pipelineId).map((row) => ({
    key: row.key,
    value: ctx.secrets.open(row.value, 'ci_pipeline_variables.value').toString(),
    isFile: row.variable_type === 'file',
    isRaw: row.raw,
  }))
}

/** The variables with which a user started a manual job. */
export function playItems(ctx: Ctx, { own_variables }: Pick<JobDetailsRow, 'own_variables'>): VariableItem[] {
  if (own_variables === null) return []
  const json = ctx.secrets.open(own_variables, 'ci_job_details.own_variables').toString()
  return (JSON.parse(json) as Variable[]).map(({ key, value }) => ({ key, value }))
}

/** A variable with which a pipeline is started. */
interface StartVariable {
  readonly key: string
  readonly value: string
  readonly variable_type?: 'env_var' | 'file' | undefined
  readonly raw?: boolean | undefined
}

/**
 * The variables that override the configuration when rules are evaluated: those of the instance, the groups and the
 * project, followed by those with which the pipeline is started. The last variable of a name takes precedence.
 */
export function variablesForRules(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'lineage'>,
  use: VariableUse & { readonly pipelineVariables?: readonly StartVariable[] | undefined },
): Variable[] {
  const settings = variablesFor(ctx, project, use).map(({ key, value, isRaw }) => ({
    key,
    value,
    raw: isRaw,
  }))
  const variables = (use.pipelineVariables ?? []).map(({ key, value, raw }) => ({
    key,
    value,
    raw: raw === true,
  }))
  return [...settings, ...variables]
}
