import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { TRIGGER_TOKEN_PREFIX, JOB_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { canRead } from '../../../policy/ability.ts'
import type { JobOfActor } from '../../../policy/actor.ts'
import { actorOfJobToken, wrongCredential } from '../../auth/index.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { type Project, project as scope } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import * as jobs from '../jobs/store.ts'
import { maySetVariables } from '../policy.ts'
import { checkGivenVariables, type VariableInput, refused } from '../pipelines/creation/request.ts'
import { createPipeline } from '../pipelines/creation/service.ts'
import type { PipelineView } from '../pipelines/entity.ts'
import { showPipeline } from '../pipelines/service.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import type { TriggerView } from './entity.ts'
import * as store from './store.ts'
import type { TriggerRow } from './store.ts'

/** A request that starts a pipeline with a token. */
interface Pull {
  /** Id or path of the project, as given. */
  readonly project: string
  readonly token: string
  readonly ref: string
  readonly variables: Readonly<Record<string, unknown>>
  /** All parameters; jobs get them as the file `TRIGGER_PAYLOAD`. */
  readonly payload: Readonly<Record<string, unknown>>
}

/**
 * Starts a pipeline with the token of a trigger, as its owner, or with the token of a running job, as its user (spec ci
 * 2.8). Throws 404 for an unknown token, 401 for one of a finished job, 400 if the pipeline is refused.
 */
export async function pullTrigger(ctx: Ctx, pull: Pull): Promise<PipelineView> {
  const variables = variablesOf(pull)
  const trigger = store.byDigest(ctx.db, tokenDigest(pull.token))
  const { project, row } = trigger
    ? await byTrigger(ctx, pull, trigger, variables)
    : await byJob(ctx, pull, variables)
  return showPipeline(ctx, project, row)
}

type Made = { readonly project: Project; readonly row: PipelineRow }

async function byTrigger(
  ctx: Ctx,
  pull: Pull,
  trigger: TriggerRow,
  variables: readonly VariableInput[],
): Promise<Made> {
  const project = scope.load(ctx, pull.project)
  if (project?.id !== trigger.project_id) throw notFound()
  const acting = onBehalfOf(ctx, trigger.owner_id)
  if (!acting) throw refused('Insufficient permissions to create a new pipeline')
  checkVariables(acting, project, variables)
  const row = await createPipeline(acting, project, {
    source: 'trigger',
    ref: pull.ref,
    variables: [...variables, payloadOf(pull)],
    trigger_id: trigger.id,
  })
  tx(ctx.db, () => store.update(ctx.db, trigger.id, { last_used_at: ctx.now }))
  return { project, row }
}

async function byJob(ctx: Ctx, pull: Pull, variables: readonly VariableInput[]): Promise<Made> {
  const actor = actorOfJobToken(ctx, pull.token)
  if (!actor?.job) {
    const refusal = pull.token.startsWith(JOB_TOKEN_PREFIX) ? fail('unauthorized') : notFound()
    throw wrongCredential(ctx, pull.token, refusal)
  }
  const acting: Ctx = { ...ctx, actor }
  const project = scope.load(acting, pull.project)
  if (!project || !canRead(acting, scope, project)) throw notFound()
  checkVariables(acting, project, variables)
  const row = await createPipeline(acting, project, {
    source: 'pipeline',
    ref: pull.ref,
    variables: [...variables, payloadOf(pull)],
    upstream: upstreamOf(ctx, actor.job),
  })
  return { project, row }
}

function upstreamOf(ctx: Ctx, { id }: JobOfActor): { pipeline_id: number; job_id: number } | undefined {
  const job = jobs.byId(ctx.db, id)
  return job && { pipeline_id: job.pipeline_id, job_id: job.id }
}

/** Checks the variables of the caller; the payload is always allowed. */
function checkVariables(ctx: Ctx, project: Project, variables: readonly VariableInput[]): void {
  if (variables.length > 0 && !maySetVariables(ctx, project)) {
    throw refused('Insufficient permissions to set pipeline variables')
  }
}

const MAX_VARIABLES = 1000

function variablesOf({ variables }: Pull): VariableInput[] {
  const entries = Object.entries(variables)
  if (entries.length > MAX_VARIABLES || entries.some(([, value]) => !isText(value))) {
    throw fail('bad_request', 'variables needs to be a map of key-valued strings')
  }
  const input = entries.map(([key, value]) => ({ key, value: value as string }))
  checkGivenVariables(input)
  return input
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

function payloadOf({ payload }: Pull): VariableInput {
  const { token: _, ...shown } = payload
  return { key: 'TRIGGER_PAYLOAD', value: JSON.stringify(shown), variable_type: 'file' }
}

const PURPOSE = 'ci_triggers.token'
/** Characters behind the prefix that users other than the owner see. */
const SHOWN = 4

/** The stored form of a new token: sealed, because its owner may read it again, and as a digest for lookups. */
function newToken(ctx: Pick<Ctx, 'random' | 'secrets'>): Pick<TriggerRow, 'token' | 'token_digest'> {
  const token = TRIGGER_TOKEN_PREFIX + ctx.random.token(40)
  return { token: ctx.secrets.seal(token, PURPOSE), token_digest: tokenDigest(token) }
}

/** As much of a token as the actor may see: the owner sees all of it, because it acts in the owner's name. */
function shownToken(
  ctx: Pick<Ctx, 'actor' | 'secrets'>,
  { token, owner_id }: Pick<TriggerRow, 'token' | 'owner_id'>,
): string {
  const text = ctx.secrets.open(token, PURPOSE).toString()
  if (owner_id !== null && owner_id === ctx.actor.id) return text
  const start = text.startsWith(TRIGGER_TOKEN_PREFIX) ? TRIGGER_TOKEN_PREFIX.length : 0
  return text.slice(start, start + SHOWN)
}

const MAX_DESCRIPTION = 255

/** One page of a project's triggers as the actor sees them. */
export function listTriggers(
  ctx: Ctx,
  project: Project,
  paging: { limit: number; offset: number },
): Rows<TriggerView> {
  const { rows, total } = store.list(ctx.db, project.id, paging)
  return { rows: show(ctx, rows), total }
}

/** Throws 404. */
export function findTrigger(ctx: Ctx, project: Project, id: number): TriggerRow {
  const row = store.byId(ctx.db, project.id, id)
  if (!row) throw notFound('Trigger')
  return row
}

/** A trigger as the actor sees it; only the owner sees the whole token. */
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
    token: shownToken(ctx, row),
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

/** Updates the description of a trigger. Throws 403 unless the actor is its owner, 400 for an invalid description. */
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

/** Deletes a trigger. Its pipelines stay. */
export function removeTrigger(ctx: Ctx, row: TriggerRow): void {
  tx(ctx.db, () => store.remove(ctx.db, row.id))
}

function checkDescription(description: string): void {
  if (description.trim() === '') throw invalid({ description: "can't be blank" })
  if (description.length > MAX_DESCRIPTION) {
    throw invalid({ description: `is too long (maximum is ${MAX_DESCRIPTION} characters)` })
  }
}
