import type { Ctx } from '../../../ctx.ts'
import { HOST_B_SERVER } from '../../../lib/aliases.ts'
import { firstSentence } from '../../import_export/index.ts'
import type { Project } from '../../projects/index.ts'
import { flag, recordIn, records, text, HostError, type Fields } from '../hosts/answers.ts'
import {
  ATTEMPTS,
  beginHostImport,
  checkSource,
  type HostRepository,
  importedPaths,
  invalidUrl,
  refuse,
} from '../hosts/request.ts'
import { bitbucketServerAddress, BitbucketServerClient, refusalOf } from './client.ts'
import { importBitbucketServer } from './jobs.ts'
import { importsOfRepositories } from './store.ts'
import { repositoryPath, type ImportSource } from './work.ts'

/** A Bitbucket Server repository that the user can import. */
export interface ImportableRepository {
  readonly project_key: string
  readonly repository_slug: string
  readonly full_name: string
  readonly description: string | null
  readonly imported_as: string | null
}

const PER_PAGE = 50

/**
 * Returns one page of the repositories that the account can see. Combines smaller pages of the host until the page is
 * full. Throws the same errors as `beginImport`.
 */
export async function importableRepositories(
  ctx: Ctx,
  request: BitbucketServerAccess & {
    readonly search?: string | undefined
    readonly page?: number | undefined
  },
): Promise<{ rows: ImportableRepository[]; next_page: number | null }> {
  const client = clientFor(ctx, request)
  const name = request.search?.trim()
  const page = request.page ?? 1
  const items: Fields[] = []
  let next: number | null = (page - 1) * PER_PAGE
  try {
    while (next !== null && next < page * PER_PAGE) {
      const answer = await client.fetchPage('/repos', next, name ? { name } : {}, page * PER_PAGE - next)
      items.push(...answer.items)
      next = answer.next
    }
    const repositories = items.flatMap(repositoryView)
    const imports = importsOfRepositories(ctx.db, HOST_B_SERVER, client.address.web, repositories.map(keyOf))
    const importedPathOf = importedPaths(ctx, imports)
    const rows = repositories.map((repository) => ({
      ...repository,
      imported_as: importedPathOf.get(keyOf(repository)) ?? null,
    }))
    return { rows, next_page: next === null ? null : page + 1 }
  } catch (error) {
    throw refusalOf(error, request.url)
  }
}

const keyOf = (repository: ImportableRepository): string =>
  `${repository.project_key}/${repository.repository_slug}`

function repositoryView(item: Fields): ImportableRepository[] {
  const project = recordIn(item, 'project')
  const [project_key, repository_slug] = [text(project, 'key'), text(item, 'slug')]
  if (!project_key || !repository_slug) return []
  const full_name = `${text(project, 'name') ?? project_key} / ${text(item, 'name') ?? repository_slug}`
  const description = text(item, 'description')
  return [{ project_key, repository_slug, full_name, description, imported_as: null }]
}

/** A Bitbucket Server account. */
interface BitbucketServerAccess {
  readonly url: string
  readonly username: string
  readonly personal_access_token: string
}

/** The parameters of an import. */
export interface BitbucketServerImportRequest extends BitbucketServerAccess {
  readonly project: string
  readonly repo: string
  readonly new_name?: string | undefined
  readonly target_namespace?: string | undefined
  readonly recover_missing_commits?: boolean | undefined
}

const NOT_PERMITTED = "You don't have permissions to create this project"

/**
 * A client for one request. Throws 403 if the settings do not allow imports from this host, 400 for an invalid address.
 */
function clientFor(ctx: Ctx, access: BitbucketServerAccess): BitbucketServerClient {
  checkSource(ctx, HOST_B_SERVER)
  const address = bitbucketServerAddress(access.url)
  if (!address) throw invalidUrl(access.url)
  return new BitbucketServerClient(ctx, address, {
    username: access.username,
    token: access.personal_access_token,
    now: () => ctx.now,
    attempts: ATTEMPTS,
  })
}

/** Creates a project and the job that imports a repository into it. Throws the errors of spec administration 6.10. */
export async function beginImport(ctx: Ctx, request: BitbucketServerImportRequest): Promise<Project> {
  const client = clientFor(ctx, request)
  return beginHostImport(ctx, {
    type: HOST_B_SERVER,
    target_namespace: request.target_namespace,
    new_name: request.new_name,
    job: importBitbucketServer,
    refusalOfTarget: (failure) => {
      const sentence = failure.kind === 'not_found' ? undefined : firstSentence(failure)
      const isPermission = sentence === undefined || sentence.startsWith('You are not allowed')
      return isPermission ? NOT_PERMITTED : sentence
    },
    findRepository: () => findRepository(client, request),
  })
}

async function findRepository(
  client: BitbucketServerClient,
  request: BitbucketServerImportRequest,
): Promise<HostRepository> {
  const { project, repo: repository } = request
  const answer = await client.fetchRecord(repositoryPath({ project, repository })).catch((error: unknown) => {
    if (error instanceof HostError && error.status === 404)
      throw refuse('not_found', `Project ${project}/${repository} could not be found`)
    throw refusalOf(error, request.url)
  })
  const page = `${client.address.web}/projects/${project}/repos/${repository}`
  const link = text(records(recordIn(answer, 'links')?.['self'])[0] ?? null, 'href')
  const source: ImportSource = {
    url: client.address.web,
    username: request.username,
    project,
    repository,
    recovers: request.recover_missing_commits === true,
  }
  return {
    name: text(answer, 'name') || repository,
    description: text(answer, 'description'),
    visibility: flag(answer, 'public') ? 'public' : 'private',
    run: {
      import_source: `${project}/${repository}`,
      provider_link: isWebAddress(link) ? link : page,
      source: { ...source },
      credentials: { token: request.personal_access_token },
    },
  }
}

/** Whether a link is safe to show, that is, an HTTP or HTTPS URL without credentials. */
function isWebAddress(link: string | null): link is string {
  const url = link === null ? null : URL.parse(link)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}
