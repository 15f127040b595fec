import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { REGISTERED_RUNNER_TOKEN_PREFIX, RUNNER_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { isoTime } from '../../../lib/clock.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { projectById } from '../../projects/index.ts'
import { planLimits, settingsOf } from '../../settings/index.ts'
import { notifyRunner } from '../runner_protocol/queue.ts'
import { type RunnerInfo, publishRunner, removeManager, discardPending } from './contact.ts'
import type { RunnerScope } from './registration-token.ts'
import { requireManager } from '../visibility.ts'
import { checkRunner, cleanTags, type RunnerFields } from './validation.ts'
import { setRunnerSettings, projectIdsOf, type RunnerRow } from './store.ts'
import * as store from './store.ts'
import type { IssuedToken } from './entity.ts'

const TOKEN_LENGTH = 20

/** The number of characters of a token that are stored, so that users can distinguish runners. */
const SHORT_LENGTH = 8

/** Whether a user created a runner, or it registered itself. The prefix of its token shows it (spec ci 1.2). */
type Origin = 'created' | 'registered'

/** A new authentication token with the columns to store. */
function newToken({ random }: Pick<Ctx, 'random'>, origin: Origin) {
  const secret = random.token(TOKEN_LENGTH)
  const token = (origin === 'created' ? RUNNER_TOKEN_PREFIX : REGISTERED_RUNNER_TOKEN_PREFIX) + secret
  return { token, columns: { token_digest: tokenDigest(token), short_token: secret.slice(0, SHORT_LENGTH) } }
}

const DEFAULTS: RunnerFields = {
  description: null,
  maintenance_note: null,
  paused: false,
  locked: false,
  run_untagged: true,
  access_level: 'not_protected',
  maximum_timeout: null,
  tag_list: [],
}

/** The fields of a new runner. `info` is the data that a runner sends when it registers. */
export interface NewRunner {
  readonly scope: RunnerScope
  readonly origin: Origin
  readonly fields: Partial<RunnerFields>
  readonly info?: RunnerInfo | undefined
  readonly ip?: string
  readonly built_in?: boolean
}

/** A new runner with its token. The token is only returned once, because only its digest is stored. */
export interface CreatedRunner {
  readonly id: number
  readonly token: string
  readonly token_expires_at: string | null
  readonly row: RunnerRow
}

/** Creates a runner. Throws 400 with the errors of each field. */
export function createRunner(
  ctx: Ctx,
  { scope, origin, fields: input, info, ip, built_in }: NewRunner,
): CreatedRunner {
  const fields = mergeFields(DEFAULTS, input)
  checkRunner(fields)
  const { token, columns } = newToken(ctx, origin)
  // The token of the built-in runner never expires, because nobody but the instance has it.
  const token_expires_at = built_in ? null : tokenExpiry(ctx, scope)
  return tx(ctx.db, () => {
    checkLimit(ctx, scope)
    const row = store.insert(ctx.db, {
      token_expires_at,
      runner_type: scope.runner_type,
      group_id: scope.runner_type === 'group_type' ? scope.group_id : null,
      ...columns,
      ...columnsOf(fields),
      ...infoColumns(info),
      ip_address: ip ?? null,
      creator_id: origin === 'created' ? ctx.actor.id : null,
      built_in: built_in ?? false,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    if (scope.runner_type === 'project_type') store.assign(ctx.db, row.id, scope.project_id, ctx.now)
    publishRunner(ctx, row, 'registered')
    return { id: row.id, token, token_expires_at, row }
  })
}

/** Throws 400 if a project or group already has as many runners as the plan allows (spec administration 13). */
function checkLimit(ctx: Ctx, scope: RunnerScope): void {
  if (scope.runner_type === 'instance_type') return
  const kind = scope.runner_type === 'group_type' ? 'group' : 'project'
  const limit = planLimits(ctx.db)[`ci_registered_${kind}_runners`]
  const id = scope.runner_type === 'group_type' ? scope.group_id : scope.project_id
  if (limit > 0 && store.countRunners(ctx.db, kind, id, limit) >= limit)
    throw invalid({ base: `Maximum number of ci registered ${kind} runners (${limit}) exceeded` })
}

/** Returns the runner with an ID. Throws `404 Runner Not Found`. */
export function findRunner(ctx: Pick<Ctx, 'db'>, id: number): RunnerRow {
  const row = store.byId(ctx.db, id)
  if (!row) throw notFound('Runner')
  return row
}

/**
 * Updates a runner and makes it check its queue again. Throws 403 if the actor may not change it, and 400 with the errors
 * of each field.
 */
export function updateRunner(ctx: Ctx, id: number, changes: Partial<RunnerFields>): RunnerRow {
  const before = findRunner(ctx, id)
  requireManager(ctx, before)
  const fields = mergeFields(fieldsOf(before), changes)
  checkRunner(fields)
  return tx(ctx.db, () => {
    const row = store.update(ctx.db, id, { ...columnsOf(fields), updated_at: ctx.now })
    publishRunner(ctx, row, 'changed')
    notifyRunner(ctx, id)
    return row
  })
}

/** Deletes a runner. Its running jobs fail later, because nobody reports their results. */
export function removeRunner(ctx: Ctx, row: RunnerRow): void {
  tx(ctx.db, () => {
    publishRunner(ctx, row, 'removed')
    store.remove(ctx.db, row.id)
    if (row.built_in) setRunnerSettings(ctx, { built_in_enabled: false, built_in_token: null })
  })
  discardPending(ctx.db, row.id)
  // This ends held requests of the runner.
  notifyRunner(ctx, row.id)
}

/** Deletes a runner as the actor (spec ci 3.1). Throws 403 without permission. */
export function removeRunnerById(ctx: Ctx, id: number): void {
  const row = findRunner(ctx, id)
  if (!ctx.actor.is_admin && store.projectIdsOf(ctx.db, id).length > 1)
    throw fail('forbidden', '403 Forbidden - Runner associated with more than one project')
  requireManager(ctx, row)
  removeRunner(ctx, row)
}

/** Removes a process of a runner. */
export function removeRunnerManager(ctx: Ctx, row: RunnerRow, systemId: string): void {
  removeManager(ctx.db, row.id, systemId)
}

/** Resets the token of a runner. The previous one becomes invalid. */
export function resetRunnerToken(ctx: Ctx, row: RunnerRow): IssuedToken {
  const { token, columns } = newToken(ctx, row.creator_id === null ? 'registered' : 'created')
  const token_expires_at = row.built_in ? null : tokenExpiry(ctx, scopeOfRunner(ctx, row))
  tx(ctx.db, () => {
    store.update(ctx.db, row.id, { ...columns, token_expires_at, updated_at: ctx.now })
    publishRunner(ctx, row, 'changed')
  })
  return { token, token_expires_at }
}

/** Assigns a project runner to another project (spec ci 3.1). Throws 403 and 400 if that is not allowed. */
export function assignRunner(ctx: Ctx, projectId: number, runnerId: number): RunnerRow {
  const row = findRunner(ctx, runnerId)
  if (row.runner_type === 'group_type') throw fail('forbidden', '403 Forbidden - Runner is a group runner')
  if (!ctx.actor.is_admin && row.locked) throw fail('forbidden', '403 Forbidden - Runner is locked')
  requireManager(ctx, row)
  if (row.runner_type === 'instance_type')
    throw invalid({ assign_to: 'Transitioning an instance runner to a project runner is not supported' })
  tx(ctx.db, () => {
    if (!store.projectIdsOf(ctx.db, runnerId).includes(projectId))
      checkLimit(ctx, { runner_type: 'project_type', project_id: projectId })
    if (!store.assign(ctx.db, runnerId, projectId, ctx.now))
      throw invalid({ assign_to: 'Validation failed: Runner has already been taken' })
    publishRunner(ctx, row, 'changed')
    notifyRunner(ctx, runnerId)
  })
  return row
}

/** Unassigns a runner from a project (spec ci 3.1). Throws 403 for its last project. */
export function unassignRunner(ctx: Ctx, projectId: number, runnerId: number): void {
  const projects = store.projectIdsOf(ctx.db, runnerId)
  if (!projects.includes(projectId)) throw notFound('Runner')
  if (projects.length === 1) {
    const text = 'Only one project associated with the runner. Please remove the runner instead'
    throw fail('forbidden', `403 Forbidden - ${text}`)
  }
  const row = findRunner(ctx, runnerId)
  tx(ctx.db, () => {
    store.unassign(ctx.db, runnerId, projectId)
    publishRunner(ctx, row, 'changed')
    notifyRunner(ctx, runnerId)
  })
}

function mergeFields(before: RunnerFields, changes: Partial<RunnerFields>): RunnerFields {
  const defined = Object.entries(changes).filter(([, value]) => value !== undefined)
  const fields = { ...before, ...(Object.fromEntries(defined) as Partial<RunnerFields>) }
  return { ...fields, tag_list: cleanTags(fields.tag_list) }
}

function fieldsOf(row: RunnerRow): RunnerFields {
  return {
    description: row.description,
    maintenance_note: row.maintenance_note,
    paused: row.paused,
    locked: row.locked,
    run_untagged: row.run_untagged,
    access_level: row.access_level,
    maximum_timeout: row.maximum_timeout,
    tag_list: row.tag_list,
  }
}

function columnsOf(fields: RunnerFields) {
  return { ...fields, tag_list: [...fields.tag_list] }
}

function infoColumns({ features, config, ...texts }: RunnerInfo = {}) {
  return { ...texts, features: JSON.stringify(features ?? {}), config: JSON.stringify(config ?? {}) }
}

/** The expiry time of a new token, by the settings of the instance and the project. Null means never. */
function tokenExpiry(ctx: Ctx, scope: RunnerScope): string | null {
  const settings = settingsOf(ctx)
  if (scope.runner_type === 'instance_type') return after(ctx, settings.runner_token_expiration_interval)
  if (scope.runner_type === 'group_type') return after(ctx, settings.group_runner_token_expiration_interval)
  const interval = projectById(ctx.db, scope.project_id)?.runner_token_expiration_interval ?? null
  const intervals = [interval, settings.project_runner_token_expiration_interval].filter(
    (seconds) => seconds !== null,
  )
  return after(ctx, intervals.length === 0 ? null : Math.min(...intervals))
}

/** The scope of a runner. For a project runner it is the first of its projects. */
function scopeOfRunner({ db }: Pick<Ctx, 'db'>, row: RunnerRow): RunnerScope {
  if (row.runner_type === 'group_type') return { runner_type: 'group_type', group_id: row.group_id! }
  const [project_id] = row.runner_type === 'project_type' ? projectIdsOf(db, row.id) : []
  return project_id === undefined
    ? { runner_type: 'instance_type' }
    : { runner_type: 'project_type', project_id }
}

function after({ now }: Ctx, seconds: number | null): string | null {
  return seconds ? isoTime(Date.parse(now) + seconds * 1000) : null
}
