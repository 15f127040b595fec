import { performance } from 'node:perf_hooks'
import type { Updateable } from 'kysely'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { pushMirror, type MirrorResult } from '../../../git/transport/push-mirror.ts'
import { withSsh } from '../../../git/transport/ssh-setup.ts'
import { cancelable, RunInterrupted } from '../../../jobs/runs.ts'
import { projectById, repoOf, type Project, protectionsOf } from '../../projects/index.ts'
import { protecting } from '../../repository/index.ts'
import { sendLargeFiles } from '../../storage/index.ts'
import { isTemporary, reasonOf, notifyMaintainers, stopwatch } from '../service-failures.ts'
import { branchPattern, hostAlias, isSsh, type Credentials, maskedUrl } from '../validation.ts'
import * as store from './store.ts'
import type { RemoteMirrorRow } from './store.ts'
import { makeSshKeyPair } from '../../../lib/ssh/key-pair.ts'
import { tx } from '../../../db/database.ts'
import type { RemoteMirrorsTable } from '../../../db/schema.gen.ts'
import { publish } from '../../../events/publish.ts'
import { RemoteMirrorChanged } from '../events.ts'
import { areMirrorsRunning } from '../policy.ts'
import type { MirrorView } from './service.ts'

/** Number of attempts after which an update counts as failed (spec administration 5.2). */
const MAX_TRIES = 3

type Columns = Updateable<RemoteMirrorsTable>

/** Records the start of an update. */
export function recordStart(ctx: Ctx, mirror: RemoteMirrorRow): void {
  updateRow(ctx, mirror, { update_status: 'started', last_update_started_at: ctx.now })
}

/** Records a successful update. */
export function recordSuccess(ctx: Ctx, mirror: RemoteMirrorRow): void {
  recordEnd(ctx, mirror, {
    update_status: 'finished',
    last_update_at: ctx.now,
    last_successful_update_at: ctx.now,
    last_error: null,
    tries: 0,
    error_notified: false,
  })
}

/** Records a failed attempt and retries. After the last attempt, records a failed update. */
export function retryOrFail(
  ctx: Ctx,
  mirror: RemoteMirrorRow,
  reason: string,
  retry: (mirror: RemoteMirrorRow) => void,
): void {
  const tries = mirror.tries + 1
  if (tries >= MAX_TRIES) return recordFailure(ctx, mirror, reason)
  tx(ctx.db, () => {
    if (recordEnd(ctx, mirror, { update_status: 'to_retry', last_error: reason, tries })) retry(mirror)
  })
}

/**
 * Records a failed update. The next ref change or a request starts another. Maintainers are notified only of the first
 * of several failures in a row.
 */
export function recordFailure(ctx: Ctx, mirror: RemoteMirrorRow, reason: string): void {
  tx(ctx.db, () => {
    const columns = { update_status: 'failed', last_error: reason, last_update_at: ctx.now, tries: 0 }
    if (!recordEnd(ctx, mirror, { ...columns, error_notified: true } as Columns)) return
    if (!mirror.error_notified)
      notifyMaintainers(ctx, mirror.project_id, {
        url: maskedUrl(mirror.url, mirror.credentials !== null),
        reason,
      })
  })
}

/** Records the end of an update. Returns false if the mirror was changed or deleted in the meantime. */
function recordEnd(ctx: Ctx, mirror: RemoteMirrorRow, columns: Columns): boolean {
  const current = store.byId(ctx.db, mirror.id)
  if (current?.update_status !== 'started') return false
  updateRow(ctx, mirror, columns)
  return true
}

function updateRow(ctx: Ctx, { id, project_id }: RemoteMirrorRow, columns: Columns): void {
  tx(ctx.db, () => {
    const after = store.update(ctx.db, id, columns)
    if (!after) return
    publish(ctx, RemoteMirrorChanged, {
      project_id,
      mirror_id: id,
      action: 'synced',
      update_status: after.update_status,
      actor_id: null,
    })
  })
}

/** Returns a mirror with the state of its updates, for its entity (spec administration 5.1, `enabled`). */
export function mirrorView(ctx: Pick<Ctx, 'db' | 'now'>, project: Project, row: RemoteMirrorRow): MirrorView {
  return { row, isEnabled: row.enabled && areMirrorsRunning(ctx, project, row) }
}

const CREDENTIALS = 'remote_mirrors.credentials'
const PRIVATE_KEY = 'remote_mirrors.ssh_private_key'

type SecretsCtx = Pick<Ctx, 'secrets'>

export function sealCredentials({ secrets }: SecretsCtx, credentials: Credentials | null): string | null {
  return credentials && secrets.seal(JSON.stringify(credentials), CREDENTIALS)
}

export function credentialsOf({ secrets }: SecretsCtx, row: RemoteMirrorRow): Credentials | null {
  return row.credentials === null
    ? null
    : (JSON.parse(secrets.open(row.credentials, CREDENTIALS).toString()) as Credentials)
}

export function privateKeyOf({ secrets }: SecretsCtx, row: RemoteMirrorRow): string | null {
  return row.ssh_private_key === null ? null : secrets.open(row.ssh_private_key, PRIVATE_KEY).toString()
}

/** Generates an SSH key pair and returns its columns. */
export function newKeyColumns(ctx: Pick<Ctx, 'secrets' | 'config'>) {
  const pair = makeSshKeyPair(`git@${new URL(ctx.config.url).hostname}`)
  return { ssh_private_key: ctx.secrets.seal(pair.privateKey, PRIVATE_KEY), ssh_public_key: pair.publicKey }
}

const HOUR_MS = 3_600_000

