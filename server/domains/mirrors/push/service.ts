import type { Updateable } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { RemoteMirrorsTable } from '../../../db/schema.gen.ts'
import { publish } from '../../../events/publish.ts'
import { cancelRun } from '../../../jobs/runs.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { RemoteMirrorChanged } from '../events.ts'
import { checkMayMirror } from '../policy.ts'
import {
  branchPattern,
  checkReachable,
  isSameServer,
  isSsh,
  MASK,
  parseMirrorUrl,
  type MirrorAddress,
} from '../validation.ts'
import { credentialsOf, newKeyColumns, sealCredentials, mirrorView } from './update.ts'
import { withdrawRequests, requestUpdateNow } from './jobs.ts'
import * as store from './store.ts'
import type { RemoteMirrorRow } from './store.ts'

/** A push mirror, and whether its updates are enabled. */
export interface MirrorView {
  readonly row: RemoteMirrorRow
  readonly isEnabled: boolean
}

/** The fields of a push mirror in a request. In updates, undefined fields stay unchanged. */
export interface MirrorInput {
  readonly url?: string | undefined
  readonly enabled?: boolean | undefined
  readonly auth_method?: 'password' | 'ssh_public_key' | undefined
  readonly only_protected_branches?: boolean | undefined
  readonly keep_divergent_refs?: boolean | undefined
  readonly mirror_branch_regex?: string | null | undefined
}

/** The maximum number of push mirrors of a project. Each causes a push after every change. */
const MAX_MIRRORS = 10
const NOT_ENABLED = 'Cannot proceed with the push mirroring. Please verify your mirror configuration.'

type Columns = Updateable<RemoteMirrorsTable>

/** Lists one page of the push mirrors of a project. Throws 401 unless the actor may set up mirrors. */
export function listMirrors(ctx: Ctx, project: Project, paging: { limit: number; offset: number }) {
  checkMayMirror(ctx)
  const { rows, total } = store.list(ctx.db, project.id, paging)
  return { rows: rows.map((row) => mirrorView(ctx, project, row)), total: total! }
}

/** Finds a push mirror of a project. Throws 401 as `listMirrors` does, and 404 if there is none. */
export function findMirror(ctx: Ctx, project: Project, id: number): RemoteMirrorRow {
  checkMayMirror(ctx)
  const row = store.find(ctx.db, project.id, id)
  if (!row) throw notFound()
  return row
}

/**
 * Creates a push mirror. It is updated after the next ref change or on request. Throws 400 for invalid fields, and 401.
 */
