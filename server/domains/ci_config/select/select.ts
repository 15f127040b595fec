import type { Built } from '../build/build.ts'
import { isTrue } from '../language/expressions.ts'
import type { CompiledJob, Need, Policy, Rule } from '../types.ts'
import { looksLikePattern, patternOf, globOf, memoized } from '../language/patterns.ts'
import { expandText, type Variable } from '../language/variables.ts'
import { SelectionError, type PipelineContext, type Reason, LayeredVariables } from './values.ts'

const MAX_CHANGES = 50_000
const MAX_EXISTS = 10_000

/** Parses a glob. The results are cached, because many jobs of a pipeline use the same globs. */
const cachedGlob = memoized(globOf, 2000)

/** Whether a glob covers one of the paths. True without a search if there are too many combinations. */
function anyCovered(
  globs: readonly string[],
  paths: readonly string[],
  values: Lookup,
  limit: number,
): boolean {
  if (globs.length * paths.length > limit) return true
  return globs.some((text) => {
    const glob = cachedGlob(expandText(text, values))
    return paths.some((path) => glob.covers(path))
  })
}

/** Whether a glob covers a changed path. True if there is no commit to compare with (spec ci 4.7). */
function isChanged(globs: readonly string[], changes: readonly string[] | null, values: Lookup): boolean {
  return changes === null || anyCovered(globs, changes, values, MAX_CHANGES)
}

/**
 * The first rule with only true clauses. Throws SelectionError for an unknown ref in `compare_to`, and when the
 * rules take too long.
 */
function firstMatch(
  rules: readonly Rule[],
  context: PipelineContext,
  values: Lookup,
): { rule: Rule; index: number } | undefined {
  const index = rules.findIndex((rule) => matches(rule, context, values))
  return index < 0 ? undefined : { rule: rules[index]!, index }
}

function matches(rule: Rule, context: PipelineContext, values: Lookup): boolean {
  if (context.isLate?.()) throw new SelectionError('the rules take too long')
  if (rule.if !== null && !isTrue(rule.if, values)) return false
  if (rule.changes && !isChanged(rule.changes.paths, changesOf(rule, context, values), values)) return false
  if (!rule.exists) return true
  return anyCovered(rule.exists, context.files ?? [], values, MAX_EXISTS)
}

function changesOf(rule: Rule, context: PipelineContext, values: Lookup): readonly string[] | null {
  const compareTo = rule.changes?.compare_to
  if (compareTo === null || compareTo === undefined) return context.changes
  const changes = context.changesSince?.get(expandText(compareTo, values))
  if (changes === undefined) throw new SelectionError('rules:changes:compare_to is not a valid ref')
  return changes
}

/** Describes the clauses of a rule. */
function describe(rule: Rule): string {
  const clauses = [
    ...(rule.if === null ? [] : [`if: ${rule.if}`]),
    ...(rule.changes ? [`changes: ${rule.changes.paths.join(', ')}`] : []),
    ...(rule.exists ? [`exists: ${rule.exists.join(', ')}`] : []),
  ]
  return clauses.length === 0 ? 'it has no conditions' : clauses.join(', ')
}

/** A job of the pipeline, with the keywords that its matching rule replaces. */
export interface SelectedJob {
  readonly job: CompiledJob
  readonly when: string
  /** Seconds. */
  readonly start_in: number | null
  readonly allow_failure: boolean
  readonly allowed_exit_codes: readonly number[] | null
  readonly needs: readonly Need[] | null
  readonly interruptible: boolean
  /** The variables of the root, the job and the matching rule. Later ones take precedence. */
  readonly variables: readonly Variable[]
  readonly reason: Reason
}

/** The jobs of a pipeline, and its errors. */
export interface Selection {
  /** False if the workflow rules prevent the pipeline. */
  readonly isAllowed: boolean
  /** The name of the pipeline, with variables expanded. */
  readonly name: string | null
  /** Sorted by stage, then in the order of the configuration. */
  readonly jobs: readonly SelectedJob[]
  /** The stages that have jobs. */
  readonly stages: readonly string[]
  readonly errors: readonly string[]
  /** Explains why a job of the configuration is in the pipeline or not. */
  explain(name: string): Reason | undefined
}

/** The default of `maxNeeds`. */
const MAX_NEEDS = 50

