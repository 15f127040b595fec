import type { Ctx } from '../../../../ctx.ts'
import { planLimits } from '../../../settings/index.ts'
import { fullPath, repoOf, type Project } from '../../../projects/index.ts'
import {
  type Built,
  expandText,
  filesOf,
  needsOfSelection,
  type PipelineContext,
  type SelectedJob,
  type Selection,
  selectJobs,
  LayeredVariables,
} from '../../../ci_config/index.ts'
import type { SelectionContext } from './compiling.ts'
import { listChanges } from '../../../../git/write/changes.ts'
import { mergeBase } from '../../../../git/read/graph.ts'
import { isZeroId } from '../../../../git/names.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import type { PipelineRequest } from './request.ts'

/**
 * The time limit in milliseconds for all rules, because they block the main thread. Even the rules of thousands of jobs
 * take only a fraction of it.
 */
const MAX_MS = 3000

/** The selected jobs of a pipeline, with their variables. */
export interface Choice {
  readonly selection: Selection
  /** Returns a lookup of a job's variables, for the names of environments, resource groups and tags. */
  lookup(selected: SelectedJob): (name: string) => string | undefined
}

/**
 * Reads the git data that the rules need, and returns a function that selects the jobs of a configuration. Rules can use
 * the IID of the pipeline, which is only known when the pipeline is stored. The function can therefore be called again
 * with another IID.
 */
export async function jobChooser(
  ctx: Ctx,
  project: Project,
  built: Built,
  known: SelectionContext,
): Promise<(iid: number) => Choice> {
  const { target, request, stored } = known
  const needed = needsOfSelection(built)
  const context: Omit<PipelineContext, 'predefined'> = {
    source: request.source,
    ref: target.ref,
    kind: target.kind,
    project: fullPath(project),
    stored,
    maxNeeds: planLimits(ctx.db).ci_needs_size_limit,
    changes: needed.changes ? await changesOf(ctx, project, request, target.sha) : null,
    changesSince: await changesSince(ctx, project, expandRefs(needed.since, built, known), target.sha),
    files: needed.files ? await filesOf(ctx, project, target.sha) : null,
  }
  return (iid) => {
    const iidVariable = { key: 'CI_PIPELINE_IID', value: String(iid) }
    const deadline = performance.now() + MAX_MS
    const isLate = (): boolean => performance.now() > deadline
    const fullContext = { ...context, predefined: [...known.predefined, iidVariable], isLate }
    const values = new LayeredVariables(fullContext, built)
    return {
      selection: restrictToJob(selectJobs(built, fullContext), request.only_job),
      lookup: ({ job, variables }) => values.lookup(job, variables),
    }
  }
}

/** Reduces a selection to one job without its needs. */
function restrictToJob(selection: Selection, name: string | undefined): Selection {
  if (name === undefined) return selection
  const jobs = selection.jobs.filter(({ job }) => job.base === name || job.name === name)
  return {
    ...selection,
    errors:
      jobs.length === 0
        ? [...selection.errors, 'The configuration has no such job for this target']
        : selection.errors,
    jobs: jobs.map((job) => ({ ...job, needs: null })),
    stages: [...new Set(jobs.map(({ job }) => job.stage))],
  }
}

/** Expands the refs of `compare_to`, which may contain variables. */
function expandRefs(refs: readonly string[], built: Built, known: SelectionContext): string[] {
  if (refs.length === 0) return []
  const { predefined, stored, target, request } = known
  const context = { ...target, source: request.source, project: '', changes: null, files: null }
  const values = new LayeredVariables({ ...context, predefined, stored }, built)
  return [...new Set(refs.map((ref) => expandText(ref, (name) => values.root.get(name))))]
}

/** The maximum number of refs of `changes:compare_to` that are compared. */
const MAX_REFS = 20

/** The paths that the commits of a pipeline change (spec ci 4.7). Null if there is no commit to compare with. */
export async function changesOf(
  ctx: Ctx,
  project: Project,
  request: Pick<PipelineRequest, 'before_sha' | 'merge_request'>,
  sha: string,
): Promise<readonly string[] | null> {
  if (request.merge_request) {
    const { changes } = request.merge_request
    return typeof changes === 'function' ? changes() : changes
  }
  const before = request.before_sha
  if (!before || isZeroId(before)) return null
  const repo = repoOf(ctx, project)
  // After a forced push the previous commit may no longer exist.
  const from = await resolveCommit(repo, before)
  return from === null ? null : pathsBetween(repo, from, sha)
}

/** The paths that changed since the merge base of each ref and the commit, by ref. Unknown refs are left out. */
export async function changesSince(
  ctx: Ctx,
  project: Project,
  refs: readonly string[],
  sha: string,
): Promise<Map<string, readonly string[]>> {
  const repo = repoOf(ctx, project)
  const changes = new Map<string, readonly string[]>()
  for (const ref of refs.slice(0, MAX_REFS)) {
    const from = await resolveCommit(repo, ref)
    if (from === null) continue
    changes.set(ref, await pathsBetween(repo, (await mergeBase(repo, from, sha)) ?? from, sha))
  }
  return changes
}

/** The paths that differ between two commits. `from` and `to` are full commit IDs. */
export async function pathsBetween(repo: Repo, from: string, to: string): Promise<string[]> {
  const changes = await listChanges(repo, { from, to }, { renames: false })
  return [...new Set(changes.flatMap(({ old_path, new_path }) => [old_path, new_path]))]
}
