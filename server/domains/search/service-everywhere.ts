import type { Ctx } from '../../ctx.ts'
import type { Rows } from '../../db/rows.ts'
import { Failure } from '../../lib/fail.ts'
import { isAble } from '../../policy/ability.ts'
import { project as projectScope, projectAbilities, projectsByIds, type Project } from '../projects/index.ts'
import type { BlobRow } from './entity.ts'
import { searchBlobs, type CodeSearch } from './service-code.ts'
import * as store from './store.ts'

/** Most projects that one search reads, the last active first. */
const MAX_PROJECTS = 200
/** Most matches of one project, so that a large one does not hide the others. */
const MAX_PER_PROJECT = 100
/** A search ends with about this many matches. */
const MAX_HITS = 1000
/** Projects that are read at the same time. */
const AT_ONCE = 4
/** A search ends after this time with the matches it has. */
const TIME_MS = 10_000

/**
 * Searches the default branches of all projects with code that the actor may read, or of those below some namespaces.
 * Returns one page; matches are in the order of their projects, the last active first. The total counts the matches
 * that were read, within the limits above.
 */
export async function searchProjects(
  ctx: Ctx,
  namespace_ids: readonly number[] | undefined,
  query: CodeSearch,
  window: store.Window,
): Promise<Rows<BlobRow>> {
  const projects = readableProjects(ctx, namespace_ids)
  const late = AbortSignal.timeout(TIME_MS)
  const signal = AbortSignal.any([query.signal, late])
  const found: (readonly BlobRow[])[] = projects.map(() => [])
  let next = 0
  let hits = 0
  const searchNext = async (): Promise<void> => {
    while (next < projects.length && hits < MAX_HITS && !signal.aborted) {
      const at = next++
      found[at] = await hitsOf(ctx, projects[at]!, { ...query, signal }, late)
      hits += found[at].length
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, searchNext))
  query.signal.throwIfAborted()
  const rows = found.flat()
  return { rows: rows.slice(window.offset, window.offset + window.limit), total: rows.length }
}

function readableProjects(ctx: Ctx, namespace_ids: readonly number[] | undefined): Project[] {
  const ids = store.projectsWithCode(ctx.db, ctx, { namespace_ids, limit: MAX_PROJECTS })
  const byId = new Map(projectsByIds(ctx.db, ids).map((one) => [one.id, one]))
  return ids
    .flatMap((id) => byId.get(id) ?? [])
    .filter((one) => isAble(ctx, projectScope, projectAbilities.read_code, one))
}

/** Returns the matches of one project. A repository that cannot be read has none: it does not fail the search of the others. */
async function hitsOf(
  ctx: Ctx,
  project: Project,
  query: CodeSearch,
  late: AbortSignal,
): Promise<readonly BlobRow[]> {
  try {
    return (await searchBlobs(ctx, project, query, { offset: 0, limit: MAX_PER_PROJECT })).rows
  } catch (error) {
    if (late.aborted || error instanceof Failure) return []
    throw error
  }
}
