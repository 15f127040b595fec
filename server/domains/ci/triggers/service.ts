import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { TRIGGER_TOKEN_PREFIX, JOB_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { canRead } from '../../../policy/ability.ts'
import type { ActorJob } from '../../../policy/actor.ts'
import { actorOfJobToken, wrongCredential } from '../../auth/index.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { type Project, project as scope } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import * as jobs from '../jobs/store.ts'
import { maySetVariables } from '../policy.ts'
import { checkVariableNames, type VariableInput, refused } from '../pipelines/creation/request.ts'
import { createPipeline } from '../pipelines/creation/service.ts'
import type { PipelineView } from '../pipelines/entity.ts'
import { showPipeline } from '../pipelines/service.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import * as store from './store.ts'
import type { TriggerRow } from './store.ts'

/** A trigger with the part of its token that the actor may see. */
export interface TriggerView {
  readonly row: TriggerRow
  readonly token: string
  readonly owner: UserBasicRow | null
}

/** A request that starts a pipeline with a token. */
interface TriggerRequest {
  /** The ID or path of the project. */
  readonly project: string
  readonly token: string
  readonly ref: string
  readonly variables: Readonly<Record<string, unknown>>
  /** All parameters of the request. Jobs receive them as the file `TRIGGER_PAYLOAD`. */
  readonly payload: Readonly<Record<string, unknown>>
}

/**
 * Starts a pipeline with a token (spec ci 2.8): with that of a trigger as its owner, or with that of a running job as its
 * user. Throws 404 for an unknown token, 401 for the token of a finished job, and 400 if the pipeline is refused.
 */
export async function startByToken(ctx: Ctx, request: TriggerRequest): Promise<PipelineView> {
  const variables = variablesOf(request)
  const trigger = store.byDigest(ctx.db, tokenDigest(request.token))
  const { project, row } = trigger
    ? await startWithTrigger(ctx, request, trigger, variables)
    : await startWithJobToken(ctx, request, variables)
  return showPipeline(ctx, project, row)
}

type StartedPipeline = { readonly project: Project; readonly row: PipelineRow }

async function startWithTrigger(
  ctx: Ctx,
  request: TriggerRequest,
  trigger: TriggerRow,
  variables: readonly VariableInput[],
): Promise<StartedPipeline> {
  const project = scope.load(ctx, request.project)
  if (project?.id !== trigger.project_id) throw notFound()
  const actorCtx = onBehalfOf(ctx, trigger.owner_id)
  if (!actorCtx) throw refused('Insufficient permissions to create a new pipeline')
  checkVariables(actorCtx, project, variables)
  const row = await createPipeline(actorCtx, project, {
    source: 'trigger',
    ref: request.ref,
    variables: [...variables, payloadOf(request)],
    trigger_id: trigger.id,
  })
  tx(ctx.db, () => store.update(ctx.db, trigger.id, { last_used_at: ctx.now }))
  return { project, row }
}

async function startWithJobToken(
  ctx: Ctx,
  request: TriggerRequest,
  variables: readonly VariableInput[],
): Promise<StartedPipeline> {
  const actor = actorOfJobToken(ctx, request.token)
  if (!actor?.job) {
    const refusal = request.token.startsWith(JOB_TOKEN_PREFIX) ? fail('unauthorized') : notFound()
    throw wrongCredential(ctx, request.token, refusal)
  }
  const actorCtx: Ctx = { ...ctx, actor }
  const project = scope.load(actorCtx, request.project)
  if (!project || !canRead(actorCtx, scope, project)) throw notFound()
  checkVariables(actorCtx, project, variables)
  const row = await createPipeline(actorCtx, project, {
    source: 'pipeline',
    ref: request.ref,
    variables: [...variables, payloadOf(request)],
    upstream: upstreamOf(ctx, actor.job),
  })
  return { project, row }
}

function upstreamOf(ctx: Ctx, { id }: ActorJob): { pipeline_id: number; job_id: number } | undefined {
  const job = jobs.byId(ctx.db, id)
  return job && { pipeline_id: job.pipeline_id, job_id: job.id }
}

/** Throws 400 if the actor may not set the variables. The payload is always allowed. */
function checkVariables(ctx: Ctx, project: Project, variables: readonly VariableInput[]): void {
  if (variables.length > 0 && !maySetVariables(ctx, project)) {
    throw refused('Insufficient permissions to set pipeline variables')
  }
}

const MAX_VARIABLES = 1000

function variablesOf({ variables }: TriggerRequest): VariableInput[] {
  const entries = Object.entries(variables)
  if (entries.length > MAX_VARIABLES || entries.some(([, value]) => !isText(value))) {
    throw fail('bad_request', 'variables needs to be a map of key-valued strings')
  }
  const input = entries.map(([key, value]) => ({ key, value: value as string }))
  checkVariableNames(input)
  return input
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

function payloadOf({ payload }: TriggerRequest): VariableInput {
  const { token: _, ...parameters } = payload
  return { key: 'TRIGGER_PAYLOAD', value: JSON.stringify(parameters), variable_type: 'file' }
}

const PURPOSE = 'ci_triggers.token'
/** The number of characters after the prefix that users other than the owner see. */
const VISIBLE_LENGTH = 4

/** The columns of a new token: encrypted, because its owner may read it again, and as a digest for lookups. */
function newToken(ctx: Pick<Ctx, 'random' | 'secrets'>): Pick<TriggerRow, 'token' | 'token_digest'> {
  const token = TRIGGER_TOKEN_PREFIX + ctx.random.token(40)
  return { token: ctx.secrets.seal(token, PURPOSE), token_digest: tokenDigest(token) }
}

/** The part of a token that the actor may see. Only the owner sees all of it, because the token acts as the owner. */
function visibleToken(
  ctx: Pick<Ctx, 'actor' | 'secrets'>,
  { token, owner_id }: Pick<TriggerRow, 'token' | 'owner_id'>,
): string {
  const plainToken = ctx.secrets.open(token, PURPOSE).toString()
  if (owner_id !== null && owner_id === ctx.actor.id) return plainToken
  const start = plainToken.startsWith(TRIGGER_TOKEN_PREFIX) ? TRIGGER_TOKEN_PREFIX.length : 0
  return plainToken.slice(start, start + VISIBLE_LENGTH)
}

const MAX_DESCRIPTION = 255

/** A page of a project's triggers. */
export function listTriggers(
  ctx: Ctx,
  project: Project,
  paging: { limit: number; offset: number },
): Rows<TriggerView> {
  const { rows, total } = store.list(ctx.db, project.id, paging)
  return { rows: show(ctx, rows), total }
}

/** Returns a trigger of a project. Throws 404 if it does not exist. */
export function findTrigger(ctx: Ctx, project: Project, id: number): TriggerRow {
  const row = store.byId(ctx.db, project.id, id)
  if (!row) throw notFound('Trigger')
  return row
}

/** Loads the data for the entity of a trigger. */
export function showTrigger(ctx: Ctx, row: TriggerRow): TriggerView {
  return show(ctx, [row])[0]!
}

function show(ctx: Ctx, rows: readonly TriggerRow[]): TriggerView[] {
  const owners = usersById(
    ctx.db,
    rows.flatMap(({ owner_id }) => owner_id ?? []),
  )
  return rows.map((row) => ({
    row,
    token: visibleToken(ctx, row),
    owner: owners.get(row.owner_id ?? 0) ?? null,
  }))
}

/** Creates a trigger of the actor. Throws 400 for an invalid description. */
export function createTrigger(ctx: Ctx, project: Project, description: string): TriggerRow {
  checkDescription(description)
  return tx(ctx.db, () =>
    store.insert(ctx.db, {
      project_id: project.id,
      owner_id: ctx.actor.id,
      description,
      ...newToken(ctx),
      created_at: ctx.now,
      updated_at: ctx.now,
    }),
  )
}

/** Updates the description of a trigger. Throws 403 unless the actor is its owner, and 400 for an invalid description. */
export function updateTrigger(
  ctx: Ctx,
  project: Project,
  id: number,
  description: string | undefined,
): TriggerRow {
  const trigger = findTrigger(ctx, project, id)
  if (trigger.owner_id !== ctx.actor.id) throw fail('forbidden')
  if (description === undefined) return trigger
  checkDescription(description)
  return tx(ctx.db, () => store.update(ctx.db, trigger.id, { description, updated_at: ctx.now }))
}

/** Deletes a trigger, but not its pipelines. */
export function removeTrigger(ctx: Ctx, row: TriggerRow): void {
  tx(ctx.db, () => store.remove(ctx.db, row.id))
}

function checkDescription(description: string): void {
  if (description.trim() === '') throw invalid({ description: "can't be blank" })
  if (description.length > MAX_DESCRIPTION) {
    throw invalid({ description: `is too long (maximum is ${MAX_DESCRIPTION} characters)` })
  }
}
