import type { Ctx } from '../../../ctx.ts'
import { HOST_A } from '../../../lib/aliases.ts'
import { canRead } from '../../../policy/ability.ts'
import { fullPath, project as scope, projectById } from '../../projects/index.ts'
import type { GithubClient } from './client/client.ts'
import { flag, record, records, text, whole, type Fields } from '../hosts/answers.ts'
import type { OfferedRepository } from './entity.ts'
import { importsOfPages } from './store.ts'
import { refusalOf } from './refusals.ts'
import { checkSource, clientFor } from './request.ts'

/** What the window asks with. */
export interface Wish {
  readonly personal_access_token: string
  readonly hostA_hostname?: string | undefined
  readonly search?: string | undefined
  readonly page?: number | undefined
}

const PER_PAGE = 50

/** One page of the repositories that a token shows, those changed last first. Throws as beginning an import does. */
export async function offeredRepositories(
  ctx: Ctx,
  wish: Wish,
): Promise<{ rows: OfferedRepository[]; next_page: number | null }> {
  checkSource(ctx)
  const client = clientFor(ctx, wish.personal_access_token, wish.hostA_hostname)
  try {
    const { items, hasNext } = await pageOf(client, wish)
    const repositories = items.flatMap(shown)
    const known = importedAs(ctx, client, repositories)
    return {
      rows: repositories.map((one) => ({ ...one, imported_as: known.get(one.full_name) ?? null })),
      next_page: hasNext ? (wish.page ?? 1) + 1 : null,
    }
  } catch (error) {
    throw refusalOf(error, wish.hostA_hostname ?? client.address.web)
  }
}

async function pageOf(
  client: GithubClient,
  { search, page = 1 }: Wish,
): Promise<{ items: readonly Fields[]; hasNext: boolean }> {
  const window = { per_page: PER_PAGE, page }
  if (!search?.trim()) {
    const answer = await client.page(
      client.url('/user/repos', { sort: 'updated', direction: 'desc', ...window }),
    )
    return { items: answer.items, hasNext: answer.next !== null }
  }
  const user = text(await client.one('/user'), 'login') ?? ''
  const groups = (await client.page(client.list('/user/orgs'))).items.flatMap(
    (one) => text(one, 'login') ?? [],
  )
  const owners = [`user:${user}`, ...groups.map((one) => `org:${one}`)].join(' ')
  // A word of the search is no operator of it.
  const words = search.replace(/[":]/g, ' ').trim()
  const q = `${words} in:name fork:true ${owners}`.slice(0, 1000)
  const answer = await client.get(
    client.url('/search/repositories', { q, sort: 'updated', order: 'desc', ...window }),
  )
  return { items: records(record(answer.value)?.['items']), hasNext: answer.next !== null }
}

function shown(item: Fields): OfferedRepository[] {
  const [id, full_name] = [whole(item, 'id'), text(item, 'full_name')]
  if (id === null || full_name === null) return []
  return [
    {
      id,
      full_name,
      description: text(item, 'description'),
      private: flag(item, 'private'),
      size: (whole(item, 'size') ?? 0) * 1024,
      language: text(item, 'language'),
      updated_at: text(item, 'pushed_at') ?? text(item, 'updated_at'),
      imported_as: null,
    },
  ]
}

/** Full paths of the newest projects that were imported from these repositories, as far as the caller may see them. */
function importedAs(
  ctx: Ctx,
  client: GithubClient,
  found: readonly OfferedRepository[],
): Map<string, string> {
  const links = found.map((one) => `${client.address.web}/${one.full_name}`)
  const rows = importsOfPages(ctx.db, HOST_A, links)
  const seen = rows.flatMap((row) => {
    const project = projectById(ctx.db, row.project_id)
    return project && canRead(ctx, scope, project) ? [[row.import_source, fullPath(project)] as const] : []
  })
  return new Map(seen)
}
