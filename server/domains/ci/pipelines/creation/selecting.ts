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
  Values,
} from '../../../ci_config/index.ts'
import type { Circumstances } from './compiling.ts'
import { listChanges } from '../../../../git/write/changes.ts'
import { mergeBase } from '../../../../git/read/graph.ts'
import { isZeroId } from '../../../../git/names.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import type { PipelineRequest } from './request.ts'

/**
 * The time limit for all rules in milliseconds, because they block the main thread. The rules of thousands of jobs take
 * a small part of it.
 */
const MAX_MS = 3000

/** The jobs that a pipeline would have. */
export interface Choice {
  readonly selection: Selection
  /** Variables of a job in its names of environments, resource groups and tags. */
  lookup(selected: SelectedJob): (name: string) => string | undefined
}

/**
 * Returns a function that chooses the jobs of a configuration; First reads the data that the rules need from git. The
 * number of a pipeline is only known when it is stored, so the returned function can be called again with another
 * number.
 */
export async function chooser(
  ctx: Ctx,
  project: Project,
  built: Built,
  circumstances: Circumstances,
): Promise<(iid: number) => Choice> {
  const { target, request, stored } = circumstances
  const needed = needsOfSelection(built)
  const context: Omit<PipelineContext, 'predefined'> = {
    source: request.source,
    ref: target.ref,
    kind: target.kind,
    project: fullPath(project),
    stored,
    maxNeeds: planLimits(ctx.db).ci_needs_size_limit,
    changes: needed.changes ? await changesOf(ctx, project, request, target.sha) : null,
    changesSince: await changesSince(
      ctx,
      project,
      expandedRefs(needed.since, built, circumstances),
      target.sha,
    ),
    files: needed.files ? await filesOf(ctx, project, target.sha) : null,
  }
  return (iid) => {
    const number = { key: 'CI_PIPELINE_IID', value: String(iid) }
    const end = performance.now() + MAX_MS
    const isLate = (): boolean => performance.now() > end
    const full = { ...context, predefined: [...circumstances.predefined, number], isLate }
    const values = new Values(full, built)
    return {
      selection: narrowed(selectJobs(built, full), request.only_job),
      lookup: ({ job, variables }) => values.lookup(job, variables),
    }
  }
}

/** Reduces a selection to one job without its needs. */
function narrowed(selection: Selection, only: string | undefined): Selection {
  if (only === undefined) return selection
  const jobs = selection.jobs.filter(({ job }) => job.base === only || job.name === only)
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
function expandedRefs(refs: readonly string[], built: Built, circumstances: Circumstances): string[] {
  const { predefined, stored, target, request } = circumstances
  const context = { ...target, source: request.source, project: '', changes: null, files: null }
  const values = new Values({ ...context, predefined, stored }, built)
  return [...new Set(refs.map((ref) => expandText(ref, (name) => values.root.get(name))))]
}

/** The maximum number of refs of `changes:compare_to` that are compared. */
const MAX_REFS = 20

/** Paths that the commits of a pipeline change; null if there is no commit to compare with (spec ci 4.7). */
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
  // After a forced push the old commit may be missing.
  const from = await resolveCommit(repo, before)
  return from === null ? null : pathsBetween(repo, from, sha)
}

/** Paths that changed since the merge base of each ref and the commit; unknown refs are left out. */
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

/** Paths that differ between two commits given by their full ids. */
export async function pathsBetween(repo: Repo, from: string, to: string): Promise<string[]> {
  const changes = await listChanges(repo, { from, to }, { renames: false })
  return [...new Set(changes.flatMap(({ old_path, new_path }) => [old_path, new_path]))]
}
