import type { Ctx } from '../../../ctx.ts'
import { listChanges } from '../../../git/changes.ts'
import { resolveCommit } from '../../../git/revisions.ts'
import { isoDate } from '../../../lib/clock.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { fullPath, inRepository, repoOf, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import type { Compiled } from '../config/compile.ts'
import type { Built } from '../config/build/build.ts'
import { noProject } from '../config/includes/resolver.ts'
import { compileApart } from '../config/thread/compile-apart.ts'
import { needsOfSelection, selectJobs, type Selection } from '../config/select/select.ts'
import type { Variable } from '../config/variables.ts'
import { variablesForRules } from '../job_variables/for-rules.ts'
import { configPath } from '../job_variables/of-project.ts'
import { predefinedForPipeline } from '../job_variables/predefined.ts'
import { fetchRemote } from './remote.ts'
import { fileOf, filesOf, resolverFor } from './resolver.ts'
import { lintOf, type Lint, type Wanted } from './result.ts'
import { isDeveloperSomewhere } from './store.ts'
import { targetOf, type Target } from './target.ts'

/** Longest time for includes (spec ci 4.1). */
const INCLUDE_MS = 30_000

/** A configuration without a project: only addresses and templates can be included. 401 for whom it is not open. */
export async function lintAlone(ctx: Ctx, content: string, wanted: Wanted): Promise<Lint> {
  if (!mayLint(ctx)) throw fail('unauthorized', '401 Unauthorized')
  const signal = AbortSignal.timeout(INCLUDE_MS)
  const resolver = { ...noProject, remote: (url: string) => fetchRemote(ctx, url, signal) }
  const compiled = await compileApart(content, resolver, { origin: null }, signal)
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
  readonly wanted: Wanted
}

/** A trial with everything that is known about it. */
export interface Tried {
  readonly lint: Lint
  readonly compiled: Compiled
  readonly selection: Selection | undefined
}

/** Tries a configuration in a project, and in a dry run what pipeline it would make. 404 for a commit that is not there. */
export async function lintInProject(ctx: Ctx, project: Project, trial: Trial): Promise<Tried> {
  return inRepository(ctx, project, async (repo) => {
    const sha = await resolveCommit(repo, trial.sha ?? project.default_branch)
    if (sha === null && trial.sha !== undefined) throw notFound('Commit')
    const target = await targetOf(ctx, project, trial.ref)
    const text = trial.content ?? (sha === null ? null : await fileOf(ctx, project, sha, configPath(project)))
    const signal = AbortSignal.timeout(INCLUDE_MS)
    const predefined = await predefinedFor(ctx, project, target)
    const at = trial.content !== undefined && trial.isDryRun ? (target?.sha ?? sha) : sha
    const compiled = await compileApart(
      text,
      resolverFor(ctx, signal),
      {
        origin: at === null ? null : { project: fullPath(project), sha: at },
        variables: new Map(predefined.map(({ key, value }) => [key, value])),
      },
      signal,
    )
    if (!trial.isDryRun) return { lint: lintOf(compiled, trial.wanted), compiled, selection: undefined }
    if (!target) return { lint: withoutRef(compiled, trial.wanted), compiled, selection: undefined }
    const selection = compiled.built ? await select(ctx, project, compiled.built, target) : undefined
    return { lint: lintOf(compiled, trial.wanted, selection), compiled, selection }
  })
}

function withoutRef(compiled: Compiled, wanted: Wanted): Lint {
  const missing = { message: 'Reference not found', file: null, line: null, column: null }
  return lintOf({ ...compiled, errors: [...compiled.errors, missing] }, wanted)
}

/** The jobs of a push to the target, which changes nothing that could be compared. */
async function select(ctx: Ctx, project: Project, built: Built, target: Target): Promise<Selection> {
  const needed = needsOfSelection(built)
  return selectJobs(built, {
    source: 'push',
    ref: target.ref,
    kind: target.kind,
    project: fullPath(project),
    predefined: await predefinedFor(ctx, project, target),
    stored: variablesForRules(ctx, project, { isProtected: target.isProtected }),
    changes: null,
    changesSince: await changesSince(ctx, project, target, needed.since),
    files: needed.files ? await filesOf(ctx, project, target.sha) : null,
  })
}

/** What the instance would give to a pipeline of a push by whoever asks; less where there is nothing to push to. */
async function predefinedFor(ctx: Ctx, project: Project, target: Target | null): Promise<Variable[]> {
  const source = 'push'
  const user = ctx.actor.kind === 'user' ? ctx.actor : null
  const given = await predefinedForPipeline(ctx, project, target && { ...target, source, user })
  return target ? given : [...given, { key: 'CI_PIPELINE_SOURCE', value: source }]
}

/** Paths that differ from each ref; a ref that is none is left out. */
async function changesSince(
  ctx: Ctx,
  project: Project,
  target: Target,
  refs: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const repo = repoOf(ctx, project)
  const found = new Map<string, readonly string[]>()
  for (const ref of refs.slice(0, 20)) {
    const sha = await resolveCommit(repo, ref)
    if (sha === null) continue
    const changes = await listChanges(repo, { from: sha, to: target.sha })
    found.set(
      ref,
      changes.flatMap(({ old_path, new_path }) => [old_path, new_path]),
    )
  }
  return found
}
