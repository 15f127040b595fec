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
  knownFor,
  limitsOf,
} from '../pipelines/creation/compiling.ts'
import { PipelineRefused, type PipelineTarget, targetOf } from '../pipelines/creation/request.ts'
import { checkProject, checkTarget, mayRunOn } from '../policy.ts'
import { chooser } from '../pipelines/creation/selecting.ts'
import { probableIid } from '../pipelines/creation/store.ts'
import { isDeveloperSomewhere } from './store.ts'

/** Checks a configuration without a project, which can include addresses and templates only. Throws 401. */
export async function lintContent(ctx: Ctx, content: string, wanted: Wanted): Promise<Lint> {
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
  return lintOf(compiled, wanted)
}

/**
 * Open to all while sign-up is enabled, to internal users, and to external users who are Developer somewhere (spec ci
 * 4.14).
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
   * The text of the configuration; by default that of the project at `sha` (a commit, branch or tag; the default branch
   * otherwise).
   */
  readonly content?: string | undefined
  readonly sha?: string | undefined
  readonly isDryRun: boolean
  /** Branch or tag of the dry run. */
  readonly ref?: string | undefined
  /** Shows jobs of a protected ref also to users who may not run jobs there. */
  readonly isLenient?: boolean
  readonly wanted: Wanted
}

/** The result of a trial. */
export interface CheckResult {
  readonly lint: Lint
  readonly compiled: Compiled
  readonly selection: Selection | undefined
}

/**
 * Checks a configuration in a project, and in a dry run which pipeline a push would create. It calls the functions that
 * create pipelines, so that permissions and protection count as there. Throws 404 for an unknown commit.
 */
export async function lintInProject(ctx: Ctx, project: Project, trial: ConfigCheck): Promise<CheckResult> {
  return inRepository(ctx, project, async (repo) => {
    const sha = await resolveCommit(repo, trial.sha ?? project.default_branch)
    if (sha === null && trial.sha !== undefined) throw notFound('Commit')
    const match = await targetOf(ctx, project, trial.ref || `refs/heads/${project.default_branch}`)
    const target = typeof match === 'string' || !match ? null : openTarget(ctx, project, match)
    const text = trial.content ?? (sha === null ? null : await configOf(ctx, project, sha))
    const context = await knownFor(ctx, project, { source: 'push' }, target)
    const at = trial.content !== undefined && trial.isDryRun ? (target?.sha ?? sha) : sha
    const compiled = await compileIn(ctx, project, { text, sha: at }, context)
    const tried = (selection?: Selection): CheckResult => ({
      lint: lintOf(compiled, trial.wanted, selection),
      compiled,
      selection,
    })
    if (!trial.isDryRun) return tried()
    const refusal = refusalOf(ctx, project, trial, match)
    if (refusal !== null) return { ...tried(), lint: refusedLint(compiled, trial.wanted, refusal) }
    return compiled.built && target
      ? tried(await select(ctx, project, compiled.built, target, context))
      : tried()
  })
}

/**
 * Only users who may run jobs on a protected ref use its variables. In the window other users see the jobs without
 * these variables; elsewhere their dry run is refused, as the pipeline would be.
 */
function openTarget(ctx: Ctx, project: Project, target: PipelineTarget): PipelineTarget {
  return mayRunOn(ctx, project, target) ? target : { ...target, isProtected: false }
}

/** The reason why no pipeline would be created, regardless of the configuration. */
function refusalOf(
  ctx: Ctx,
  project: Project,
  trial: ConfigCheck,
  match: PipelineTarget | 'ambiguous' | null,
): string | null {
  if (match === null) return 'Reference not found'
  if (match === 'ambiguous') return 'Ref is ambiguous'
  try {
    checkProject(ctx, project, { source: 'push', ref: match.ref })
    if (!trial.isLenient) checkTarget(ctx, project, match)
    return null
  } catch (error) {
    if (!(error instanceof PipelineRefused)) throw error
    return error.texts.join(', ')
  }
}

function refusedLint(compiled: Compiled, wanted: Wanted, message: string): Lint {
  const problem = { message, file: null, line: null, column: null }
  return lintOf({ ...compiled, errors: [...compiled.errors, problem] }, wanted)
}

/** The jobs of a push to the target. There are no changed files for `rules:changes` to compare. */
async function select(
  ctx: Ctx,
  project: Project,
  built: Built,
  target: PipelineTarget,
  context: CompileContext,
): Promise<Selection> {
  const choose = await chooser(ctx, project, built, { ...context, target, request: { source: 'push' } })
  return choose(probableIid(ctx.db, project.id)).selection
}

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
interface Wanted {
  readonly merged_yaml: boolean
  readonly jobs: boolean
}

/** The result for a compiled configuration; with a selection, the result of a dry run. */
function lintOf(compiled: Compiled, wanted: Wanted, selection?: Selection): Lint {
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
