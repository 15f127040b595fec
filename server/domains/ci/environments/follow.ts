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
import { ownExportsOf } from '../artifacts/exports.ts'
import { itemsOfJob } from '../job_variables/of-job.ts'
import * as pipelines from '../pipelines/store.ts'

const FOLLOWED: readonly DeploymentStatus[] = [
  'created',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
]

/** Changes of an environment by the job that deploys to it. */
type Arrival = Pick<EnvironmentColumns, 'external_url' | 'tier' | 'auto_stop_at'>

/** Updates the deployment of a job to the status of the job, and stops the environment when its stop job succeeded (spec ci 5.4). */
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
  const arrival = next === 'success' ? await arrivalOf(ctx, job) : {}
  tx(ctx.db, () => {
    const now = deployments.byId(ctx.db, before.project_id, before.id)
    if (!now || now.status === next) return
    // The user who started a manual job is the deployer.
    if (now.user_id !== job.user_id) deployments.update(ctx.db, now.id, { user_id: job.user_id })
    changeDeployment(ctx, now, next, arrival)
  })
}

async function arrivalOf(ctx: Ctx, job: JobRow): Promise<Arrival> {
  const project = projectById(ctx.db, job.project_id)
  const details = jobs.detailsOf(ctx.db, job.id)
  if (!project || !details) return {}
  const { environment } = JSON.parse(details.options) as { environment?: Environment | null }
  if (!environment) return {}
  const { url = null, auto_stop_in = null, deployment_tier } = environment
  const hasNames = [url, auto_stop_in].some((text) => text !== null && isOpen(text))
  const variables = hasNames ? await variablesIn(ctx, project, job, details) : []
  const expanded = (text: string | null): string | null =>
    text === null || (variables === null && isOpen(text)) ? null : expandWith(text, variables ?? [])
  return {
    ...urlOf(expanded(url)),
    ...endOf(ctx, expanded(auto_stop_in)),
    ...tierOf(deployment_tier),
  }
}

/** True if variables are not replaced yet. */
const isOpen = (text: string): boolean => /[$%]/.test(text)

/** If the variables cannot be read, the deployment goes on without a new address. */
async function variablesIn(
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

/** An invalid address keeps the present one. */
function urlOf(url: string | null): Pick<Arrival, 'external_url'> {
  return url && urlProblems(url).length === 0 ? { external_url: url } : {}
}

const LONGEST_SECONDS = 100 * 365 * 86_400

/** Without `auto_stop_in` the stop time stays; `never` removes it. */
function endOf(ctx: Ctx, text: string | null): Pick<Arrival, 'auto_stop_at'> {
  if (text === null || text === '') return {}
  if (text === 'never') return { auto_stop_at: null }
  const seconds = secondsOf(text)
  if (seconds === null || seconds > LONGEST_SECONDS) return {}
  return { auto_stop_at: new Date(Date.parse(ctx.now) + seconds * 1000).toISOString() }
}

function tierOf(declared: string | null): Pick<Arrival, 'tier'> {
  const tier = TIERS.find((entry) => entry === declared)
  return tier ? { tier } : {}
}

/**
 * The variables for the address of a deployment: those of its job and its dotenv report, without secrets, because everybody
 * with access to the environment sees the address (spec ci 5.4).
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
  const open = items.filter(({ isMasked, isFile }) => !isMasked && !isFile)
  return [...open.map(({ key, value }) => ({ key, value })), ...ownExportsOf(ctx, job.id)]
}
