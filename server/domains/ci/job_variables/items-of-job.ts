import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { exportsFor } from '../artifacts/exports.ts'
import { environmentVariables } from '../environments/variables.ts'
import { type JobDetailsRow, type JobRow, optionsOf } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { expandItems, strongest } from './expand.ts'
import { configured, ofPlay, ofStart, stored } from './given.ts'
import { type Item, plain, texts } from './item.ts'
import { legacyOf } from './legacy.ts'
import { ofJob, ofPlace, ofToken } from './of-job.ts'
import { ofProject } from './of-project.ts'
import { ofRunner, type RunnerOfVariables } from './of-runner.ts'
import { ofServer } from './of-server.ts'
import { ofUser } from './of-user.ts'
import { ofTarget } from './predefined.ts'
import { releaseTextOf } from './store.ts'
import { targetOfPipeline } from './target.ts'

/** A job or trigger job, with everything that its variables come from. */
export interface StoredJob {
  readonly project: Project
  readonly pipeline: PipelineRow
  readonly job: JobRow
  readonly details: JobDetailsRow
}

/** What a job has beyond that once a runner took it. */
export interface Run {
  readonly runner: RunnerOfVariables
  /** Token of the job, in the clear. */
  readonly token: string
}

/**
 * All variables of a job, expanded, one for each name: the strongest of spec ci 2.14. Without `run`, what is known of it
 * before a runner has it. Throws when the key of the instance is another one than secrets were sealed with.
 */
export async function itemsOfJob(ctx: Ctx, job: StoredJob, run?: Run): Promise<Item[]> {
  const predefined = await givenByInstance(ctx, job, run)
  return expandItems(strongest([...predefined, ...givenByPeople(ctx, job)]))
}

/** Weakest first. */
async function givenByInstance(ctx: Ctx, stored: StoredJob, run: Run | undefined): Promise<Item[]> {
  const { project, pipeline, job, details } = stored
  const items = [
    ...ofPlace(ctx, project, stored),
    ...(run ? ofToken(ctx, project, run.token) : []),
    ...ofJob(job, optionsOf(details)),
    ...ofServer(ctx),
    ...ofProject(ctx, project),
    ...(await ofTarget(ctx, project, targetOfPipeline(pipeline))),
    ...(run ? ofRunner(run.runner) : []),
  ]
  return [...legacyOf(items), ...items]
}

/** Weakest first. */
function givenByPeople(ctx: Ctx, { project, pipeline, job, details }: StoredJob): Item[] {
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  const environment = job.environment ?? undefined
  return [
    ...configured(details),
    ...ofUser(user),
    ...exportsFor(ctx, job),
    ...stored(ctx, project, { isProtected: job.protected, environment }),
    ...ofStart(ctx, pipeline.id),
    ...ofPlay(ctx, details),
    ...(pipeline.tag
      ? texts({ CI_RELEASE_DESCRIPTION: releaseTextOf(ctx.db, project.id, pipeline.ref) })
      : []),
    // Last, so that the place a job deploys to is the one it was made for.
    ...environmentVariables(ctx, project, job).flatMap(({ key, value }) => plain({ [key]: value })),
  ]
}