/** Selects the jobs of a pipeline from its configuration (spec ci 4.7-4.9, 4.13). */
export function selectJobs(built: Built, context: PipelineContext): Selection {
  const reasons = new Map<string, Reason>()
  const explain = (name: string) => reasons.get(name)
  const workflow = evaluateWorkflow(built, context, new LayeredVariables(context, built))
  if (workflow.refusal) {
    for (const job of built.jobs) reasons.set(job.name, workflow.refusal)
    return { isAllowed: false, name: null, jobs: [], stages: [], errors: [workflow.message], explain }
  }
  const values = new LayeredVariables(context, built, workflow.variables)
  const errors: string[] = []
  const jobs: SelectedJob[] = []
  for (const job of built.jobs) {
    const { reason, selected, error } = decide(job, context, values)
    reasons.set(job.name, reason)
    if (selected) jobs.push(withRootVariables(selected, built, workflow.variables))
    if (error) errors.push(error)
  }
  errors.push(...problemsOf(jobs, values, context.maxNeeds ?? MAX_NEEDS))
  if (errors.length === 0 && !jobs.some(({ job }) => job.stage !== '.pre' && job.stage !== '.post')) {
    errors.push('No stages / jobs for this pipeline.')
  }
  const sorted = jobs.toSorted((a, b) => a.job.stage_index - b.job.stage_index)
  const name =
    built.workflow.name === null
      ? null
      : expandText(built.workflow.name, (key) => values.root.get(key)).trim()
  const stagesWithJobs = new Set(sorted.map(({ job }) => job.stage))
  return {
    isAllowed: true,
    name: name === '' ? null : name,
    jobs: sorted,
    stages: built.stages.filter((stage) => stagesWithJobs.has(stage)),
    errors,
    explain,
  }
}

/** The result of `workflow:rules`: either a refusal with its error message, or variables. */
interface WorkflowResult {
  readonly refusal: Reason | null
  readonly message: string
  readonly variables: readonly Variable[]
}

function evaluateWorkflow(
  { workflow }: Built,
  context: PipelineContext,
  values: LayeredVariables,
): WorkflowResult {
  if (!workflow.rules) return { refusal: null, message: '', variables: [] }
  const refusal = (rule: number | null, text: string): WorkflowResult => ({
    refusal: { because: 'workflow', rule, text },
    message: 'Pipeline filtered out by workflow rules.',
    variables: [],
  })
  try {
    const match = firstMatch(workflow.rules, context, (name) => values.root.get(name))
    if (!match) return refusal(null, 'No rule of `workflow` matches, so there is no pipeline.')
    if (match.rule.when === 'never') {
      return refusal(
        match.index,
        `Rule ${match.index + 1} of \`workflow\` is \`when: never\` (${describe(match.rule)}).`,
      )
    }
    return { refusal: null, message: '', variables: match.rule.variables }
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error
    return { ...refusal(null, error.message), message: `Failed to parse rule for workflow: ${error.message}` }
  }
}

/** The decision about a job. `selected` is set if the job is in the pipeline. */
interface Decision {
  readonly reason: Reason
  readonly selected?: SelectedJob
  readonly error?: string
}

function decide(job: CompiledJob, context: PipelineContext, values: LayeredVariables): Decision {
  if (!job.rules) return decideByPolicies(job, context, values)
  try {
    const match = firstMatch(job.rules, context, values.lookup(job))
    if (!match) return { reason: { because: 'no_rule', rule: null, text: 'None of its rules matches.' } }
    const description = `rule ${match.index + 1} matches (${describe(match.rule)})`
    const when = match.rule.when ?? job.when
    if (when === 'never') {
      return {
        reason: { because: 'never', rule: match.index, text: `Left out: ${description} with when: never.` },
      }
    }
    const reason: Reason = { because: 'rule', rule: match.index, text: `Added: ${description}.` }
    return { reason, selected: applyRule(job, match.rule, when, reason) }
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error
    const text = `Failed to parse rule for ${job.name}: ${error.message}`
    return { reason: { because: 'error', rule: null, text }, error: text }
  }
}

function applyRule(job: CompiledJob, rule: Rule, when: string, reason: Reason): SelectedJob {
  return {
    job,
    when,
    start_in: rule.start_in ?? job.start_in,
    allow_failure: rule.allow_failure ?? job.allow_failure,
    allowed_exit_codes: rule.allow_failure === null ? job.allowed_exit_codes : null,
    needs: rule.needs ?? job.needs,
    interruptible: rule.interruptible ?? job.interruptible,
    variables: rule.variables,
    reason,
  }
}

const NO_RULE: Rule = {
  if: null,
  changes: null,
  exists: null,
  when: null,
  start_in: null,
  allow_failure: null,
  variables: [],
  needs: null,
  interruptible: null,
}

