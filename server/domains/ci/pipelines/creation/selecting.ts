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
import { listChanges } from '../../../../git/changes.ts'
import { mergeBase } from '../../../../git/graph.ts'
import { isZeroId } from '../../../../git/names.ts'
import { resolveCommit } from '../../../../git/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import type { PipelineOrder } from './request.ts'

/** Rules of thousands of jobs take a small part of this, milliseconds; nobody else gets a turn meanwhile. */
const MOST_MS = 3000

/** The jobs that a pipeline would have. */
export interface Choice {
  readonly selection: Selection
  /** Variables of a job in its names of environments, resource groups and tags. */
  lookup(selected: SelectedJob): (name: string) => string | undefined
}

/**
 * What chooses the jobs of a configuration; it has read from git whatever the rules ask for. The number of the pipeline
 * is only known when it is stored, so the choice can be made again with another one.
 */
export async function chooser(
  ctx: Ctx,
  project: Project,
  built: Built,
  given: Circumstances,
): Promise<(iid: number) => Choice> {
  const { target, order, stored } = given
  const needed = needsOfSelection(built)
  const context: Omit<PipelineContext, 'predefined'> = {
    source: order.source,
    ref: target.ref,
    kind: target.kind,
    project: fullPath(project),
    stored,
    maxNeeds: planLimits(ctx.db).ci_needs_size_limit,
    changes: needed.changes ? await changesOf(ctx, project, order, target.sha) : null,
    changesSince: await changesSince(ctx, project, named(needed.since, built, given), target.sha),
    files: needed.files ? await filesOf(ctx, project, target.sha) : null,
  }
  return (iid) => {
    const number = { key: 'CI_PIPELINE_IID', value: String(iid) }
    const end = performance.now() + MOST_MS
    const isLate = (): boolean => performance.now() > end
    const full = { ...context, predefined: [...given.predefined, number], isLate }
    const values = new Values(full, built)
    return {
      selection: narrowed(selectJobs(built, full), order.only_job),
      lookup: ({ job, variables }) => values.lookup(job, variables),
    }
  }
}

/** Leaves one job of what a pipeline would have; it waits for none of the others. */
function narrowed(selection: Selection, only: string | undefined): Selection {
  if (only === undefined) return selection
  const jobs = selection.jobs.filter(({ job }) => job.base === only || job.name === only)
  return {
    ...selection,
    errors: jobs.length === 0 ? [...selection.errors, 'There is no such job for this'] : selection.errors,
    jobs: jobs.map((one) => ({ ...one, needs: null })),
    stages: [...new Set(jobs.map(({ job }) => job.stage))],
  }
}

/** Refs of `compare_to` may be variables. */
function named(refs: readonly string[], built: Built, given: Circumstances): string[] {
  const { predefined, stored, target, order } = given
  const context = { ...target, source: order.source, project: '', changes: null, files: null }
  const values = new Values({ ...context, predefined, stored }, built)
  return [...new Set(refs.map((ref) => expandText(ref, (name) => values.root.get(name))))]
}

/** Refs of `changes:compare_to` that are looked at. */
const MAX_REFS = 20

/** Paths that the commits of a pipeline change; null where there is nothing to compare with (spec ci 4.7). */
export async function changesOf(
  ctx: Ctx,
  project: Project,
  order: Pick<PipelineOrder, 'before_sha' | 'merge_request'>,
  sha: string,
): Promise<readonly string[] | null> {
  if (order.merge_request) {
    const { changes } = order.merge_request
    return typeof changes === 'function' ? changes() : changes
  }
  const before = order.before_sha
  if (!before || isZeroId(before)) return null
  const repo = repoOf(ctx, project)
  // What was pushed over may be gone.
  const from = await resolveCommit(repo, before)
  return from === null ? null : pathsBetween(repo, from, sha)
}

/** Paths that changed since the histories of each ref and the commit parted; a ref that is none is left out. */
export async function changesSince(
  ctx: Ctx,
  project: Project,
  refs: readonly string[],
  sha: string,
): Promise<Map<string, readonly string[]>> {
  const repo = repoOf(ctx, project)
  const found = new Map<string, readonly string[]>()
  for (const ref of refs.slice(0, MAX_REFS)) {
    const from = await resolveCommit(repo, ref)
    if (from === null) continue
    found.set(ref, await pathsBetween(repo, (await mergeBase(repo, from, sha)) ?? from, sha))
  }
  return found
}

/** Paths that differ between two commits given by their full ids. */
export async function pathsBetween(repo: Repo, from: string, to: string): Promise<string[]> {
  const changes = await listChanges(repo, { from, to }, { renames: false })
  return [...new Set(changes.flatMap(({ old_path, new_path }) => [old_path, new_path]))]
}
