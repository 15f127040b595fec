import { performance } from 'node:perf_hooks'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { pushMirror, type MirrorResult } from '../../../git/transport/push-mirror.ts'
import { withSsh } from '../../../git/transport/ssh-way.ts'
import { projectById, repoOf, type Project } from '../../projects/index.ts'
import { protecting, protectionsOf } from '../../repository/index.ts'
import { sendLargeFiles } from '../../storage/index.ts'
import { mayPass, reasonOf } from '../service-failures.ts'
import { abortable, Closing, stopwatch, Superseded } from '../service-running.ts'
import { branchPattern, hostAlias, isSsh } from '../validation.ts'
import { credentialsOf, privateKeyOf } from './credentials.ts'
import { begin, failed, finished, mayComeBack, shown } from './states.ts'
import * as store from './store.ts'
import type { RemoteMirrorRow } from './store.ts'

const HOUR_MS = 3_600_000

/** Longest time of an update; the first one sends everything (spec administration 5.2, Max run). */
export const MAX_RUN_MS = HOUR_MS
export const MAX_FIRST_RUN_MS = 3 * HOUR_MS

/**
 * Updates a push mirror and records the result. Does nothing when it is disabled. `retry` enqueues another attempt.
 * Throws only when the instance closes, so that the job runs again.
 */
export async function updateMirror(
  ctx: Ctx,
  id: number,
  retry: (mirror: RemoteMirrorRow) => void,
): Promise<void> {
  const mirror = store.byId(ctx.db, id)
  const project = mirror && projectById(ctx.db, mirror.project_id)
  if (!mirror || !project || !shown(ctx, project, mirror).isEnabled) return
  begin(ctx, mirror)
  const now = stopwatch(ctx)
  try {
    const { diverged } = await abortable(ctx, `push:${id}`, (signal) => push(ctx, project, mirror, signal))
    const later = { ...ctx, now: now() }
    if (diverged.length === 0) finished(later, mirror)
    else failed(later, mirror, divergenceOf(diverged))
  } catch (error) {
    if (error instanceof Superseded) return
    if (error instanceof Closing) throw error
    settleFailure({ ...ctx, now: now() }, mirror, error, retry)
  }
}

function divergenceOf(refs: readonly string[]): string {
  return `Some refs have diverged and have not been updated on the remote:\n\n${refs.join('\n')}`
}

function settleFailure(
  ctx: Ctx,
  mirror: RemoteMirrorRow,
  error: unknown,
  retry: (mirror: RemoteMirrorRow) => void,
): void {
  const fields = { err: error, mirror_id: mirror.id, project_id: mirror.project_id }
  ctx.log.warn(fields, 'a mirror could not be updated')
  const reason = reasonOf(error, secretsOf(ctx, mirror))
  if (mayPass(error)) mayComeBack(ctx, mirror, reason, retry)
  else failed(ctx, mirror, reason)
}

/** The secrets that messages must not contain. */
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
  const begun = performance.now()
  const address = await ctx.outbound.addressOfUrl(mirror.url, 'repository')
  const limit = mirror.last_update_at === null ? MAX_FIRST_RUN_MS : MAX_RUN_MS
  const options = {
    isWanted: rulesOf(ctx, project, mirror),
    keepDivergent: mirror.keep_divergent_refs,
    timeoutMs: limit - (performance.now() - begun),
    signal,
  }
  const repo = repoOf(ctx, project)
  if (!isSsh(mirror.url)) {
    const authorization = authorizationOf(ctx, mirror)
    await sendFirst(ctx, project, { url: mirror.url, authorization }, signal)
    return pushMirror(repo, { url: mirror.url, address, authorization }, options)
  }
  return withSsh(sshOf(ctx, mirror, address), (ssh) =>
    pushMirror(repo, { url: sshUrl(ctx, mirror), address, ssh }, options),
  )
}

/**
 * Sends LFS objects before the refs that need them, only with a password (spec administration 5.2). If the remote
 * refuses them, it decides about the refs itself.
 */
async function sendFirst(
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

/** Returns the test for mirrored branches. */
function rulesOf(ctx: Ctx, project: Project, mirror: RemoteMirrorRow): (branch: string) => boolean {
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

function sshOf(ctx: Ctx, mirror: RemoteMirrorRow, address: string) {
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