export async function createMirror(
  ctx: Ctx,
  project: Project,
  input: MirrorInput & { readonly url: string },
): Promise<MirrorView> {
  checkMayMirror(ctx)
  const address = parseMirrorUrl(input.url)
  if (isMasked(address)) throw invalid({ url: 'requires a user name and password' })
  await checkReachable(ctx, address.url)
  return tx(ctx.db, () => {
    if (store.count(ctx.db, project.id) >= MAX_MIRRORS)
      throw invalid({ base: `Maximum number of mirrors (${MAX_MIRRORS}) exceeded` })
    const { auth_method = 'password' } = input
    const row = store.insert(ctx.db, {
      ...settingColumns(ctx, input),
      ...keyColumns(ctx, address.url, auth_method),
      project_id: project.id,
      url: address.url,
      credentials: sealCredentials(ctx, address.credentials),
      auth_method,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    publishChange(ctx, row, 'created')
    return mirrorView(ctx, project, row)
  })
}

function isMasked({ credentials }: MirrorAddress): boolean {
  return credentials !== null && (credentials.user === MASK || credentials.password === MASK)
}

/** Returns the columns for the settings in a request. */
function settingColumns(ctx: Ctx, input: MirrorInput): Columns {
  const { enabled, only_protected_branches, keep_divergent_refs, mirror_branch_regex } = input
  if (mirror_branch_regex) branchPattern(mirror_branch_regex)
  return {
    ...(enabled === undefined ? {} : { enabled: enabled, granted: isGrant(ctx, enabled) }),
    ...(keep_divergent_refs === undefined ? {} : { keep_divergent_refs: keep_divergent_refs }),
    ...(only_protected_branches === undefined ? {} : { only_protected_branches: only_protected_branches }),
    ...(mirror_branch_regex === undefined ? {} : { mirror_branch_regex: mirror_branch_regex || null }),
    // The two ways to select branches exclude each other.
    ...(only_protected_branches === true ? { mirror_branch_regex: null } : {}),
    ...(mirror_branch_regex ? { only_protected_branches: false } : {}),
  }
}

/** Whether an administrator enables a mirror although the instance does not offer mirrors. */
function isGrant(ctx: Ctx, enabled: boolean): boolean {
  return enabled && !settingsOf(ctx).mirror_available
}

function keyColumns(ctx: Ctx, url: string, method: string, row?: RemoteMirrorRow): Columns {
  const needsKey = isSsh(url) && method === 'ssh_public_key' && !row?.ssh_private_key
  return needsKey ? newKeyColumns(ctx) : {}
}

/** Updates a push mirror. A new address or new credentials reset its state. Throws 400. */
export async function changeMirror(
  ctx: Ctx,
  project: Project,
  row: RemoteMirrorRow,
  changes: MirrorInput,
): Promise<MirrorView> {
  const address = changes.url === undefined ? undefined : newAddress(ctx, row, changes.url)
  if (address) await checkReachable(ctx, address.url)
  const { auth_method = row.auth_method } = changes
  const isNew = (address && isChanged(ctx, row, address)) || auth_method !== row.auth_method
  const columns = {
    ...settingColumns(ctx, changes),
    ...keyColumns(ctx, address?.url ?? row.url, auth_method, row),
    ...(address ? { url: address.url, credentials: sealCredentials(ctx, address.credentials) } : {}),
    ...(address && !isSameServer(address.url, row.url) ? { ssh_known_hosts: null } : {}),
    ...(changes.enabled === false ? columnsAfterStop(row) : {}),
    ...(isNew ? RESET_COLUMNS : {}),
    auth_method,
    updated_at: ctx.now,
  }
  const changed = tx(ctx.db, () => {
    const after = store.update(ctx.db, row.id, columns)
    if (!after) throw notFound()
    if (isNew) withdrawRequests(ctx, row)
    publishChange(ctx, after, 'updated')
    return after
  })
  if (isNew || !changed.enabled) void cancelRun(ctx, `push:${row.id}`)
  return mirrorView(ctx, project, changed)
}

/** Returns the columns of a disabled mirror. Its running update ends, so the status becomes that of the last update. */
function columnsAfterStop({ update_status, last_update_at, last_error }: RemoteMirrorRow): Columns {
  if (update_status !== 'started') return {}
  return { update_status: last_update_at === null ? 'none' : last_error === null ? 'finished' : 'failed' }
}

const RESET_COLUMNS: Columns = {
  last_error: null,
  last_update_at: null,
  last_successful_update_at: null,
  update_status: 'finished',
  tries: 0,
  error_notified: false,
}

/** Parses the new URL of a mirror. A mask keeps the stored credentials, which are never sent to another server. */
function newAddress(ctx: Ctx, row: RemoteMirrorRow, url: string): MirrorAddress {
  const address = parseMirrorUrl(url)
  if (!isMasked(address)) return address
  if (row.credentials === null || !isSameServer(address.url, row.url))
    throw invalid({ url: 'requires a user name and password' })
  return { ...address, credentials: credentialsOf(ctx, row) }
}

function isChanged(ctx: Ctx, row: RemoteMirrorRow, { url, credentials }: MirrorAddress): boolean {
  return url !== row.url || JSON.stringify(credentials) !== JSON.stringify(credentialsOf(ctx, row))
}

/** Deletes a push mirror and ends its running update. The remote repository stays unchanged. */
export function removeMirror(ctx: Ctx, row: RemoteMirrorRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publishChange(ctx, row, 'deleted')
  })
  void cancelRun(ctx, `push:${row.id}`)
}

/** Enqueues an update now. Throws 400 while updates of the mirror are disabled. */
export function syncMirror(ctx: Ctx, project: Project, row: RemoteMirrorRow): void {
  if (!mirrorView(ctx, project, row).isEnabled) throw fail('bad_request', NOT_ENABLED)
  requestUpdateNow(ctx, row)
}

function publishChange(ctx: Ctx, row: RemoteMirrorRow, action: 'created' | 'updated' | 'deleted'): void {
  publish(ctx, RemoteMirrorChanged, {
    project_id: row.project_id,
    mirror_id: row.id,
    action,
    update_status: row.update_status,
    actor_id: ctx.actor.id,
  })
}
