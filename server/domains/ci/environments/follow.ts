import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { type Environment, secondsOf } from '../../ci_config/index.ts'
import { expandWith } from '../job_variables/item.ts'
import * as jobs from '../jobs/store.ts'
import type { JobDetailsRow, JobRow } from '../jobs/store.ts'
import { changeDeployment } from './deployments/service.ts'
import * as deployments from './deployments/store.ts'
import type { DeploymentStatus } from './entity.ts'
import { TIERS, urlProblems } from './validation.ts'
import { finishStop } from './stop.ts'
import type { EnvironmentColumns } from './store.ts'
import { exportsOf } from '../artifacts/exports.ts'
import { itemsOfJob } from '../job_variables/of-job.ts'
import * as pipelines from '../pipelines/store.ts'

/** The statuses of jobs that deployments take over. */
const FOLLOWED: readonly DeploymentStatus[] = [
  'created',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
]

/** The columns of an environment that a successful deployment changes. */
type EnvironmentChanges = Pick<EnvironmentColumns, 'external_url' | 'tier' | 'auto_stop_at'>

/** Gives the deployment of a job the status of the job, and stops the environment of a successful stop job (spec ci 5.4). */
export async function followJob(ctx: Ctx, jobId: number, status: string): Promise<void> {
  const job = jobs.byId(ctx.db, jobId)
  if (!job || job.environment === null) return
  if (job.environment_action === 'stop') {
    if (status === 'success') finishStop(ctx, job)
    return
  }
  const next = FOLLOWED.find((candidate) => candidate === status)
  const before = deployments.ofJob(ctx.db, job.id)
  if (!next || !before || before.status === next) return
  const changes = next === 'success' ? await environmentChanges(ctx, job) : {}
  tx(ctx.db, () => {
    const current = deployments.byId(ctx.db, before.project_id, before.id)
    if (!current || current.status === next) return
    // The user who started a manual job is the deployer.
    if (current.user_id !== job.user_id) deployments.update(ctx.db, current.id, { user_id: job.user_id })
    changeDeployment(ctx, current, next, changes)
  })
}

/** What the configuration of a job changes in its environment. */
async function environmentChanges(ctx: Ctx, job: JobRow): Promise<EnvironmentChanges> {
  const project = projectById(ctx.db, job.project_id)
  const details = jobs.detailsOf(ctx.db, job.id)
  if (!project || !details) return {}
  const { environment } = JSON.parse(details.options) as { environment?: Environment | null }
  if (!environment) return {}
  const { url = null, auto_stop_in = null, deployment_tier } = environment
  const needsVariables = [url, auto_stop_in].some((text) => text !== null && hasVariables(text))
  const variables = needsVariables ? await tryVariables(ctx, project, job, details) : []
  const expand = (text: string | null): string | null =>
    text === null || (variables === null && hasVariables(text)) ? null : expandWith(text, variables ?? [])
  return {
    ...urlChange(expand(url)),
    ...stopTimeChange(ctx, expand(auto_stop_in)),
    ...tierChange(deployment_tier),
  }
}

const hasVariables = (text: string): boolean => /[$%]/.test(text)

/** The variables of a job, or null if they cannot be read. The URL and the stop time then stay unchanged. */
async function tryVariables(
  ctx: Ctx,
  project: Project,
  job: JobRow,
  details: JobDetailsRow,
): Promise<readonly { readonly key: string; readonly value: string }[] | null> {
  try {
    return await variablesForUrl(ctx, project, job, details)
  } catch (error) {
    ctx.log.warn({ err: error, job_id: job.id }, 'the variables of a deployment could not be read')
    return null
  }
}

/** The new URL. An invalid URL changes nothing. */
function urlChange(url: string | null): Pick<EnvironmentChanges, 'external_url'> {
  return url && urlProblems(url).length === 0 ? { external_url: url } : {}
}

const MAX_SECONDS = 100 * 365 * 86_400

/** The new stop time, by `auto_stop_in`. `never` removes it, and without a valid duration it stays unchanged. */
function stopTimeChange(ctx: Ctx, text: string | null): Pick<EnvironmentChanges, 'auto_stop_at'> {
  if (text === null || text === '') return {}
  if (text === 'never') return { auto_stop_at: null }
  const seconds = secondsOf(text)
  if (seconds === null || seconds > MAX_SECONDS) return {}
  return { auto_stop_at: new Date(Date.parse(ctx.now) + seconds * 1000).toISOString() }
}

function tierChange(declared: string | null): Pick<EnvironmentChanges, 'tier'> {
  const tier = TIERS.find((entry) => entry === declared)
  return tier ? { tier } : {}
}

/**
 * The variables for the URL of an environment (spec ci 5.4): those of the job and of its dotenv report. Secrets are left
 * out, because everybody with access to the environment sees the URL.
 */
export async function variablesForUrl(
  ctx: Ctx,
  project: Project,
  job: JobRow,
  details: JobDetailsRow,
): Promise<{ key: string; value: string }[]> {
  const pipeline = pipelines.byId(ctx.db, job.pipeline_id)
  if (!pipeline) return []
  const items = await itemsOfJob(ctx, { project, pipeline, job, details })
  const visible = items.filter(({ isMasked, isFile }) => !isMasked && !isFile)
  return [...visible.map(({ key, value }) => ({ key, value })), ...exportsOf(ctx, job.id)]
}
