import { DEFAULT_KEYS } from '../entries/defaults.ts'
import { kindOf } from '../entries/job.ts'
import { DEPRECATED_DEFAULTS, jobsIn } from '../entries/root.ts'
import type { CompiledJob, Need, RootVariable, Workflow } from '../types.ts'
import { Hash, isHash, isInteger, isList, isTexts, textOf, type Value } from '../language/values.ts'
import type { Variable } from '../language/variables.ts'
import * as parts from './parts.ts'

/** A configuration in the form that pipelines are created from. */
export interface Built {
  readonly stages: readonly string[]
  readonly variables: readonly RootVariable[]
  readonly workflow: Workflow
  /** In the order of the configuration. */
  readonly jobs: readonly CompiledJob[]
}

const STAGES = ['build', 'test', 'deploy']

/** The maximum number of jobs of a configuration. */
export const MAX_JOBS = 10_000

/** Builds the final form of a checked configuration. Returns undefined if it has more than 10,000 jobs. */
export function build(config: Hash): Built | undefined {
  const stages = stagesOf(config.get('stages'))
  const workflow = workflowOf(config.get('workflow'))
  const context: Context = {
    defaults: defaultsOf(config),
    stageIndexes: new Map(stages.map((stage, index) => [stage, index])),
    hasWorkflowRules: workflow.rules !== null,
  }
  const jobs: CompiledJob[] = []
  const copies = new Map<string, string[]>()
  for (const [name, value] of jobsIn(config)) {
    const kind = kindOf(name, value)
    if ((kind !== 'job' && kind !== 'bridge') || !isHash(value)) continue
    const jobCopies = copiesOfJob(name, value, kind, context)
    if (jobs.length + jobCopies.length > MAX_JOBS) return undefined
    const names = jobCopies.map((job) => job.name)
    if (names.length > 1 || names[0] !== name) copies.set(name, names)
    jobs.push(...jobCopies)
  }
  return {
    stages,
    variables: parts.rootVariablesOf(config.get('variables')),
    workflow,
    jobs: expandCopies(jobs, copies),
  }
}

interface Context {
  readonly defaults: ReadonlyMap<string, Value>
  readonly stageIndexes: ReadonlyMap<string, number>
  readonly hasWorkflowRules: boolean
}

function stagesOf(value: Value | undefined): string[] {
  const stages = isTexts(value) ? value : STAGES
  return [...new Set(['.pre', ...stages.filter((stage) => stage !== '.pre' && stage !== '.post'), '.post'])]
}

function workflowOf(value: Value | undefined): Workflow {
  const hash = isHash(value) ? value : new Hash()
  return {
    name: parts.textOrNull(hash.get('name')),
    rules: parts.rulesOf(hash.get('rules')),
    auto_cancel: parts.jsonOf(hash.get('auto_cancel')),
  }
}

function defaultsOf(config: Hash): Map<string, Value> {
  const defaults = new Map<string, Value>()
  for (const key of DEPRECATED_DEFAULTS) if (config.has(key)) defaults.set(key, config.get(key)!)
  const input = config.get('default')
  if (isHash(input)) for (const [key, value] of input) defaults.set(key, value)
  return defaults
}

/** Returns a lookup of the job's own keys, with the inherited defaults for keys that the job does not set. */
function withDefaults(
  jobHash: Hash,
  defaults: ReadonlyMap<string, Value>,
): (key: string) => Value | undefined {
  const inherit = jobHash.get('inherit')
  const setting = isHash(inherit) ? (inherit.get('default') ?? true) : true
  const inherits = (key: string) => (isList(setting) ? setting.includes(key) : setting !== false)
  return (key) => {
    const ownValue = jobHash.get(key)
    if (jobHash.has(key) && ownValue !== null) return ownValue
    return DEFAULT_KEYS.has(key) && inherits(key) ? defaults.get(key) : undefined
  }
}

/** The default of `only`. Its refs also apply to an `only` that has other conditions but no refs. */
const ONLY_DEFAULT = { refs: ['branches', 'tags'], variables: null, changes: null, kubernetes: null }

