import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { JOB_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import type { JobOfActor } from '../../../policy/actor.ts'
import { actorOfJobToken, wrongCredential } from '../../auth/index.ts'
import { inNameOf } from '../../planning/index.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import * as jobs from '../jobs/store.ts'
import { createPipeline } from '../pipelines/creation/service.ts'
import { checkGivenVariables, type GivenVariable, refused } from '../pipelines/creation/request.ts'
import { maySetVariables } from '../pipelines/creation/policy.ts'
import type { PipelineView } from '../pipelines/entity.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { showPipeline } from '../pipelines/service.ts'
import type { TriggerRow } from './store.ts'
import * as store from './store.ts'

/** A request that starts a pipeline with a token. */
export interface Pull {
  /** Id or path of the project, as given. */
  readonly project: string
  readonly token: string
  readonly ref: string
  readonly variables: Readonly<Record<string, unknown>>
  /** All parameters; jobs get them as the file `TRIGGER_PAYLOAD`. */
  readonly payload: Readonly<Record<string, unknown>>
}

/**
 * Starts a pipeline with the token of a trigger, in the name of its owner, or of a running job, in the name of its user
 * (spec ci 2.8). Throws 404 for an unknown token, 401 for one of a job that is over, 400 if the pipeline is refused.
 */
export async function pullTrigger(ctx: Ctx, pull: Pull): Promise<PipelineView> {
  const given = variablesOf(pull)
  const trigger = store.byDigest(ctx.db, tokenDigest(pull.token))
  const { project, row } = trigger
    ? await byTrigger(ctx, pull, trigger, given)
    : await byJob(ctx, pull, given)
  return showPipeline(ctx, project, row)
}

type Made = { readonly project: Project; readonly row: PipelineRow }

async function byTrigger(
  ctx: Ctx,
  pull: Pull,
  trigger: TriggerRow,
  given: readonly GivenVariable[],
): Promise<Made> {
  const project = scope.load(ctx, pull.project)
  if (project?.id !== trigger.project_id) throw notFound()
  const acting = inNameOf(ctx, trigger.owner_id)
  if (!acting) throw refused('Insufficient permissions to create a new pipeline')
  checkVariables(acting, project, given)
  const row = await createPipeline(acting, project, {
    source: 'trigger',
    ref: pull.ref,
    variables: [...given, payloadOf(pull)],
    trigger_id: trigger.id,
  })
  tx(ctx.db, () => store.update(ctx.db, trigger.id, { last_used_at: ctx.now }))
  return { project, row }
}

async function byJob(ctx: Ctx, pull: Pull, given: readonly GivenVariable[]): Promise<Made> {
  const actor = actorOfJobToken(ctx, pull.token)
  if (!actor?.job) {
    const refusal = pull.token.startsWith(JOB_TOKEN_PREFIX) ? fail('unauthorized') : notFound()
    throw wrongCredential(ctx, pull.token, refusal)
  }
  const acting: Ctx = { ...ctx, actor }
  const project = scope.load(acting, pull.project)
  if (!project || !canRead(acting, scope, project)) throw notFound()
  checkVariables(acting, project, given)
  const row = await createPipeline(acting, project, {
    source: 'pipeline',
    ref: pull.ref,
    variables: [...given, payloadOf(pull)],
    upstream: upstreamOf(ctx, actor.job),
  })
  return { project, row }
}

function upstreamOf(ctx: Ctx, { id }: JobOfActor): { pipeline_id: number; job_id: number } | undefined {
  const job = jobs.byId(ctx.db, id)
  return job && { pipeline_id: job.pipeline_id, job_id: job.id }
}

/** Checks the variables of the caller; the payload is always allowed. */
function checkVariables(ctx: Ctx, project: Project, given: readonly GivenVariable[]): void {
  if (given.length > 0 && !maySetVariables(ctx, project)) {
    throw refused('Insufficient permissions to set pipeline variables')
  }
}

const MAX_VARIABLES = 1000

function variablesOf({ variables }: Pull): GivenVariable[] {
  const entries = Object.entries(variables)
  if (entries.length > MAX_VARIABLES || entries.some(([, value]) => !isText(value))) {
    throw fail('bad_request', 'variables needs to be a map of key-valued strings')
  }
  const given = entries.map(([key, value]) => ({ key, value: value as string }))
  checkGivenVariables(given)
  return given
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

function payloadOf({ payload }: Pull): GivenVariable {
  const { token: _, ...shown } = payload
  return { key: 'TRIGGER_PAYLOAD', value: JSON.stringify(shown), variable_type: 'file' }
}
