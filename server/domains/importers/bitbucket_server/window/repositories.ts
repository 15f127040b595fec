import { z } from 'zod'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList } from '../../../../db/database.ts'
import { HOST_B_SERVER } from '../../../../http/aliases.ts'
import { entity } from '../../../../http/entity.ts'
import { canRead } from '../../../../policy/ability.ts'
import { fullPath, project as scope, projectById } from '../../../projects/index.ts'
import { inner, text, type Fields } from '../../github/client/fields.ts'
import { refusalOf } from '../refusals.ts'
import { checkSource, clientFor, type HostBAccess } from '../request.ts'

/** A repository of the other host, as the window offers it. */
export interface OfferedRepository {
  readonly project_key: string
  readonly repository_slug: string
  readonly full_name: string
  readonly description: string | null
  readonly imported_as: string | null
}

export const HostBRepository = entity(
  'HostBRepository',
  {
    project_key: z.string(),
    repository_slug: z.string(),
    full_name: z.string(),
    description: z.string().nullable(),
    imported_as: z.string().nullable(),
  },
  (one: OfferedRepository) => ({ ...one }),
)

const PER_PAGE = 50

/**
 * One page of the repositories that somebody sees there. A host that gives fewer at once than it is asked for is asked again until
 * the page is full. Throws as beginning an import does.
 */
export async function offeredRepositories(
  ctx: Ctx,
  wish: HostBAccess & { readonly search?: string | undefined; readonly page?: number | undefined },
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

/** Projects that came from these repositories, as far as the caller sees them; the newest of each. */
function importedAs(ctx: Ctx, web: string, found: readonly OfferedRepository[]): Map<string, string> {
  const rows = ctx.db.many<{ project_id: number; import_source: string }>(
    `SELECT r.project_id, r.import_source FROM import_runs r JOIN projects p ON p.id = r.project_id
     WHERE p.import_type = ? AND p.import_status IN ('scheduled', 'started', 'finished')
       AND json_extract(r.source, '$.url') = ? AND r.import_source IN (SELECT value FROM json_each(?)) ORDER BY r.id`,
    HOST_B_SERVER,
    web,
    jsonList(found.map(keyOf)),
  )
  const seen = rows.flatMap((row) => {
    const project = projectById(ctx.db, row.project_id)
    return project && canRead(ctx, scope, project) ? [[row.import_source, fullPath(project)] as const] : []
  })
  return new Map(seen)
}