/** The job in its final form, once for each copy. */
function copiesOfJob(name: string, jobHash: Hash, kind: 'job' | 'bridge', context: Context): CompiledJob[] {
  const isJob = kind === 'job'
  const get = isJob ? withDefaults(jobHash, context.defaults) : (key: string) => jobHash.get(key)
  const rules = parts.rulesOf(jobHash.get('rules'))
  const needs = parts.needsOf(get('needs'))
  const stage = parts.textOrNull(jobHash.get('stage')) ?? 'test'
  const when = parts.textOrNull(jobHash.get('when')) ?? 'on_success'
  const allowFailure = jobHash.get('allow_failure')
  const only = parts.policyOf(jobHash.get('only'))
  const inherit = jobHash.get('inherit')
  const shared: Omit<CompiledJob, 'name' | 'parallel'> = {
    base: name,
    kind,
    stage,
    stage_index: context.stageIndexes.get(stage) ?? -1,
    script: parts.linesOf(jobHash.get('script')),
    before_script: parts.linesOf(get('before_script')),
    after_script: parts.linesOf(get('after_script')),
    tag_list: parts.textsOf(get('tags')) ?? [],
    variables: parts.variablesOf(jobHash.get('variables')),
    inherits_variables: inheritedVariables(isHash(inherit) ? inherit.get('variables') : undefined),
    rules,
    only: only
      ? { ...only, refs: only.refs ?? ONLY_DEFAULT.refs }
      : rules || context.hasWorkflowRules
        ? null
        : ONLY_DEFAULT,
    except: parts.policyOf(jobHash.get('except')),
    when,
    start_in: parts.durationOf(jobHash.get('start_in')),
    allow_failure:
      typeof allowFailure === 'boolean' ? allowFailure : !isHash(allowFailure) && when === 'manual',
    allowed_exit_codes: isHash(allowFailure) ? exitCodes(allowFailure.get('exit_codes')) : null,
    needs: needs.jobs,
    other_needs: needs.others,
    dependencies: parts.textsOf(jobHash.get('dependencies')),
    environment: isJob ? parts.environmentOf(jobHash.get('environment')) : null,
    resource_group: parts.textOrNull(jobHash.get('resource_group')),
    interruptible: get('interruptible') === true,
    timeout: parts.durationOf(get('timeout')),
    coverage: parts.textOrNull(jobHash.get('coverage')),
    retry: isJob ? parts.retryOf(get('retry')) : null,
    image: isJob ? parts.imageOf(get('image')) : null,
    services: isJob ? servicesOf(get('services')) : [],
    cache: isJob ? parts.cachesOf(get('cache')) : [],
    artifacts: parts.jsonOf(get('artifacts')),
    release: parts.jsonOf(jobHash.get('release')),
    secrets: parts.jsonOf(jobHash.get('secrets')),
    id_tokens: parts.jsonOf(get('id_tokens')),
    hooks: parts.jsonOf(get('hooks')),
    trigger: parts.triggerOf(jobHash.get('trigger')),
  }
  return copiesOf(name, jobHash.get('parallel')).map(({ name: fullName, parallel }) => ({
    ...shared,
    name: fullName,
    parallel,
    variables: parallel ? mergeVariables(shared.variables, parallel.matrix) : shared.variables,
  }))
}

/** The variables of `base`, replaced and extended by those of `overrides`. */
function mergeVariables(base: readonly Variable[], overrides: readonly Variable[]): readonly Variable[] {
  const names = new Set(overrides.map(({ key }) => key))
  return overrides.length === 0 ? base : [...base.filter(({ key }) => !names.has(key)), ...overrides]
}

function inheritedVariables(value: Value | undefined): boolean | readonly string[] {
  return isTexts(value) ? value : value !== false
}

function exitCodes(value: Value | undefined): number[] {
  return (isList(value) ? value : [value ?? null]).filter(isInteger).map(Number)
}

function servicesOf(value: Value | undefined) {
  return isList(value) ? value.map((item) => parts.imageOf(item)) : []
}

/** Replaces each need of, and dependency on, a job with copies by all of its copies. */
function expandCopies(
  jobs: readonly CompiledJob[],
  copies: ReadonlyMap<string, readonly string[]>,
): readonly CompiledJob[] {
  if (copies.size === 0) return jobs
  // Copies of a job share their lists, so each list is expanded only once.
  const expanded = new Map<unknown, unknown>()
  const once = <T>(list: T, expand: () => T): T => {
    if (!expanded.has(list)) expanded.set(list, expand())
    return expanded.get(list) as T
  }
  const needs = (list: readonly Need[] | null) =>
    list &&
    once(list, () =>
      list.flatMap((need) => copies.get(need.name)?.map((name) => ({ ...need, name })) ?? [need]),
    )
  const names = (list: readonly string[] | null) =>
    list && once(list, () => list.flatMap((name) => copies.get(name) ?? [name]))
  return jobs.map((job) => ({
    ...job,
    needs: needs(job.needs),
    dependencies: names(job.dependencies),
    rules:
      job.rules && once(job.rules, () => job.rules!.map((rule) => ({ ...rule, needs: needs(rule.needs) }))),
  }))
}

type Copy = Pick<CompiledJob, 'name' | 'parallel'>

/** The copies of a job by `parallel` (spec ci 4.12). */
function copiesOf(name: string, parallel: Value | undefined): Copy[] {
  if (isInteger(parallel)) {
    const total = Number(parallel)
    return Array.from({ length: total }, (_, index) => ({
      name: `${name} ${index + 1}/${total}`,
      parallel: { index: index + 1, total, matrix: [] },
    }))
  }
  const matrix = isHash(parallel) ? parallel.get('matrix') : undefined
  if (!isList(matrix)) return [{ name, parallel: null }]
  const sets = matrix.filter(isHash).flatMap(combinations)
  return sets.map((set, index) => ({
    name: `${name}: [${set.map(({ value }) => value).join(', ')}]`,
    parallel: { index: index + 1, total: sets.length, matrix: set },
  }))
}

/** All combinations of the values of one entry of a matrix. */
function combinations(entry: Hash): Variable[][] {
  return [...entry].reduce<Variable[][]>(
    (sets, [key, value]) => {
      const values = isList(value) ? value : [value]
      return sets.flatMap((set) => values.map((item) => [...set, { key, value: textOf(item) }]))
    },
    [[]],
  )
}
