import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { resolveCommit } from '../../../../git/revisions.ts'
import { SERVICE_NAME } from '../../../../http/aliases.ts'
import { fail, invalid } from '../../../../lib/fail.ts'
import { inRepository, type Project } from '../../../projects/index.ts'
import { tellDeployment } from '../service-events.ts'
import { nameProblems } from '../names.ts'
import { ensureEnvironment } from '../prepare.ts'
import type { DeploymentView } from '../views.ts'
import { arrive, changeDeployment, mayBecome } from './change.ts'
import { showDeployment } from './service.ts'
import * as store from './store.ts'
import type { DeploymentRow } from './store.ts'

/** States that can be told through the API. */
export const TOLD = ['running', 'success', 'failed', 'canceled'] as const
/** One of them. */
export type ToldStatus = (typeof TOLD)[number]

/** A deployment that another system made. */
export interface ToldDeployment {
  readonly environment: string
  readonly sha: string
  readonly ref: string
  readonly tag: boolean
  readonly status: ToldStatus
}

/** Records what another system deployed; its environment is made where it is missing. Throws 400 by field. */
export async function createDeployment(
  ctx: Ctx,
  project: Project,
  given: ToldDeployment,
): Promise<DeploymentView> {
  const ofName = nameProblems(given.environment)
  if (ofName.length > 0) throw invalid({ name: ofName })
  const sha = await commitOf(ctx, project, given)
  const row = tx(ctx.db, () => {
    const environment = ensureEnvironment(ctx, project.id, { name: given.environment })
    if (!environment) throw invalid({ slug: 'has already been taken' })
    const { ref, tag, status } = given
    const made = store.insert(ctx.db, {
      project_id: project.id,
      environment_id: environment.id,
      job_id: null,
      user_id: ctx.actor.id,
      ref,
      tag: tag,
      sha,
      status,
      on_stop: null,
      created_at: ctx.now,
      updated_at: ctx.now,
      finished_at: status === 'running' ? null : ctx.now,
    })
    tellDeployment(ctx, made)
    if (status === 'success') arrive(ctx, made)
    return made
  })
  return showDeployment(ctx, project, row)
}

/** The full id of the commit. Throws 400 where it, or the ref, is not there. */
function commitOf(ctx: Ctx, project: Project, given: ToldDeployment): Promise<string> {
  return inRepository(ctx, project, async (repo) => {
    const prefer = given.tag ? 'tag' : 'branch'
    const [sha, tip] = await Promise.all([
      resolveCommit(repo, given.sha),
      resolveCommit(repo, given.ref, { prefer }),
    ])
    const problems: Record<string, string> = {}
    if (sha === null) problems['sha'] = 'The commit does not exist'
    if (tip === null) problems['ref'] = 'The branch or tag does not exist'
    if (sha === null || tip === null) throw invalid(problems)
    return sha
  })
}

/** What the steps of a deployment are called. */
const STEPS: Readonly<Record<ToldStatus, string>> = {
  running: 'run',
  success: 'succeed',
  failed: 'drop',
  canceled: 'cancel',
}

/** Says how a deployment of another system goes on. Throws 403 for those of jobs, 400 for a step it cannot take. */
export function updateDeployment(
  ctx: Ctx,
  project: Project,
  before: DeploymentRow,
  status: ToldStatus,
): Promise<DeploymentView> {
  if (before.job_id !== null) {
    const text = `Deployments created using ${SERVICE_NAME} CI can not be updated using the API`
    throw fail('forbidden', `403 Forbidden - ${text}`)
  }
  if (!mayBecome(before.status, status)) throw invalid({ status: `cannot transition via "${STEPS[status]}"` })
  const row = tx(ctx.db, () => changeDeployment(ctx, before, status))
  return showDeployment(ctx, project, row)
}