/**
 * The maximum duration of an update, longer for the first one, which sends everything (spec administration 5.2, Max
 * run).
 */
export const MAX_RUN_MS = HOUR_MS
export const MAX_FIRST_RUN_MS = 3 * HOUR_MS

/**
 * Updates a push mirror and records the result. Does nothing when it is disabled. `retry` enqueues another attempt.
 * Throws only when the update is canceled or the instance stops.
 */
export async function updateMirror(
  ctx: Ctx,
  id: number,
  retry: (mirror: RemoteMirrorRow) => void,
): Promise<void> {
  const mirror = store.byId(ctx.db, id)
  const project = mirror && projectById(ctx.db, mirror.project_id)
  if (!mirror || !project || !mirrorView(ctx, project, mirror).isEnabled) return
  recordStart(ctx, mirror)
  const elapsedClock = stopwatch(ctx)
  try {
    const run = { name: `push:${id}`, project_id: project.id }
    const { diverged } = await cancelable(ctx, run, (signal) => push(ctx, project, mirror, signal))
    const endCtx = { ...ctx, now: elapsedClock() }
    if (diverged.length === 0) recordSuccess(endCtx, mirror)
    else recordFailure(endCtx, mirror, divergenceReason(diverged))
  } catch (error) {
    if (error instanceof RunInterrupted) throw error
    recordError({ ...ctx, now: elapsedClock() }, mirror, error, retry)
  }
}

function divergenceReason(refs: readonly string[]): string {
  return `Some refs have diverged and have not been updated on the remote:\n\n${refs.join('\n')}`
}

function recordError(
  ctx: Ctx,
  mirror: RemoteMirrorRow,
  error: unknown,
  retry: (mirror: RemoteMirrorRow) => void,
): void {
  const fields = { err: error, mirror_id: mirror.id, project_id: mirror.project_id }
  ctx.log.warn(fields, 'a mirror could not be updated')
  const reason = reasonOf(error, secretsOf(ctx, mirror))
  if (isTemporary(error)) retryOrFail(ctx, mirror, reason, retry)
  else recordFailure(ctx, mirror, reason)
}

/** The secrets that error messages must not contain. */
function secretsOf(ctx: Ctx, mirror: RemoteMirrorRow): string[] {
  try {
    const credentials = credentialsOf(ctx, mirror)
    return credentials ? [credentials.password] : []
  } catch {
    return []
  }
}

async function push(
  ctx: Ctx,
  project: Project,
  mirror: RemoteMirrorRow,
  signal: AbortSignal,
): Promise<MirrorResult> {
  const startedAt = performance.now()
  const address = await ctx.outbound.addressOfUrl(mirror.url, 'repository')
  const maxDuration = mirror.last_update_at === null ? MAX_FIRST_RUN_MS : MAX_RUN_MS
  const options = {
    isFollowed: branchFilter(ctx, project, mirror),
    keepDivergent: mirror.keep_divergent_refs,
    timeoutMs: maxDuration - (performance.now() - startedAt),
    signal,
  }
  const repo = repoOf(ctx, project)
  if (!isSsh(mirror.url)) {
    const authorization = authorizationOf(ctx, mirror)
    await sendLfsObjects(ctx, project, { url: mirror.url, authorization }, signal)
    return pushMirror(repo, { url: mirror.url, address, authorization }, options)
  }
  return withSsh(sshOptions(ctx, mirror, address), (ssh) =>
    pushMirror(repo, { url: sshUrl(ctx, mirror), address, ssh }, options),
  )
}

/**
 * Sends LFS objects before the refs that need them, if the mirror has a password (spec administration 5.2). If that
 * fails, the refs are pushed nevertheless, and the remote may refuse them.
 */
async function sendLfsObjects(
  ctx: Ctx,
  project: Project,
  { url, authorization }: { url: string; authorization: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (authorization === undefined) return
  try {
    await sendLargeFiles(ctx, project, { url, authorization }, signal)
  } catch (error) {
    signal.throwIfAborted()
    ctx.log.warn({ err: error, project_id: project.id }, 'large files could not be sent to a mirror')
  }
}

/** Returns the predicate for mirrored branches. */
function branchFilter(ctx: Ctx, project: Project, mirror: RemoteMirrorRow): (branch: string) => boolean {
  if (mirror.only_protected_branches) {
    const protections = protectionsOf(ctx.db, project.id)
    return (branch) => protecting(protections, branch).length > 0
  }
  if (mirror.mirror_branch_regex === null) return () => true
  const pattern = branchPattern(mirror.mirror_branch_regex)
  return (branch) => pattern.test(branch)
}

function authorizationOf(ctx: Ctx, mirror: RemoteMirrorRow): string | undefined {
  const credentials = credentialsOf(ctx, mirror)
  if (!credentials || mirror.url.startsWith('git:')) return undefined
  return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`
}

function sshUrl(ctx: Ctx, mirror: RemoteMirrorRow): string {
  const url = new URL(mirror.url)
  if (url.username === '') url.username = credentialsOf(ctx, mirror)?.user || 'git'
  return url.toString()
}

function sshOptions(ctx: Ctx, mirror: RemoteMirrorRow, address: string) {
  const hasKey = mirror.auth_method === 'ssh_public_key'
  return {
    folder: dataPaths(ctx.config.dataDir).tmp,
    host: hostAlias(mirror.url),
    address,
    privateKey: hasKey ? privateKeyOf(ctx, mirror) : null,
    password: hasKey ? null : (credentialsOf(ctx, mirror)?.password ?? ''),
    knownHosts: mirror.ssh_known_hosts,
    pin: (lines: string) => void store.update(ctx.db, mirror.id, { ssh_known_hosts: lines }),
  }
}
