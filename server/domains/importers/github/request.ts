import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { HOST_A } from '../../../lib/aliases.ts'
import { enqueue } from '../../../jobs/job.ts'
import { humanSize } from '../../../lib/text/human-size.ts'
import { NOT_ALLOWED, firstSentence } from '../../import_export/index.ts'
import type { Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { flag, text, integer, type Fields } from '../hosts/answers.ts'
import {
  ATTEMPTS,
  beginHostImport,
  checkSource,
  type HostRepository,
  invalidUrl,
  refuse,
} from '../hosts/request.ts'
import { GithubClient, githubAddress, type GithubAddress, refusalOf } from './client.ts'
import { importGists, importGithub } from './jobs.ts'
import type { ImportSource } from './work.ts'
import * as store from './store.ts'

/** A GitHub account and its host. */
export interface GithubAccess {
  readonly personal_access_token: string
  readonly hostname?: string | undefined
}

/** The parameters of an import. */
export interface GithubImportRequest extends GithubAccess {
  readonly repo_id: number
  readonly target_namespace: string
  readonly new_name?: string | undefined
  readonly optional_stages?: Readonly<Record<string, boolean | undefined>> | undefined
}

const TIMEOUT_MS = 10_000

/**
 * A client for one request. Throws 403 if the settings do not allow imports from GitHub, 400 for an invalid address.
 */
export function clientFor(ctx: Ctx, { personal_access_token: token, hostname }: GithubAccess): GithubClient {
  checkSource(ctx, HOST_A)
  const address = githubAddress(hostname)
  if (!address) throw invalidUrl(hostname!)
  return new GithubClient(ctx, address, {
    token,
    now: () => ctx.now,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
  })
}

const NO_NAMESPACE = 'Namespace or group to import repository into does not exist.'

/** Creates a project and the job that imports a repository into it. Throws the errors of spec administration 6.9. */
export async function beginImport(ctx: Ctx, request: GithubImportRequest): Promise<Project> {
  const client = clientFor(ctx, request)
  if (request.target_namespace.trim() === '') throw refuse('unprocessable', NO_NAMESPACE)
  return beginHostImport(ctx, {
    type: HOST_A,
    target_namespace: request.target_namespace,
    new_name: request.new_name,
    job: importGithub,
    refusalOfTarget: (failure) =>
      failure.kind === 'not_found' ? NO_NAMESPACE : (firstSentence(failure) ?? NOT_ALLOWED),
    findRepository: () => findRepository(ctx, client, request),
  })
}

async function findRepository(
  ctx: Ctx,
  client: GithubClient,
  request: GithubImportRequest,
): Promise<HostRepository> {
  const { address } = client
  const repository = await client.fetchRecord(`/repositories/${request.repo_id}`).catch((error: unknown) => {
    throw refusalOf(error, request.hostname ?? address.web)
  })
  checkSize(ctx, repository)
  const full_name = text(repository, 'full_name') ?? ''
  if (!/^[^/\s]+\/[^/\s]+$/.test(full_name))
    throw refuse('unprocessable', 'The other host did not identify the repository.')
  return {
    name: text(repository, 'name') || full_name.split('/')[1]!,
    description: text(repository, 'description'),
    visibility: flag(repository, 'private') ? 'private' : settingsOf(ctx).default_project_visibility,
    columns: { wiki_access_level: flag(repository, 'has_wiki') ? 'enabled' : 'disabled' },
    run: {
      import_source: full_name,
      provider_link: `${address.web}/${full_name}`,
      source: { ...sourceOf(request, address, full_name) },
      credentials: { token: request.personal_access_token },
      stats: true,
    },
  }
}

const KIB = 1024

function checkSize(ctx: Ctx, repository: Fields): void {
  const limit = (settingsOf(ctx).repository_size_limit ?? 0) * KIB * KIB
  const size = (integer(repository, 'size') ?? 0) * KIB
  if (limit === 0 || size <= limit) return
  const sentence = `"${text(repository, 'name') ?? ''}" size (${humanSize(size)}) is larger than the limit of ${humanSize(limit)}.`
  throw refuse('unprocessable', sentence)
}

function sourceOf(request: GithubImportRequest, address: GithubAddress, full_name: string): ImportSource {
  const stages = Object.entries(request.optional_stages ?? {}).filter(([, value]) => value !== undefined)
  return {
    full_name,
    hostname: address.isPublic ? null : (request.hostname?.trim() ?? null),
    optional_stages: Object.fromEntries(stages) as Record<string, boolean>,
  }
}

/** Starts an import of the gists of a user. Throws as `beginImport` does, and 422 while another import of gists runs. */
export async function beginGists(ctx: Ctx, access: GithubAccess): Promise<void> {
  const client = clientFor(ctx, access)
  const userId = ctx.actor.id!
  if (store.importOf(ctx, userId)?.status === 'started')
    throw refuse('unprocessable', 'Import already in progress')
  const { personal_access_token: token, hostname } = access
  await client.fetchRecord('/user').catch((error: unknown) => {
    throw refusalOf(error, hostname ?? client.address.web)
  })
  tx(ctx.db, () => {
    store.begin(ctx, userId, { token, hostname: hostname?.trim() || null })
    enqueue(ctx, importGists, { user_id: userId }, { key: `gist_imports:${userId}` })
  })
}
