import type { Built } from '../build/build.ts'
import { isTrue } from '../language/expressions.ts'
import type { CompiledJob, Need, Policy, Rule } from '../types.ts'
import { looksLikePattern, patternOf, globOf, remembered } from '../language/patterns.ts'
import { expandText, type Variable } from '../language/variables.ts'
import { SelectionError, type PipelineContext, type Reason, Values } from './values.ts'

const MAX_CHANGES = 50_000
const MAX_EXISTS = 10_000

/** Cached, because a pipeline uses the same globs for many jobs. */
const glob = remembered(globOf, 2000)

function anyCovered(
  globs: readonly string[],
  paths: readonly string[],
  values: Lookup,
  limit: number,
): boolean {
  if (globs.length * paths.length > limit) return true
  return globs.some((text) => {
    const pattern = glob(expandText(text, values))
    return paths.some((path) => pattern.covers(path))
  })
}

/** True if the globs cover a changed path, or there is no commit to compare with (spec ci 4.7). */
function isChanged(globs: readonly string[], changes: readonly string[] | null, values: Lookup): boolean {
  return changes === null || anyCovered(globs, changes, values, MAX_CHANGES)
}

/** The first rule with only true clauses. Throws SelectionError for an unknown ref in `compare_to`, and out of time. */
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
  const wanted = rule.changes?.compare_to
  if (wanted === null || wanted === undefined) return context.changes
  const name = expandText(wanted, values)
  const changes = context.changesSince?.get(name)
  if (changes === undefined) throw new SelectionError('rules:changes:compare_to is not a valid ref')
  return changes
}

/** The clauses of a rule in words. */
function inWords(rule: Rule): string {
  const words = [
    ...(rule.if === null ? [] : [`if: ${rule.if}`]),
    ...(rule.changes ? [`changes: ${rule.changes.paths.join(', ')}`] : []),
    ...(rule.exists ? [`exists: ${rule.exists.join(', ')}`] : []),
  ]
  return words.length === 0 ? 'it has no conditions' : words.join(', ')
}

/** A job that is in the pipeline, with the changes of its rule. */
export interface SelectedJob {
  readonly job: CompiledJob
  readonly when: string
  /** Seconds. */
  readonly start_in: number | null
  readonly allow_failure: boolean
  readonly allowed_exit_codes: readonly number[] | null
  readonly needs: readonly Need[] | null
  readonly interruptible: boolean
  /** Root, job and matched rule, in the order of precedence. */
  readonly variables: readonly Variable[]
  readonly reason: Reason
}

/** The jobs that a pipeline would have. */
export interface Selection {
  /** False if the workflow rules prevent the pipeline. */
  readonly isWanted: boolean
  /** Name of the pipeline, with variables expanded. */
  readonly name: string | null
  /** By stage, then in the order of the configuration. */
  readonly jobs: readonly SelectedJob[]
  /** Stages that have jobs. */
  readonly stages: readonly string[]
  readonly errors: readonly string[]
  /** Explains why a job of the configuration is in the pipeline or not. */
  explain(name: string): Reason | undefined
}

/** Default of the instance's limit of needs. */
const MAX_NEEDS = 50

/** Which jobs of a configuration a pipeline would have (spec ci 4.7-4.9, 4.13). Pure. */
export function selectJobs(built: Built, context: PipelineContext): Selection {
  const reasons = new Map<string, Reason>()
  const explain = (name: string) => reasons.get(name)
  const before = new Values(context, built)
  const start = workflowOf(built, context, before)
  if (start.refusal) {
    for (const job of built.jobs) reasons.set(job.name, start.refusal)
    return { isWanted: false, name: null, jobs: [], stages: [], errors: [start.message], explain }
  }
  const values = new Values(context, built, start.variables)
  const errors: string[] = []
  const jobs: SelectedJob[] = []
  for (const job of built.jobs) {
    const { reason, selected, error } = verdictOf(job, context, values)
    reasons.set(job.name, reason)
    if (selected) jobs.push(withRootVariables(selected, built, start.variables))
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
  const used = new Set(sorted.map(({ job }) => job.stage))
  return {
    isWanted: true,
    name: name === '' ? null : name,
    jobs: sorted,
    stages: built.stages.filter((stage) => used.has(stage)),
    errors,
    explain,
  }
}

interface Start {
  readonly refusal: Reason | null
  readonly message: string
  readonly variables: readonly Variable[]
}

function workflowOf({ workflow }: Built, context: PipelineContext, values: Values): Start {
  if (!workflow.rules) return { refusal: null, message: '', variables: [] }
  const refusal = (rule: number | null, text: string): Start => ({
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
        `Rule ${match.index + 1} of \`workflow\` is \`when: never\` (${inWords(match.rule)}).`,
      )
    }
    return { refusal: null, message: '', variables: match.rule.variables }
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error
    return { ...refusal(null, error.message), message: `Failed to parse rule for workflow: ${error.message}` }
  }
}

