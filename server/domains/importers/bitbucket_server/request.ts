import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { HOST_B_SERVER } from '../../../lib/aliases.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { slugify } from '../../../lib/text/slug.ts'
import { beginRun, firstSentence, placeFor, type ImportPlace } from '../../import_export/index.ts'
import {
  insertProject,
  narrowest,
  prepareRepository,
  projectById,
  renderDescription,
  type Project,
} from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { flag, inner, records, text, type Fields, HostProblem } from '../hosts/answers.ts'
import { invalidUrl, refuse } from '../github/refusals.ts'
import { bitbucketServerAddress, BitbucketServerClient, refusalOf } from './client.ts'
import { importBitbucketServer } from './jobs.ts'
import { repositoryPath, type ImportSource } from './work.ts'

/** How the other host is asked. */
export interface BitbucketServerAccess {
  readonly hostB_server_url: string
  readonly hostB_server_username: string
  readonly personal_access_token: string
}

/** An import as it is asked for. */
export interface BitbucketServerImportRequest extends BitbucketServerAccess {
  readonly hostB_server_project: string
  readonly hostB_server_repo: string
  readonly new_name?: string | undefined
  readonly target_namespace?: string | undefined
  readonly recover_missing_commits?: boolean | undefined
}

/** How often a request goes out while somebody waits for the answer. */
const ATTEMPTS = 2
const MAX_DESCRIPTION = 2000
const NOT_PERMITTED = "You don't have permissions to create this project"

/** Throws 403 where the settings do not have this host among the sources of projects. */
export function checkSource(ctx: Ctx): void {
  if (!settingsOf(ctx).import_sources.includes(HOST_B_SERVER)) throw fail('forbidden')
}

/** A client for as long as a request takes. Throws 400 for what is no address. */
export function clientFor(ctx: Ctx, access: BitbucketServerAccess): BitbucketServerClient {
  const address = bitbucketServerAddress(access.hostB_server_url)
  if (!address) throw invalidUrl(access.hostB_server_url)
  return new BitbucketServerClient(ctx, address, {
    username: access.hostB_server_username,
    token: access.personal_access_token,
    now: () => ctx.now,
    attempts: ATTEMPTS,
  })
}

/** Makes a project that a repository of the other host fills in the background. Throws as spec administration 6.10 has it. */
export async function beginImport(ctx: Ctx, wish: BitbucketServerImportRequest): Promise<Project> {
  checkSource(ctx)
  const client = clientFor(ctx, wish)
  // Asked before the other host is, with a path that nobody has.
  targetIn(ctx, wish.target_namespace, `import-${ctx.random.hex(8)}`)
  const found = await asked(client, wish)
  const made = await make(ctx, wish, client, found)
  // What cannot be made now is made by the job.
  await prepareRepository(ctx, made).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'a repository could not be prepared'),
  )
  return projectById(ctx.db, made.id) ?? made
}

/** Name, path and namespace of the new project. Throws 422 with a sentence. */
function targetIn(ctx: Ctx, namespace: string | undefined, name: string): ImportPlace {
  try {
    return placeFor(ctx, { namespace, path: slugify(name), name })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const sentence = error.kind === 'not_found' ? undefined : firstSentence(error)
    const isRight = sentence === undefined || sentence.startsWith('You are not allowed')
    throw refuse('unprocessable', isRight ? NOT_PERMITTED : sentence)
  }
}

async function asked(client: BitbucketServerClient, wish: BitbucketServerImportRequest): Promise<Fields> {
  const { hostB_server_project: project, hostB_server_repo: repository } = wish
  try {
    return await client.one(repositoryPath({ project, repository }))
  } catch (error) {
    if (error instanceof HostProblem && error.status === 404)
      throw refuse('not_found', `Project ${project}/${repository} could not be found`)
    throw refusalOf(error, wish.hostB_server_url)
  }
}

async function make(
  ctx: Ctx,
  wish: BitbucketServerImportRequest,
  client: BitbucketServerClient,
  found: Fields,
): Promise<Project> {
  const source = sourceOf(wish, client)
  const name = wish.new_name?.trim() || text(found, 'name') || wish.hostB_server_repo
  const description = (text(found, 'description') ?? '').slice(0, MAX_DESCRIPTION) || null
  const description_html = await renderDescription(description)
  const page = `${client.address.web}/projects/${source.project}/repos/${source.repository}`
  const link = text(records(inner(found, 'links')?.['self'])[0] ?? null, 'href')
  try {
    return tx(ctx.db, () => {
      const target = targetIn(ctx, wish.target_namespace, name)
      const visibility = narrowest(ctx, target.namespace, flag(found, 'public') ? 'public' : 'private')
      const project = insertProject(
        ctx,
        {
          name: target.name,
          path: target.path,
          namespace_id: target.namespace_id,
          columns: { description, description_html, visibility, import_status: 'scheduled' },
        },
        ctx.actor.id,
      )
      beginRun(ctx, project, {
        import_type: HOST_B_SERVER,
        import_source: `${source.project}/${source.repository}`,
        provider_link: isWebAddress(link) ? link : page,
        source: { ...source },
        credentials: { token: wish.personal_access_token },
      })
      enqueue(ctx, importBitbucketServer, { project_id: project.id }, { key: `host_imports:${project.id}` })
      return project
    })
  } catch (error) {
    const sentence = error instanceof Failure && !error.body?.['errors'] ? firstSentence(error) : undefined
    throw sentence === undefined ? error : refuse('unprocessable', sentence)
  }
}

/** A page that may be shown as a link: of the web, and without credentials. */
function isWebAddress(link: string | null): link is string {
  const url = link === null ? null : URL.parse(link)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

function sourceOf(wish: BitbucketServerImportRequest, client: BitbucketServerClient): ImportSource {
  return {
    url: client.address.web,
    username: wish.hostB_server_username,
    project: wish.hostB_server_project,
    repository: wish.hostB_server_repo,
    recovers: wish.recover_missing_commits === true,
  }
}
