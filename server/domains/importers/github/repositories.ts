import type { Ctx } from '../../../ctx.ts'
import { HOST_A } from '../../../lib/aliases.ts'
import { type GithubClient, refusalOf } from './client.ts'
import { flag, record, records, text, integer, type Fields } from '../hosts/answers.ts'
import { importedPaths } from '../hosts/request.ts'
import { importsOfPages } from './store.ts'
import { clientFor, type GithubAccess } from './request.ts'

/** A GitHub repository that the user can import. */
export interface ImportableRepository {
  readonly id: number
  readonly full_name: string
  readonly description: string | null
  readonly private: boolean
  readonly size: number
  readonly language: string | null
  readonly updated_at: string | null
  readonly imported_as: string | null
}

/** The parameters of a search for repositories. */
interface Search extends GithubAccess {
  readonly search?: string | undefined
  readonly page?: number | undefined
}

const PER_PAGE = 50

/**
 * Returns one page of the repositories that a token can see, the most recently changed first. Throws as `beginImport`
 * does.
 */
export async function importableRepositories(
  ctx: Ctx,
  request: Search,
): Promise<{ rows: ImportableRepository[]; next_page: number | null }> {
  const client = clientFor(ctx, request)
  try {
    const { items, hasNext } = await fetchRepositories(client, request)
    const repositories = items.flatMap(repositoryView)
    const pages = repositories.map((repository) => `${client.address.web}/${repository.full_name}`)
    const importedPathOf = importedPaths(ctx, importsOfPages(ctx.db, HOST_A, pages))
    return {
      rows: repositories.map((repository) => ({
        ...repository,
        imported_as: importedPathOf.get(repository.full_name) ?? null,
      })),
      next_page: hasNext ? (request.page ?? 1) + 1 : null,
    }
  } catch (error) {
    throw refusalOf(error, request.hostname ?? client.address.web)
  }
}

async function fetchRepositories(
  client: GithubClient,
  { search, page = 1 }: Search,
): Promise<{ items: readonly Fields[]; hasNext: boolean }> {
  const paging = { per_page: PER_PAGE, page }
  if (!search?.trim()) {
    const answer = await client.fetchPage(
      client.url('/user/repos', { sort: 'updated', direction: 'desc', ...paging }),
    )
    return { items: answer.items, hasNext: answer.next !== null }
  }
  const user = text(await client.fetchRecord('/user'), 'login') ?? ''
  const organizations = (await client.fetchPage(client.firstPageUrl('/user/orgs'))).items.flatMap(
    (item) => text(item, 'login') ?? [],
  )
  const owners = [`user:${user}`, ...organizations.map((organization) => `org:${organization}`)].join(' ')
  // Words of the search must not become operators.
  const words = search.replace(/[":]/g, ' ').trim()
  const q = `${words} in:name fork:true ${owners}`.slice(0, 1000)
  const answer = await client.fetchUrl(
    client.url('/search/repositories', { q, sort: 'updated', order: 'desc', ...paging }),
  )
  return { items: records(record(answer.value)?.['items']), hasNext: answer.next !== null }
}

function repositoryView(item: Fields): ImportableRepository[] {
  const [id, full_name] = [integer(item, 'id'), text(item, 'full_name')]
  if (id === null || full_name === null) return []
  return [
    {
      id,
      full_name,
      description: text(item, 'description'),
      private: flag(item, 'private'),
      size: (integer(item, 'size') ?? 0) * 1024,
      language: text(item, 'language'),
      updated_at: text(item, 'pushed_at') ?? text(item, 'updated_at'),
      imported_as: null,
    },
  ]
}
