import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { baseUrl } from './rules.ts'
import { SourceProblem } from './source-problem.ts'
import { SourceInstance } from './source.ts'

/** Groups that are shown to choose from. */
const SHOWN = 100

/** A group of another instance. */
export interface SourceGroup {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly visibility: string
}

/** Groups at the top of another instance that the token's user owns. Throws 400 for no address, 422 where it does not answer. */
export async function groupsAt(
  ctx: Ctx,
  given: { url: string; source_token: string; search?: string | undefined },
): Promise<{ groups: SourceGroup[]; more: boolean }> {
  const signal = AbortSignal.timeout(30_000)
  const source = new SourceInstance(ctx, { url: baseUrl(given.url), token: given.source_token, signal })
  const search = given.search ? `&search=${encodeURIComponent(given.search)}` : ''
  try {
    const rows = await source.list(
      `/groups?min_access_level=50&top_level_only=true&order_by=name&sort=asc&per_page=${SHOWN}${search}`,
    )
    return { groups: rows.flatMap(groupOf), more: rows.length >= SHOWN }
  } catch (error) {
    if (error instanceof SourceProblem) throw fail('unprocessable', error.message)
    if ((error as { name?: string } | null)?.name === 'TimeoutError')
      throw fail('unprocessable', `${source.host} did not answer in time.`)
    throw error
  }
}

function groupOf(row: Readonly<Record<string, unknown>>): SourceGroup[] {
  const { id, name, path, full_path, visibility } = row
  if (typeof id !== 'number' || typeof path !== 'string' || typeof full_path !== 'string') return []
  const plain = (text: unknown): string => (typeof text === 'string' ? text.slice(0, 255) : '')
  return [
    {
      id,
      name: plain(name) || path,
      path: plain(path),
      full_path: plain(full_path),
      visibility: plain(visibility),
    },
  ]
}
