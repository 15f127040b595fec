import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { HOST_A } from '../../../lib/aliases.ts'
import { enqueue } from '../../../jobs/job.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { slugify } from '../../../lib/text/slug.ts'
import {
  NOT_ALLOWED,
  beginRun,
  firstSentence,
  placeFor,
  type ImportPlace,
} from '../../import_export/index.ts'
import {
  insertProject,
  narrowest,
  prepareRepository,
  projectById,
  renderDescription,
  type Project,
} from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { githubAddress, type GithubAddress } from './client/address.ts'
import { GithubClient } from './client/client.ts'
import { flag, text, whole, type Fields } from '../hosts/answers.ts'
import { importGists, importGithub } from './jobs.ts'
import { invalidUrl, refusalOf, refuse } from './refusals.ts'
import type { ImportSource } from './work.ts'
import * as store from './store-gists.ts'

const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB']

/** A number of bytes as sentences name it: `2.5 MB`. */
function humanSize(bytes: number): string {
  const step = Math.min(bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const number = Number((bytes / 1024 ** step).toPrecision(3))
  return `${number} ${UNITS[step]}`
}

/** An import as it is asked for. */
export interface GithubImportRequest {
  readonly personal_access_token: string
  readonly repo_id: number
  readonly target_namespace: string
  readonly new_name?: string | undefined
  readonly hostA_hostname?: string | undefined
  readonly optional_stages?: Readonly<Record<string, boolean | undefined>> | undefined
}

/** How often a request goes out while somebody waits for the answer. */
const ATTEMPTS = 2
const TIMEOUT_MS = 10_000

/** Throws 403 where the settings do not have this host among the sources of projects. */
export function checkSource(ctx: Ctx): void {
  if (!settingsOf(ctx).import_sources.includes(HOST_A)) throw fail('forbidden')
}

/** A client for as long as a request takes. Throws 400 for what is no address. */
export function clientFor(ctx: Ctx, token: string, hostname: string | undefined): GithubClient {
  const address = githubAddress(hostname)
  if (!address) throw invalidUrl(hostname!)
  return new GithubClient(ctx, address, {
    token,
    now: () => ctx.now,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
  })
}

/** Makes a project that a repository of the other host fills in the background. Throws as spec administration 6.9 has it. */
export async function beginImport(ctx: Ctx, wish: GithubImportRequest): Promise<Project> {
  checkSource(ctx)
  const client = clientFor(ctx, wish.personal_access_token, wish.hostA_hostname)
  checkNamespace(ctx, wish.target_namespace)
  const found = await asked(client, wish)
  checkSize(ctx, found)
  const made = await make(ctx, wish, client.address, found)
  // What cannot be made now is made by the job.
  await prepareRepository(ctx, made).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'a repository could not be prepared'),
  )
  return projectById(ctx.db, made.id) ?? made
}

/** Asked before the other host is, with a path that nobody has. */
function checkNamespace(ctx: Ctx, target: string): void {
  if (target.trim() === '') throw refuse('unprocessable', NO_NAMESPACE)
  targetIn(ctx, target, `import-${ctx.random.hex(8)}`)
}

const NO_NAMESPACE = 'Namespace or group to import repository into does not exist.'

/** Name, path and namespace of the new project. Throws 422 with a sentence. */
function targetIn(ctx: Ctx, namespace: string, name: string): ImportPlace {
  try {
    return placeFor(ctx, { namespace, path: slugify(name), name })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.kind === 'not_found') throw refuse('unprocessable', NO_NAMESPACE)
    throw refuse('unprocessable', firstSentence(error) ?? NOT_ALLOWED)
  }
}

async function asked(
  client: GithubClient,
  { repo_id, hostA_hostname }: GithubImportRequest,
): Promise<Fields> {
  try {
    return await client.one(`/repositories/${repo_id}`)
  } catch (error) {
    throw refusalOf(error, hostA_hostname ?? client.address.web)
  }
}

const KIB = 1024

function checkSize(ctx: Ctx, found: Fields): void {
  const limit = (settingsOf(ctx).repository_size_limit ?? 0) * KIB * KIB
  const size = (whole(found, 'size') ?? 0) * KIB
  if (limit === 0 || size <= limit) return
  const sentence = `"${text(found, 'name') ?? ''}" size (${humanSize(size)}) is larger than the limit of ${humanSize(limit)}.`
  throw refuse('unprocessable', sentence)
}

async function make(
  ctx: Ctx,
  wish: GithubImportRequest,
  address: GithubAddress,
  found: Fields,
): Promise<Project> {
  const full_name = text(found, 'full_name') ?? ''
  if (!/^[^/\s]+\/[^/\s]+$/.test(full_name))
    throw refuse('unprocessable', 'The other host does not say which repository that is.')
  const name = wish.new_name?.trim() || text(found, 'name') || full_name.split('/')[1]!
  const description = (text(found, 'description') ?? '').slice(0, MAX_DESCRIPTION) || null
  const description_html = await renderDescription(description)
  try {
    return tx(ctx.db, () => {
      const target = targetIn(ctx, wish.target_namespace, name)
      const visibility = narrowest(
        ctx,
        target.namespace,
        flag(found, 'private') ? 'private' : settingsOf(ctx).default_project_visibility,
      )
      const columns = {
        description,
        description_html,
        visibility,
        import_status: 'scheduled',
        wiki_access_level: flag(found, 'has_wiki') ? 'enabled' : 'disabled',
      }
      const project = insertProject(
        ctx,
        { name: target.name, path: target.path, namespace_id: target.namespace_id, columns },
        ctx.actor.id,
      )
      beginRun(ctx, project, {
        import_type: HOST_A,
        import_source: full_name,
        provider_link: `${address.web}/${full_name}`,
        source: { ...sourceOf(wish, address, full_name) },
        credentials: { token: wish.personal_access_token },
        stats: true,
      })
      enqueue(ctx, importGithub, { project_id: project.id }, { key: `host_imports:${project.id}` })
      return project
    })
  } catch (error) {
    const sentence = error instanceof Failure && !error.body?.['errors'] ? firstSentence(error) : undefined
    throw sentence === undefined ? error : refuse('unprocessable', sentence)
  }
}

const MAX_DESCRIPTION = 2000

function sourceOf(wish: GithubImportRequest, address: GithubAddress, full_name: string): ImportSource {
  const stages = Object.entries(wish.optional_stages ?? {}).filter(([, value]) => value !== undefined)
  return {
    full_name,
    hostname: address.isPublic ? null : (wish.hostA_hostname?.trim() ?? null),
    optional_stages: Object.fromEntries(stages) as Record<string, boolean>,
  }
}

/** Begins to make snippets of somebody's gists. Throws as beginning an import does, and 422 while another one is under way. */
export async function beginGists(
  ctx: Ctx,
  given: { readonly personal_access_token: string; readonly hostA_hostname?: string | undefined },
): Promise<void> {
  checkSource(ctx)
  const { personal_access_token: token, hostA_hostname: hostname } = given
  const client = clientFor(ctx, token, hostname)
  const userId = ctx.actor.id!
  if (store.importOf(ctx, userId)?.status === 'started')
    throw refuse('unprocessable', 'Import already in progress')
  try {
    await client.one('/user')
  } catch (error) {
    throw refusalOf(error, hostname ?? client.address.web)
  }
  tx(ctx.db, () => {
    store.begin(ctx, userId, { token, hostname: hostname?.trim() || null })
    enqueue(ctx, importGists, { user_id: userId }, { key: `gist_imports:${userId}` })
  })
}
