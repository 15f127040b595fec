import type { Ctx } from '../../../ctx.ts'
import { HOST_B_SERVER } from '../../../lib/aliases.ts'
import { inner, text, type Fields } from '../hosts/answers.ts'
import { importedAs } from '../hosts/request.ts'
import { importsOfRepositories } from './store.ts'
import { refusalOf } from './client.ts'
import { clientFor, type BitbucketServerAccess } from './request.ts'
import type { OfferedRepository } from './entity.ts'

const PER_PAGE = 50

/**
 * One page of the repositories that the account can see. Smaller pages of the host are combined until the page is full.
 * Throws like `beginImport`.
 */
export async function offeredRepositories(
  ctx: Ctx,
  request: BitbucketServerAccess & {
    readonly search?: string | undefined
    readonly page?: number | undefined
  },
): Promise<{ rows: OfferedRepository[]; next_page: number | null }> {
  const client = clientFor(ctx, request)
  const name = request.search?.trim()
  const page = request.page ?? 1
  const items: Fields[] = []
  let next: number | null = (page - 1) * PER_PAGE
  try {
    while (next !== null && next < page * PER_PAGE) {
      const answer = await client.page('/repos', next, name ? { name } : {}, page * PER_PAGE - next)
      items.push(...answer.items)
      next = answer.next
    }
    const found = items.flatMap(shown)
    const imports = importsOfRepositories(ctx.db, HOST_B_SERVER, client.address.web, found.map(keyOf))
    const known = importedAs(ctx, imports)
    const rows = found.map((one) => ({ ...one, imported_as: known.get(keyOf(one)) ?? null }))
    return { rows, next_page: next === null ? null : page + 1 }
  } catch (error) {
    throw refusalOf(error, request.url)
  }
}

const keyOf = (one: OfferedRepository): string => `${one.project_key}/${one.repository_slug}`

function shown(item: Fields): OfferedRepository[] {
  const project = inner(item, 'project')
  const [project_key, repository_slug] = [text(project, 'key'), text(item, 'slug')]
  if (!project_key || !repository_slug) return []
  const full_name = `${text(project, 'name') ?? project_key} / ${text(item, 'name') ?? repository_slug}`
  const description = text(item, 'description')
  return [{ project_key, repository_slug, full_name, description, imported_as: null }]
}
