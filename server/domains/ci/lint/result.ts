import type { Compiled, CompiledJob, Included, Policy, Problem, Selection } from '../../ci_config/index.ts'

/** One job of an answer. */
export interface LintJob {
  name: string
  stage: string
  before_script: string[]
  script: string[]
  after_script: string[]
  tag_list: string[]
  only?: Record<string, unknown> | null
  except?: Record<string, unknown> | null
  environment: string | null
  when: string
  allow_failure: boolean
  needs?: { name: string; artifacts: boolean; optional: boolean }[] | null
}

/** The result of a check. */
export interface Lint {
  readonly valid: boolean
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** Undefined if it was not requested; null if the configuration could not be read. */
  readonly merged_yaml?: string | null
  readonly includes: readonly Included[] | null
  readonly jobs?: LintJob[]
}

/** What an answer includes. */
export interface Wanted {
  readonly merged_yaml: boolean
  readonly jobs: boolean
}

/** The result for a compiled configuration; with a selection, the result of a dry run. */
export function lintOf(compiled: Compiled, wanted: Wanted, selection?: Selection): Lint {
  const more = (selection?.errors ?? []).map((message) => ({ message, file: null, line: null, column: null }))
  const errors = [...compiled.errors, ...more]
  const valid = errors.length === 0
  const jobs = !valid ? [] : selection ? selectedJobs(selection) : staticJobs(compiled)
  return {
    valid,
    errors,
    warnings: compiled.warnings,
    ...(wanted.merged_yaml ? { merged_yaml: compiled.merged_yaml } : {}),
    includes: compiled.includes,
    ...(wanted.jobs ? { jobs } : {}),
  }
}

/** By stage, then as in the configuration. */
function staticJobs({ built }: Compiled): LintJob[] {
  const sorted = (built?.jobs ?? []).toSorted((a, b) => a.stage_index - b.stage_index)
  return sorted.map((job) => {
    const { when, allow_failure, ...rest } = base(job)
    const { name, stage, before_script, script, after_script, tag_list, environment } = rest
    return {
      name,
      stage,
      before_script,
      script,
      after_script,
      tag_list,
      only: policyOf(job.only),
      except: policyOf(job.except),
      environment,
      when,
      allow_failure,
      needs: job.needs && job.needs.map((need) => ({ ...need })),
    }
  })
}

function selectedJobs(selection: Selection): LintJob[] {
  return selection.jobs.map(({ job, when, allow_failure }) => ({ ...base(job), when, allow_failure }))
}

function base(job: CompiledJob): LintJob {
  return {
    name: job.name,
    stage: job.stage,
    before_script: [...job.before_script],
    script: [...job.script],
    after_script: [...job.after_script],
    tag_list: [...job.tag_list],
    environment: job.environment?.name ?? null,
    when: job.when,
    allow_failure: job.allow_failure,
  }
}

function policyOf(policy: Policy | null): Record<string, unknown> | null {
  if (!policy) return null
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== null))
}
