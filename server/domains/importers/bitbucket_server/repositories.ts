import type { Ctx } from '../../../ctx.ts'
import { HOST_B_SERVER } from '../../../lib/aliases.ts'
import { canRead } from '../../../policy/ability.ts'
import { fullPath, project as scope, projectById } from '../../projects/index.ts'
import { inner, text, type Fields } from '../hosts/answers.ts'
import { importsOfRepositories } from './store.ts'
import { refusalOf } from './client.ts'
import { checkSource, clientFor, type BitbucketServerAccess } from './request.ts'
import type { OfferedRepository } from './entity.ts'

const PER_PAGE = 50

/**
 * One page of the repositories that somebody sees there. A host that gives fewer at once than it is asked for is asked again until
 * the page is full. Throws as beginning an import does.
 */
export async function offeredRepositories(
  ctx: Ctx,
  wish: BitbucketServerAccess & { readonly search?: string | undefined; readonly page?: number | undefined },
): Promise<{ rows: OfferedRepository[]; next_page: number | null }> {
  checkSource(ctx)
  const client = clientFor(ctx, wish)
  const name = wish.search?.trim()
  const page = wish.page ?? 1
  const items: Fields[] = []
  let next: number | null = (page - 1) * PER_PAGE
  try {
    while (next !== null && next < page * PER_PAGE) {
      const answer = await client.page('/repos', next, name ? { name } : {}, page * PER_PAGE - next)
      items.push(...answer.items)
      next = answer.next
    }
    const found = items.flatMap(shown)
    const known = importedAs(ctx, client.address.web, found)
    const rows = found.map((one) => ({ ...one, imported_as: known.get(keyOf(one)) ?? null }))
    return { rows, next_page: next === null ? null : page + 1 }
  } catch (error) {
    throw refusalOf(error, wish.hostB_server_url)
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

/** Full paths of the newest projects that were imported from these repositories, as far as the caller may see them. */
function importedAs(ctx: Ctx, web: string, found: readonly OfferedRepository[]): Map<string, string> {
  const rows = importsOfRepositories(ctx.db, HOST_B_SERVER, web, found.map(keyOf))
  const seen = rows.flatMap((row) => {
    const project = projectById(ctx.db, row.project_id)
    return project && canRead(ctx, scope, project) ? [[row.import_source, fullPath(project)] as const] : []
  })
  return new Map(seen)
}