interface Verdict {
  readonly reason: Reason
  readonly selected?: SelectedJob
  readonly error?: string
}

function verdictOf(job: CompiledJob, context: PipelineContext, values: Values): Verdict {
  if (!job.rules) return byPolicies(job, context, values)
  try {
    const match = firstMatch(job.rules, context, values.lookup(job))
    if (!match) return { reason: { because: 'no_rule', rule: null, text: 'None of its rules matches.' } }
    const words = `rule ${match.index + 1} matches (${inWords(match.rule)})`
    const when = match.rule.when ?? job.when
    if (when === 'never') {
      return { reason: { because: 'never', rule: match.index, text: `Left out: ${words} with when: never.` } }
    }
    const reason: Reason = { because: 'rule', rule: match.index, text: `Added: ${words}.` }
    return { reason, selected: byRule(job, match.rule, when, reason) }
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error
    const text = `Failed to parse rule for ${job.name}: ${error.message}`
    return { reason: { because: 'error', rule: null, text }, error: text }
  }
}

function byRule(job: CompiledJob, rule: Rule, when: string, reason: Reason): SelectedJob {
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

function byPolicies(job: CompiledJob, context: PipelineContext, values: Values): Verdict {
  const lookup = values.lookup(job)
  if (job.only && !isOnly(job.only, context, lookup)) {
    const what = `${context.kind.replace('_', ' ')} ${context.ref}, source ${context.source}`
    return { reason: { because: 'only', rule: null, text: `Left out: \`only\` does not match (${what}).` } }
  }
  if (job.except && isExcept(job.except, context, lookup)) {
    return { reason: { because: 'except', rule: null, text: 'Left out: `except` matches.' } }
  }
  const reason: Reason = { because: 'default', rule: null, text: 'Added: nothing excludes it.' }
  return { reason, selected: byRule(job, NO_RULE, job.when, reason) }
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

/** Problems that depend on the set of selected jobs. */
function problemsOf(jobs: readonly SelectedJob[], values: Values, maxNeeds: number): string[] {
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

/** The git data that a selection needs: files, changed paths, and the refs to compare with. */
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

/** `only:` holds if all given parts hold; refs are alternatives of each other (spec ci 4.9). */
function isOnly(policy: Policy, context: PipelineContext, values: Lookup): boolean {
  return partsOf(policy, context, values).every(Boolean)
}

/** `except:` holds if any given part holds. */
function isExcept(policy: Policy, context: PipelineContext, values: Lookup): boolean {
  return partsOf(policy, context, values).some(Boolean)
}

function partsOf(policy: Policy, context: PipelineContext, values: Lookup): boolean[] {
  const parts: boolean[] = []
  if (policy.refs) parts.push(policy.refs.some((ref) => isRef(ref, context)))
  if (policy.variables) parts.push(policy.variables.some((variable) => isTrue(variable, values)))
  if (policy.changes) parts.push(isChanged(policy.changes, context.changes, values))
  if (policy.kubernetes) parts.push(context.hasCluster === true)
  return parts
}

function isRef(text: string, context: PipelineContext): boolean {
  const [, pattern, path] = /^(\/.*\/[ismU]*|[^@]*)(?:@(.*))?$/s.exec(text) ?? [text, text]
  if (path !== undefined && path !== context.project) return false
  if (pattern === 'branches') return context.kind === 'branch'
  if (pattern === 'tags') return context.kind === 'tag'
  const source = context.source.replace(/_event$/, '')
  if (pattern === source || pattern === pluralOf(source)) return true
  // Names and patterns match branches and tags only.
  if (context.kind === 'merge_request' || pattern === undefined) return false
  return looksLikePattern(pattern)
    ? (patternOf(pattern)?.test(context.ref) ?? false)
    : pattern === context.ref
}

function pluralOf(source: string): string {
  return source === 'push' ? 'pushes' : `${source}s`
}
