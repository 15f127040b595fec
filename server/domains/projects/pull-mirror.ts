import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { ForbiddenDestination } from '../../lib/outbound.ts'
import { settingsOf } from '../settings/index.ts'
import { BLOCKED, parseImportUrl, type RemoteCredentials } from './import-url.ts'
import type { Project, ProjectColumns } from './project.ts'
import * as store from './store.ts'

const PURPOSE = 'pull_mirrors.credentials'

/** Where a project is filled from. */
export interface ImportSource {
  /** Without user name and password. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** Value of an `Authorization` header. */
  readonly authorization: string | undefined
}

/** What a change of settings means for pulling. */
export interface PullChanges {
  readonly columns: Partial<Pick<ProjectColumns, 'import_url'>>
  /** To be called in the transaction that writes the columns. */
  keep(): void
}

/** True where the caller may have a project follow a repository elsewhere (spec administration 1.2, mirror_available). */
function mayMirror(ctx: Ctx): boolean {
  return ctx.actor.is_admin || settingsOf(ctx).mirror_available
}

/**
 * What becomes of the address and of its credentials, which are kept sealed beside the project. Throws 400 for a mirror
 * without an address or of one that must not be reached, 403 for who may not set up mirrors, 422 for what is no address.
 */
export async function pullChangesOf(
  ctx: Ctx,
  project: Project,
  changes: Partial<Pick<ProjectColumns, 'mirror' | 'import_url'>>,
): Promise<PullChanges> {
  const { mirror = project.mirror, import_url: given } = changes
  if (changes.mirror === false && project.mirror)
    return { columns: {}, keep: () => forgetImportCredentials(ctx, project.id) }
  const isNew = mirror && (!project.mirror || given !== undefined)
  if (isNew && !mayMirror(ctx)) throw fail('forbidden')
  if (mirror && !(given ?? project.import_url)) throw invalid({ import_url: "can't be blank" })
  const granted = isNew && !settingsOf(ctx).mirror_available
  if (!given) {
    const columns = given === undefined ? {} : { import_url: null }
    return { columns, keep: () => isNew && keepRow(ctx, project.id, { granted }) }
  }
  const { url, credentials } = parseImportUrl(given)
  if (mirror) await checkReachable(ctx, url)
  const isSame = project.import_url !== null && originOf(project.import_url) === originOf(url)
  // Who sends back what was shown takes no credentials away; they never go to another host.
  const kept = credentials ?? (isSame ? undefined : null)
  return {
    columns: { import_url: url },
    keep: () => keepRow(ctx, project.id, { granted, credentials: kept }),
  }
}

/** Keeps the credentials of a new project's address until it is filled, or for as long as it follows that address. */
export function keepImportCredentials(
  ctx: Ctx,
  project: Project,
  credentials: RemoteCredentials | undefined,
) {
  const isMirror = project.mirror
  if (isMirror && !mayMirror(ctx)) throw fail('forbidden')
  const granted = isMirror && !settingsOf(ctx).mirror_available
  if (isMirror || credentials) keepRow(ctx, project.id, { granted, credentials: credentials ?? null })
}

function keepRow(
  ctx: Ctx,
  projectId: number,
  { granted, credentials }: { granted: boolean; credentials?: RemoteCredentials | null | undefined },
): void {
  const sealed = credentials ? ctx.secrets.seal(JSON.stringify(credentials), PURPOSE) : null
  ctx.db.exec(
    `INSERT INTO pull_mirrors (project_id, credentials, granted, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id) DO UPDATE SET granted = excluded.granted, updated_at = excluded.updated_at,
       credentials = CASE WHEN ? THEN excluded.credentials ELSE credentials END`,
    projectId,
    sealed,
    granted,
    ctx.now,
    credentials !== undefined,
  )
}

/** Seals credentials that the address of a project still carries, as versions before mirrors left them. */
export function sealOldCredentials(ctx: Ctx, project: Project): Project {
  const parsed = project.import_url ? parseImportUrl(project.import_url) : undefined
  if (!parsed?.credentials) return project
  const { url, credentials } = parsed
  return tx(ctx.db, () => {
    keepRow(ctx, project.id, { granted: false, credentials })
    return store.update(ctx.db, project.id, { import_url: url })
  })
}

/** Removes the credentials, and what is known of how pulling went. */
export function forgetImportCredentials(ctx: Pick<Ctx, 'db'>, projectId: number): void {
  ctx.db.exec('DELETE FROM pull_mirrors WHERE project_id = ?', projectId)
}

/** Where a project is filled from, credentials open; undefined for one without an address. Throws 422 for what is none. */
export function importSourceOf(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'import_url'>,
): ImportSource | undefined {
  if (!project.import_url) return undefined
  const { url, credentials: own } = parseImportUrl(project.import_url)
  const row = ctx.db.one<{ credentials: string | null }>(
    'SELECT credentials FROM pull_mirrors WHERE project_id = ?',
    project.id,
  )
  const sealed = row?.credentials
  const credentials = sealed
    ? (JSON.parse(ctx.secrets.open(sealed, PURPOSE).toString()) as RemoteCredentials)
    : own
  return { url, credentials, authorization: credentials && basic(credentials) }
}

function basic({ user, password }: RemoteCredentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function originOf(address: string): string {
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/** A name that leads nowhere at the moment is no reason to refuse it. */
async function checkReachable(ctx: Ctx, url: string): Promise<void> {
  await ctx.outbound.addressOfUrl(url, 'repository').catch((error: unknown) => {
    if (error instanceof ForbiddenDestination) throw invalid({ import_url: BLOCKED })
  })
}
