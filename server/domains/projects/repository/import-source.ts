import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { ForbiddenDestination } from '../../../lib/outbound.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'
import { settingsOf } from '../../settings/index.ts'
import type { ProjectColumns, Project } from '../types.ts'
import * as store from '../store.ts'

/** The address of a repository without the name and password in it. */
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
  const pair = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')
  const authorization = pair && `Basic ${pair}`
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
 * Checks that imports from addresses are enabled, and that this address has a repository. Returns the address to
 * clone from, with its credentials, after redirects. Throws 403 if that import source is disabled, 400 for an
 * address that outbound requests may not reach, 422 if there is no repository.
 */
export async function checkImportUrl(ctx: Ctx, address: string): Promise<string> {
  if (!settingsOf(ctx).import_sources.includes('git')) throw fail('forbidden')
  const { url, authorization } = parseImportUrl(address)
  const final = await probe(ctx, url, authorization)
  const target = new URL(final)
  const from = new URL(address)
  // Credentials go only to the host that they were given for, and never from https to http.
  const isAsSafe = target.protocol === 'https:' || from.protocol === 'http:'
  if (target.hostname === from.hostname && isAsSafe) {
    target.username = from.username
    target.password = from.password
  }
  return target.toString()
}

async function probe(ctx: Ctx, url: string, authorization: string | undefined): Promise<string> {
  const response = await ask(ctx, url, authorization)
  await response.body?.cancel().catch(() => undefined)
  if (!response.ok) throw fail('unprocessable', UNREACHABLE)
  if (!response.headers.get('content-type')?.startsWith(ADVERTISEMENT)) {
    throw fail('unprocessable', `${url} is not a valid HTTP Git repository`)
  }
  return response.url.endsWith(QUERY) ? response.url.slice(0, -QUERY.length) : url
}

async function ask(ctx: Ctx, url: string, authorization: string | undefined) {
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

const PURPOSE = 'pull_mirrors.credentials'

/** The source of a project's import. */
export interface ImportSource {
  /** Without user name and password. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** The value of an `Authorization` header. */
  readonly authorization: string | undefined
}

/** The effect of changed settings on the pull mirror. */
export interface PullChanges {
  readonly columns: Partial<Pick<ProjectColumns, 'import_url'>>
  /** Runs in the transaction that writes the columns. */
  keep(): void
}

/** True if the caller may set up a pull mirror (spec administration 1.2, mirror_available). */
function mayMirror(ctx: Ctx): boolean {
  return ctx.actor.is_admin || settingsOf(ctx).mirror_available
}

/**
 * Returns the new address and its credentials, which are stored sealed. Throws 400 for a mirror without an address
 * or with a blocked one, 403 if the caller may not set up mirrors, 422 for an invalid address.
 */
export async function pullChangesOf(
  ctx: Ctx,
  project: Project,
  changes: Partial<Pick<ProjectColumns, 'mirror' | 'import_url'>>,
): Promise<PullChanges> {
  const { mirror = project.mirror, import_url: requestedUrl } = changes
  if (changes.mirror === false && project.mirror)
    return { columns: {}, keep: () => forgetImportCredentials(ctx, project.id) }
  const isNew = mirror && (!project.mirror || requestedUrl !== undefined)
  if (isNew && !mayMirror(ctx)) throw fail('forbidden')
  if (mirror && !(requestedUrl ?? project.import_url)) throw invalid({ import_url: "can't be blank" })
  const granted = isNew && !settingsOf(ctx).mirror_available
  if (!requestedUrl) {
    const columns = requestedUrl === undefined ? {} : { import_url: null }
    return { columns, keep: () => isNew && storeRow(ctx, project.id, { granted }) }
  }
  const { url, credentials } = parseImportUrl(requestedUrl)
  if (mirror) await checkReachable(ctx, url)
  const isSame = project.import_url !== null && originOf(project.import_url) === originOf(url)
  // An address without credentials, as the API shows it, keeps the stored credentials; they never go to another host.
  const stored = credentials ?? (isSame ? undefined : null)
  return {
    columns: { import_url: url },
    keep: () => storeRow(ctx, project.id, { granted, credentials: stored }),
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
  const sealed = credentials ? ctx.secrets.seal(JSON.stringify(credentials), PURPOSE) : credentials
  store.writePullMirror(ctx.db, projectId, {
    granted,
    updated_at: ctx.now,
    ...(sealed === undefined ? {} : { credentials: sealed }),
  })
}

/** Seals credentials in a project's address, which earlier releases stored there. */
export function sealOldCredentials(ctx: Ctx, project: Project): Project {
  const parsed = project.import_url ? parseImportUrl(project.import_url) : undefined
  if (!parsed?.credentials) return project
  const { url, credentials } = parsed
  return tx(ctx.db, () => {
    storeRow(ctx, project.id, { granted: false, credentials })
    return store.update(ctx.db, project.id, { import_url: url })
  })
}

/** Removes the credentials and the pull status. */
export function forgetImportCredentials(ctx: Pick<Ctx, 'db'>, projectId: number): void {
  store.removePullMirror(ctx.db, projectId)
}

/**
 * Returns a project's import source with open credentials; undefined without an address. Throws 422 for an invalid
 * one.
 */
export function importSourceOf(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'import_url'>,
): ImportSource | undefined {
  if (!project.import_url) return undefined
  const { url, credentials: own } = parseImportUrl(project.import_url)
  const sealed = store.pullCredentials(ctx.db, project.id)
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

/** A host name that does not resolve at the moment is accepted. */
async function checkReachable(ctx: Ctx, url: string): Promise<void> {
  await ctx.outbound.addressOfUrl(url, 'repository').catch((error: unknown) => {
    if (error instanceof ForbiddenDestination) throw invalid({ import_url: BLOCKED })
  })
}