function decideByPolicies(job: CompiledJob, context: PipelineContext, values: LayeredVariables): Decision {
  const lookup = values.lookup(job)
  if (job.only && !isOnly(job.only, context, lookup)) {
    const target = `${context.kind.replace('_', ' ')} ${context.ref}, source ${context.source}`
    return { reason: { because: 'only', rule: null, text: `Left out: \`only\` does not match (${target}).` } }
  }
  if (job.except && isExcept(job.except, context, lookup)) {
    return { reason: { because: 'except', rule: null, text: 'Left out: `except` matches.' } }
  }
  const reason: Reason = { because: 'default', rule: null, text: 'Added: nothing excludes it.' }
  return { reason, selected: applyRule(job, NO_RULE, job.when, reason) }
}

function withRootVariables(selected: SelectedJob, built: Built, workflow: readonly Variable[]): SelectedJob {
  const inherits = selected.job.inherits_variables
  const root = [
    ...built.variables.map(({ key, value, raw }) => ({ key, value, ...(raw ? { raw } : {}) })),
    ...workflow,
  ]
  const inherited =
    inherits === true ? root : inherits === false ? [] : root.filter(({ key }) => inherits.includes(key))
  return { ...selected, variables: [...inherited, ...selected.job.variables, ...selected.variables] }
}

/** The errors that depend on the set of selected jobs. */
function problemsOf(jobs: readonly SelectedJob[], values: LayeredVariables, maxNeeds: number): string[] {
  const names = new Set(jobs.map(({ job }) => job.name))
  const errors: string[] = []
  for (const { job, needs, variables } of jobs) {
    const missing = needs?.find((need) => !need.optional && !names.has(need.name))
    if (missing) {
      errors.push(
        `'${job.name}' job needs '${missing.name}' job, but '${missing.name}' does not exist in the pipeline. ` +
          'This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.',
      )
    } else if ((needs?.length ?? 0) > maxNeeds) {
      errors.push(
        `${job.name}: one job can only need ${maxNeeds} others, but you have listed ${needs!.length}. See needs keyword documentation for more details`,
      )
    }
    const cycle = variables.some(({ value }) => /[$%]/.test(value)) ? values.cycle(job, variables) : null
    if (cycle) errors.push(`${job.name}: circular variable reference detected: ${JSON.stringify(cycle)}`)
  }
  return errors
}

/** The git data that the selection needs: whether it needs files and changed paths, and the refs of `compare_to`. */
export function needsOfSelection({ jobs, workflow }: Built): {
  readonly files: boolean
  readonly changes: boolean
  readonly since: readonly string[]
} {
  const rules = [...jobs.flatMap((job) => job.rules ?? []), ...(workflow.rules ?? [])]
  const compareTo = rules.flatMap(({ changes }) => changes?.compare_to ?? [])
  return {
    files: rules.some(({ exists }) => exists !== null),
    changes:
      rules.some(({ changes }) => changes !== null && changes.compare_to === null) ||
      jobs.some(({ only, except }) => only?.changes != null || except?.changes != null),
    since: [...new Set(compareTo)],
  }
}

type Lookup = (name: string) => string | undefined

/** `only:` is true if all of its conditions are true. Of several refs one has to match (spec ci 4.9). */
function isOnly(policy: Policy, context: PipelineContext, values: Lookup): boolean {
  return conditionsOf(policy, context, values).every(Boolean)
}

/** `except:` is true if any of its conditions is true. */
function isExcept(policy: Policy, context: PipelineContext, values: Lookup): boolean {
  return conditionsOf(policy, context, values).some(Boolean)
}

function conditionsOf(policy: Policy, context: PipelineContext, values: Lookup): boolean[] {
  const conditions: boolean[] = []
  if (policy.refs) conditions.push(policy.refs.some((ref) => isRef(ref, context)))
  if (policy.variables) conditions.push(policy.variables.some((variable) => isTrue(variable, values)))
  if (policy.changes) conditions.push(isChanged(policy.changes, context.changes, values))
  if (policy.kubernetes) conditions.push(context.hasCluster === true)
  return conditions
}

function isRef(text: string, context: PipelineContext): boolean {
  const [, pattern, path] = /^(\/.*\/[ismU]*|[^@]*)(?:@(.*))?$/s.exec(text) ?? [text, text]
  if (path !== undefined && path !== context.project) return false
  if (pattern === 'branches') return context.kind === 'branch'
  if (pattern === 'tags') return context.kind === 'tag'
  const source = context.source.replace(/_event$/, '')
  if (pattern === source || pattern === pluralOf(source)) return true
  // Names and patterns match only branches and tags.
  if (context.kind === 'merge_request' || pattern === undefined) return false
  return looksLikePattern(pattern)
    ? (patternOf(pattern)?.test(context.ref) ?? false)
    : pattern === context.ref
}

function pluralOf(source: string): string {
  return source === 'push' ? 'pushes' : `${source}s`
}
