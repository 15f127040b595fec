import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { exportsFor } from '../artifacts/exports.ts'
import { environmentVariables } from '../environments/variables.ts'
import type { JobDetailsRow, JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { expandItems, strongest } from './expand.ts'
import { configured, ofPlay, ofStart, stored } from './given.ts'
import { plain, type Item } from './item.ts'
import { idTokensOf } from './id-tokens.ts'
import { legacyOf } from './legacy.ts'
import { ofJob, ofRun, type OptionsOfJob } from './of-job.ts'
import { ofProject } from './of-project.ts'
import { ofRunner, type RunnerOfVariables } from './of-runner.ts'
import { ofServer } from './of-server.ts'
import { ofUser } from './of-user.ts'
import { ofTarget } from './predefined.ts'
import { targetOfPipeline } from './target.ts'

/** A job that a runner took, with everything that its variables come from. */
export interface RunningJob {
  readonly project: Project
  readonly pipeline: PipelineRow
  readonly job: JobRow
  readonly details: JobDetailsRow
  readonly runner: RunnerOfVariables
  /** Token of the job, in the clear. */
  readonly token: string
}

/** A variable as runners are sent it (spec ci 1.8). */
export interface JobVariable {
  readonly key: string
  readonly value: string
  readonly public: boolean
  readonly masked: boolean
  readonly file?: true
  readonly raw?: true
}

/**
 * All variables of a job that a runner took, expanded, one for each name: the strongest of spec ci 2.14. Throws when the
 * key of the instance is another one than secrets were sealed with.
 */
export async function variablesOfJob(ctx: Ctx, running: RunningJob): Promise<JobVariable[]> {
  const predefined = await givenByInstance(ctx, running)
  const items = expandItems(strongest([...predefined, ...givenByPeople(ctx, running)]))
  const { id_tokens } = JSON.parse(running.details.options) as OptionsOfJob
  return [...items, ...(await idTokensOf(ctx, running, id_tokens, items))].map(shown)
}

/** Weakest first. */
async function givenByInstance(ctx: Ctx, running: RunningJob): Promise<Item[]> {
  const { project, pipeline, job, details, runner } = running
  const options = JSON.parse(details.options) as OptionsOfJob
  const items = [
    ...ofRun(ctx, project, running),
    ...ofJob(job, options),
    ...ofServer(ctx),
    ...ofProject(ctx, project),
    ...(await ofTarget(ctx, project, targetOfPipeline(pipeline))),
    ...ofRunner(runner),
  ]
  return [...legacyOf(items), ...items]
}

/** Weakest first. */
function givenByPeople(ctx: Ctx, { project, pipeline, job, details }: RunningJob): Item[] {
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  const environment = job.environment ?? undefined
  return [
    ...configured(details),
    ...ofUser(user),
    ...exportsFor(ctx, job),
    ...stored(ctx, project, { isProtected: job.protected === 1, environment }),
    ...ofStart(ctx, pipeline.id),
    ...ofPlay(ctx, details),
    // Last, so that the place a job deploys to is the one it was made for.
    ...environmentVariables(ctx, project, job).flatMap(({ key, value }) => plain({ [key]: value })),
  ]
}

function shown({ key, value, isPublic, isMasked, isFile, isRaw }: Item): JobVariable {
  return {
    key,
    value,
    public: isPublic === true,
    masked: isMasked === true,
    ...(isFile ? { file: true } : {}),
    ...(isRaw ? { raw: true } : {}),
  }
}
