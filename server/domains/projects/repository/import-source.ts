import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { ForbiddenDestination } from '../../../lib/outbound.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'
import { settingsOf } from '../../settings/index.ts'
import type { ProjectColumns, Project } from '../types.ts'
import * as store from '../store.ts'

/** The address of a repository, separated from the user name and password in it. */
export interface ImportAddress {
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  readonly authorization: string | undefined
}

/** The credentials for a remote repository. */
export interface RemoteCredentials {
  readonly user: string
  readonly password: string
}

/** The message for addresses that the outbound request filter blocks. */
export const BLOCKED = 'is blocked: Requests to the local network are not allowed'

const UNREACHABLE = 'Unable to access repository with the URL and credentials provided'
const ADVERTISEMENT = 'application/x-git-upload-pack-advertisement'
const QUERY = '/info/refs?service=git-upload-pack'
const TIMEOUT_MS = 10_000

/** Parses an address. Throws 422 if it is no http or https address. */
export function parseImportUrl(address: string): ImportAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw fail('unprocessable', `${withoutCredentials(address)} is not a valid URL`)
  }
  const { username, password } = url
  const credentials =
    username || password ? { user: decode(username), password: decode(password) } : undefined
  url.username = ''
  url.password = ''
  url.hash = ''
  const authorization = credentials && basicAuthorization(credentials)
  return { url: url.toString().replace(/\/+$/, ''), credentials, authorization }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Checks that imports from addresses are enabled, and that the address has a repository. Follows redirects. Returns
 * the address to clone from, with its credentials. Throws 403 if the import source is disabled, 400 for an address
 * that outbound requests may not reach, 422 if there is no repository.
 */
export async function checkImportUrl(ctx: Ctx, address: string): Promise<string> {
  if (!settingsOf(ctx).import_sources.includes('git')) throw fail('forbidden')
  const { url, authorization } = parseImportUrl(address)
  const reachedUrl = await probeRepository(ctx, url, authorization)
  const target = new URL(reachedUrl)
  const requested = new URL(address)
  // Credentials are sent only to the host in the requested address, and never over http if that address is https.
  const isEquallySafe = target.protocol === 'https:' || requested.protocol === 'http:'
  if (target.hostname === requested.hostname && isEquallySafe) {
    target.username = requested.username
    target.password = requested.password
  }
  return target.toString()
}

async function probeRepository(ctx: Ctx, url: string, authorization: string | undefined): Promise<string> {
  const response = await requestRefs(ctx, url, authorization)
  await response.body?.cancel().catch(() => undefined)
  if (!response.ok) throw fail('unprocessable', UNREACHABLE)
  if (!response.headers.get('content-type')?.startsWith(ADVERTISEMENT)) {
    throw fail('unprocessable', `${url} is not a valid HTTP Git repository`)
  }
  return response.url.endsWith(QUERY) ? response.url.slice(0, -QUERY.length) : url
}

async function requestRefs(ctx: Ctx, url: string, authorization: string | undefined) {
  const headers: Record<string, string> = {
    'user-agent': 'git/2.39.0',
    ...(authorization ? { authorization } : {}),
  }
  try {
    return await ctx.outbound.fetch(url + QUERY, { headers, timeoutMs: TIMEOUT_MS, purpose: 'repository' })
  } catch (error) {
    if (isForbidden(error)) {
      throw invalid({ import_url: BLOCKED })
    }
    throw fail('unprocessable', UNREACHABLE)
  }
}

function isForbidden(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return error instanceof ForbiddenDestination || cause instanceof ForbiddenDestination
}

const SEAL_PURPOSE = 'pull_mirrors.credentials'

/** The source of a project's import. */
export interface ImportSource {
  /** Without user name and password. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** The value of an `Authorization` header. */
  readonly authorization: string | undefined
}

/** The changes of a pull mirror that follow from changed settings. */
export interface PullChanges {
  readonly columns: Partial<Pick<ProjectColumns, 'import_url'>>
  /** Runs in the transaction that writes the columns. */
  store(): void
}

/** True if the caller may set up a pull mirror (spec administration 1.2, mirror_available). */
function mayMirror(ctx: Ctx): boolean {
  return ctx.actor.is_admin || settingsOf(ctx).mirror_available
}

