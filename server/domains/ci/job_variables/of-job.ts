import type { Ctx } from '../../../ctx.ts'
import { JOB_TOKEN_LOGIN } from '../../../http/aliases.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { type CompiledJob, slugOf } from '../../ci_config/index.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { moment, plain, secrets, type Item } from './item.ts'

/** What of a stored job's options tells of itself in variables. */
export type OptionsOfJob = Partial<Pick<CompiledJob, 'parallel' | 'image' | 'id_tokens'>>

/** What a job is in its pipeline. */
export function ofJob(job: Pick<JobRow, 'name' | 'stage' | 'when'>, options: OptionsOfJob): Item[] {
  const { parallel, image } = options
  const isAction = job.when === 'manual' || job.when === 'delayed'
  return plain({
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: slugOf(job.name),
    CI_JOB_STAGE: job.stage,
    CI_JOB_MANUAL: isAction ? 'true' : undefined,
    CI_JOB_IMAGE: typeof image?.name === 'string' ? image.name : undefined,
    CI_NODE_INDEX: parallel?.index,
    CI_NODE_TOTAL: parallel?.total ?? 1,
  })
}

/** What a job knows once it is stored (spec ci 2.13, phase C). */
export function ofPlace(
  ctx: Pick<Ctx, 'config'>,
  project: Project,
  { pipeline, job }: { readonly pipeline: PipelineRow; readonly job: JobRow },
): Item[] {
  const page = `${ctx.config.url}/${fullPath(project)}/-`
  return plain({
    CI_SERVER: 'yes',
    CI_PIPELINE_ID: pipeline.id,
    CI_PIPELINE_URL: `${page}/pipelines/${pipeline.id}`,
    CI_JOB_ID: job.id,
    CI_JOB_URL: `${page}/jobs/${job.id}`,
    CI_JOB_STARTED_AT: job.started_at === null ? undefined : moment(job.started_at),
  })
}

/** The token of a running job, and the address that it opens. */
export function ofToken(ctx: Pick<Ctx, 'config'>, project: Project, token: string): Item[] {
  return secrets({ CI_JOB_TOKEN: token, CI_REPOSITORY_URL: repositoryUrl(ctx, project, token) })
}

/** Where a job fetches its code, with the token that opens it. */
export function repositoryUrl({ config }: Pick<Ctx, 'config'>, project: Project, token: string): string {
  const open = config.url.replace('://', `://${JOB_TOKEN_LOGIN}:${token}@`)
  return `${open}/${fullPath(project)}.git`
}
