import type { Ctx } from '../../../../ctx.ts'
import { planLimits } from '../../../settings/index.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
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
import { changesOf, changesSince } from './changes.ts'
import type { Circumstances } from './circumstances.ts'

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
