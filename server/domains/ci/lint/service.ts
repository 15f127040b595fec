import type { Ctx } from '../../../ctx.ts'
import { resolveCommit } from '../../../git/revisions.ts'
import { isoDate } from '../../../lib/clock.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { inRepository, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import {
  type Built,
  compileApart,
  type Compiled,
  noProject,
  resolverFor,
  type Selection,
} from '../../ci_config/index.ts'
import {
  compileIn,
  configOf,
  INCLUDE_MS,
  type Known,
  knownFor,
  limitsOf,
} from '../pipelines/creation/compiling.ts'
import { PipelineRefused } from '../pipelines/creation/request.ts'
import { checkProject, checkTarget, mayRunOn } from '../pipelines/creation/policy.ts'
import { chooser } from '../pipelines/creation/selecting.ts'
import { probableIid } from '../pipelines/creation/store.ts'
import { type PipelineTarget, targetOf } from '../pipelines/creation/target.ts'
import { type Lint, lintOf, type Wanted } from './result.ts'
import { isDeveloperSomewhere } from './store.ts'

/** A configuration without a project: only addresses and templates can be included. 401 for whom it is not open. */
export async function lintAlone(ctx: Ctx, content: string, wanted: Wanted): Promise<Lint> {
  if (!mayLint(ctx)) throw fail('unauthorized', '401 Unauthorized')
  const signal = AbortSignal.timeout(INCLUDE_MS)
  const { remote, template } = resolverFor(ctx, signal)
  const resolver = { ...noProject, remote, template }
  const compiled = await compileApart(ctx, content, resolver, { origin: null, limits: limitsOf(ctx) }, signal)
  return lintOf(compiled, wanted)
}

/** Open where anybody may sign up, to users of this house, and to external ones who develop something (spec ci 4.14). */
function mayLint(ctx: Ctx): boolean {
  const { actor } = ctx
  if (settingsOf(ctx).signup_enabled) return true
  if (actor.kind !== 'user') return actor.kind === 'system'
  return !actor.external || isDeveloperSomewhere(ctx.db, actor.id, isoDate(ctx.now))
}

/** What is tried in a project. */
export interface Trial {
  /** The text, or what the project has at `sha` (a commit, branch or tag; the default branch otherwise). */
  readonly content?: string | undefined
  readonly sha?: string | undefined
  readonly isDryRun: boolean
  /** Branch or tag of the dry run. */
  readonly ref?: string | undefined
  /** Jobs of a protected ref are shown to those as well who may not run there. */
  readonly isLenient?: boolean
  readonly wanted: Wanted
}

/** A trial with everything that is known about it. */
export interface Tried {
  readonly lint: Lint
  readonly compiled: Compiled
  readonly selection: Selection | undefined
}

/**
 * Tries a configuration in a project, and in a dry run what pipeline a push would make: on the very way on which pipelines
 * are made, so that rights and protection count as there. 404 for a commit that is not there.
 */
export async function lintInProject(ctx: Ctx, project: Project, trial: Trial): Promise<Tried> {
  return inRepository(ctx, project, async (repo) => {
    const sha = await resolveCommit(repo, trial.sha ?? project.default_branch)
    if (sha === null && trial.sha !== undefined) throw notFound('Commit')
    const found = await targetOf(ctx, project, trial.ref || `refs/heads/${project.default_branch}`)
    const target = typeof found === 'string' || !found ? null : openTarget(ctx, project, found)
    const text = trial.content ?? (sha === null ? null : await configOf(ctx, project, sha))
    const known = await knownFor(ctx, project, { source: 'push' }, target)
    const at = trial.content !== undefined && trial.isDryRun ? (target?.sha ?? sha) : sha
    const compiled = await compileIn(ctx, project, { text, sha: at }, known)
    const tried = (selection?: Selection): Tried => ({
      lint: lintOf(compiled, trial.wanted, selection),
      compiled,
      selection,
    })
    if (!trial.isDryRun) return tried()
    const refusal = refusalOf(ctx, project, trial, found)
    if (refusal !== null) return { ...tried(), lint: refusedLint(compiled, trial.wanted, refusal) }
    return compiled.built && target
      ? tried(await select(ctx, project, compiled.built, target, known))
      : tried()
  })
}

/**
 * What a protected ref holds is only tried by those who may run there. In the window others see their jobs without its
 * variables; elsewhere a dry run is refused to them, as the pipeline would be.
 */
function openTarget(ctx: Ctx, project: Project, target: PipelineTarget): PipelineTarget {
  return mayRunOn(ctx, project, target) ? target : { ...target, isProtected: false }
}

/** Why there would be no pipeline, whatever the configuration says. */
function refusalOf(
  ctx: Ctx,
  project: Project,
  trial: Trial,
  found: PipelineTarget | 'ambiguous' | null,
): string | null {
  if (found === null) return 'Reference not found'
  if (found === 'ambiguous') return 'Ref is ambiguous'
  try {
    checkProject(ctx, project, { source: 'push', ref: found.ref })
    if (!trial.isLenient) checkTarget(ctx, project, found)
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

/** The jobs of a push to the target, which changes nothing that could be compared. */
async function select(
  ctx: Ctx,
  project: Project,
  built: Built,
  target: PipelineTarget,
  known: Known,
): Promise<Selection> {
  const choose = await chooser(ctx, project, built, { ...known, target, order: { source: 'push' } })
  return choose(probableIid(ctx.db, project.id)).selection
}