/**
 * Returns the changes of the pull mirror: its address, and a function that stores its credentials encrypted. Throws
 * 400 for a mirror without an address or with a blocked one, 403 if the caller may not set up mirrors, 422 for an
 * invalid address.
 */
export async function pullChangesOf(
  ctx: Ctx,
  project: Project,
  changes: Partial<Pick<ProjectColumns, 'mirror' | 'import_url'>>,
): Promise<PullChanges> {
  const { mirror = project.mirror, import_url: requestedUrl } = changes
  if (changes.mirror === false && project.mirror)
    return { columns: {}, store: () => removeImportCredentials(ctx, project.id) }
  const isNew = mirror && (!project.mirror || requestedUrl !== undefined)
  if (isNew && !mayMirror(ctx)) throw fail('forbidden')
  if (mirror && !(requestedUrl ?? project.import_url)) throw invalid({ import_url: "can't be blank" })
  const granted = isNew && !settingsOf(ctx).mirror_available
  if (!requestedUrl) {
    const columns = requestedUrl === undefined ? {} : { import_url: null }
    return { columns, store: () => isNew && storeRow(ctx, project.id, { granted }) }
  }
  const { url, credentials } = parseImportUrl(requestedUrl)
  if (mirror) await checkReachable(ctx, url)
  const isSame = project.import_url !== null && originOf(project.import_url) === originOf(url)
  // An address without credentials, as the API shows it, keeps the stored credentials; they never go to another host.
  const newCredentials = credentials ?? (isSame ? undefined : null)
  return {
    columns: { import_url: url },
    store: () => storeRow(ctx, project.id, { granted, credentials: newCredentials }),
  }
}

/**
 * Stores the credentials of a new project's address until the import ends, or as long as the project is a pull
 * mirror.
 */
export function storeImportCredentials(
  ctx: Ctx,
  project: Project,
  credentials: RemoteCredentials | undefined,
) {
  const isMirror = project.mirror
  if (isMirror && !mayMirror(ctx)) throw fail('forbidden')
  const granted = isMirror && !settingsOf(ctx).mirror_available
  if (isMirror || credentials) storeRow(ctx, project.id, { granted, credentials: credentials ?? null })
}

function storeRow(
  ctx: Ctx,
  projectId: number,
  { granted, credentials }: { granted: boolean; credentials?: RemoteCredentials | null | undefined },
): void {
  const sealed = credentials ? ctx.secrets.seal(JSON.stringify(credentials), SEAL_PURPOSE) : credentials
  store.writePullMirror(ctx.db, projectId, {
    granted,
    updated_at: ctx.now,
    ...(sealed === undefined ? {} : { credentials: sealed }),
  })
}

/** Encrypts credentials that earlier releases stored in a project's address, and removes them from there. */
export function sealAddressCredentials(ctx: Ctx, project: Project): Project {
  const parsed = project.import_url ? parseImportUrl(project.import_url) : undefined
  if (!parsed?.credentials) return project
  const { url, credentials } = parsed
  return tx(ctx.db, () => {
    storeRow(ctx, project.id, { granted: false, credentials })
    return store.update(ctx.db, project.id, { import_url: url })
  })
}

/** Removes the credentials and the pull status. */
export function removeImportCredentials(ctx: Pick<Ctx, 'db'>, projectId: number): void {
  store.removePullMirror(ctx.db, projectId)
}

/**
 * Returns a project's import source with decrypted credentials; undefined without an address. Throws 422 for an
 * invalid address.
 */
export function importSourceOf(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'import_url'>,
): ImportSource | undefined {
  if (!project.import_url) return undefined
  const { url, credentials: addressCredentials } = parseImportUrl(project.import_url)
  const sealed = store.pullCredentials(ctx.db, project.id)
  const credentials = sealed
    ? (JSON.parse(ctx.secrets.open(sealed, SEAL_PURPOSE).toString()) as RemoteCredentials)
    : addressCredentials
  return { url, credentials, authorization: credentials && basicAuthorization(credentials) }
}

function basicAuthorization({ user, password }: RemoteCredentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function originOf(address: string): string {
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/**
 * Throws 400 for an address that outbound requests may not reach. A host name that does not resolve now is accepted.
 */
async function checkReachable(ctx: Ctx, url: string): Promise<void> {
  await ctx.outbound.addressOfUrl(url, 'repository').catch((error: unknown) => {
    if (error instanceof ForbiddenDestination) throw invalid({ import_url: BLOCKED })
  })
}
