import type { Ctx } from '../../../ctx.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { isoDate } from '../../../lib/clock.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { inRepository, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import {
  type Built,
  compileInThread,
  type Compiled,
  noProject,
  resolverFor,
  type Selection,
  type CompiledJob,
  type Included,
  type Policy,
  type Problem,
} from '../../ci_config/index.ts'
import {
  compileIn,
  configOf,
  INCLUDE_MS,
  type CompileContext,
  compileContextFor,
  limitsOf,
} from '../pipelines/creation/compiling.ts'
import { PipelineRefused, type PipelineTarget, targetOf } from '../pipelines/creation/request.ts'
import { checkProject, checkTarget, mayRunOn } from '../policy.ts'
import { jobChooser } from '../pipelines/creation/selecting.ts'
import { nextIidEstimate } from '../pipelines/creation/store.ts'
import { isDeveloperSomewhere } from '../../members/index.ts'

/**
 * Checks a configuration without a project, which can include only URLs and templates. Throws 401 if the actor may not
 * use lint.
 */
export async function lintContent(ctx: Ctx, content: string, parts: RequestedParts): Promise<Lint> {
  if (!mayLint(ctx)) throw fail('unauthorized', '401 Unauthorized')
  const signal = AbortSignal.timeout(INCLUDE_MS)
  const { remote, template } = resolverFor(ctx, signal)
  const resolver = { ...noProject, remote, template }
  const compiled = await compileInThread(
    ctx,
    content,
    resolver,
    { origin: null, limits: limitsOf(ctx) },
    signal,
  )
  return lintOf(compiled, parts)
}

/**
 * Whether the actor may check configurations without a project (spec ci 4.14). While sign-up is enabled everybody may.
 * Otherwise anonymous callers may not, and external users must be a developer of a project or group.
 */
function mayLint(ctx: Ctx): boolean {
  const { actor } = ctx
  if (settingsOf(ctx).signup_enabled) return true
  if (actor.kind !== 'user') return actor.kind === 'system'
  return !actor.external || isDeveloperSomewhere(ctx.db, actor.id, isoDate(ctx.now))
}

/** A configuration to check in a project. */
export interface ConfigCheck {
  /**
   * The text of the configuration. The default is the configuration of the project at `sha`.
   */
  readonly content?: string | undefined
  /** The commit, branch or tag of the configuration. The default is the default branch. */
  readonly sha?: string | undefined
  readonly isDryRun: boolean
  /** The branch or tag of the dry run. */
  readonly ref?: string | undefined
  /** Whether users who may not run jobs on a protected ref also see its jobs. */
  readonly isLenient?: boolean
  readonly parts: RequestedParts
}

/** The result of a check. `selection` is set after a dry run. */
export interface CheckResult {
  readonly lint: Lint
  readonly compiled: Compiled
  readonly selection: Selection | undefined
}

/**
 * Checks a configuration in a project. A dry run also selects the jobs of the pipeline that a push would create. It uses
 * the functions that create pipelines, so the same permissions and protections apply. Throws 404 for an unknown commit.
 */
export async function lintInProject(ctx: Ctx, project: Project, check: ConfigCheck): Promise<CheckResult> {
  return inRepository(ctx, project, async (repo) => {
    const sha = await resolveCommit(repo, check.sha ?? project.default_branch)
    if (sha === null && check.sha !== undefined) throw notFound('Commit')
    const match = await targetOf(ctx, project, check.ref || `refs/heads/${project.default_branch}`)
    const target = typeof match === 'string' || !match ? null : permittedTarget(ctx, project, match)
    const text = check.content ?? (sha === null ? null : await configOf(ctx, project, sha))
    const context = await compileContextFor(ctx, project, { source: 'push' }, target)
    const configSha = check.content !== undefined && check.isDryRun ? (target?.sha ?? sha) : sha
    const compiled = await compileIn(ctx, project, { text, sha: configSha }, context)
    const resultOf = (selection?: Selection): CheckResult => ({
      lint: lintOf(compiled, check.parts, selection),
      compiled,
      selection,
    })
    if (!check.isDryRun) return resultOf()
    const refusal = refusalOf(ctx, project, check, match)
    if (refusal !== null) return { ...resultOf(), lint: refusedLint(compiled, check.parts, refusal) }
    return compiled.built && target
      ? resultOf(await select(ctx, project, compiled.built, target, context))
      : resultOf()
  })
}

/**
 * The target without its protection if the actor may not run jobs on it, so that the check does not use protected
 * variables. The window shows its jobs nevertheless; in the API the dry run is refused, as the pipeline would be.
 */
function permittedTarget(ctx: Ctx, project: Project, target: PipelineTarget): PipelineTarget {
  return mayRunOn(ctx, project, target) ? target : { ...target, isProtected: false }
}

/** The error that prevents the pipeline whatever its configuration is. Null if there is none. */
function refusalOf(
  ctx: Ctx,
  project: Project,
  check: ConfigCheck,
  match: PipelineTarget | 'ambiguous' | null,
): string | null {
  if (match === null) return 'Reference not found'
  if (match === 'ambiguous') return 'Ref is ambiguous'
  try {
    checkProject(ctx, project, { source: 'push', ref: match.ref })
    if (!check.isLenient) checkTarget(ctx, project, match)
    return null
  } catch (error) {
    if (!(error instanceof PipelineRefused)) throw error
    return error.texts.join(', ')
  }
}

function refusedLint(compiled: Compiled, parts: RequestedParts, message: string): Lint {
  const problem = { message, file: null, line: null, column: null }
  return lintOf({ ...compiled, errors: [...compiled.errors, problem] }, parts)
}

/** Selects the jobs of a push to the target. There are no changed files that `rules:changes` could compare. */
async function select(
  ctx: Ctx,
  project: Project,
  built: Built,
  target: PipelineTarget,
  context: CompileContext,
): Promise<Selection> {
  const choose = await jobChooser(ctx, project, built, { ...context, target, request: { source: 'push' } })
  return choose(nextIidEstimate(ctx.db, project.id)).selection
}

/** A job of a lint result. */
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

/** The result of lint. */
export interface Lint {
  readonly valid: boolean
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** Undefined if it was not requested, and null if the configuration could not be read. */
  readonly merged_yaml?: string | null
  readonly includes: readonly Included[] | null
  readonly jobs?: LintJob[]
}

/** The optional parts of a lint result that the caller requested. */
interface RequestedParts {
  readonly merged_yaml: boolean
  readonly jobs: boolean
}

/** The lint result for a compiled configuration. With a selection it is the result of a dry run. */
function lintOf(compiled: Compiled, parts: RequestedParts, selection?: Selection): Lint {
  const selectionErrors = (selection?.errors ?? []).map((message) => ({
    message,
    file: null,
    line: null,
    column: null,
  }))
  const errors = [...compiled.errors, ...selectionErrors]
  const valid = errors.length === 0
  const jobs = !valid ? [] : selection ? selectedJobs(selection) : staticJobs(compiled)
  return {
    valid,
    errors,
    warnings: compiled.warnings,
    ...(parts.merged_yaml ? { merged_yaml: compiled.merged_yaml } : {}),
    includes: compiled.includes,
    ...(parts.jobs ? { jobs } : {}),
  }
}

/** The jobs of the configuration by stage, then in their order. */
function staticJobs({ built }: Compiled): LintJob[] {
  const sorted = (built?.jobs ?? []).toSorted((a, b) => a.stage_index - b.stage_index)
  return sorted.map((job) => {
    const { when, allow_failure, ...base } = baseOf(job)
    const { name, stage, before_script, script, after_script, tag_list, environment } = base
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
  return selection.jobs.map(({ job, when, allow_failure }) => ({ ...baseOf(job), when, allow_failure }))
}

/** The fields that all lint results of a job contain. */
function baseOf(job: CompiledJob): LintJob {
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
