import type { Ctx } from '../../ctx.ts'
import type { Rows } from '../../db/rows.ts'
import { Failure, fail, invalid } from '../../lib/fail.ts'
import { hasAbility } from '../../policy/ability.ts'
import { project as projectScope, projectAbilities, type Project, projectsByIds } from '../projects/index.ts'
import { wikiAbilities } from '../wikis/index.ts'
import type { BlobRow } from './entity.ts'
import { searchBlobs, type CodeSearch } from './service-code.ts'
import * as store from './store.ts'

/** The maximum number of projects that one search reads, the most recently active first. */
const MAX_PROJECTS = 200
/** The maximum number of matches of one project, so that a large one does not hide the others. */
const MAX_PER_PROJECT = 100
/** A search ends with about this many matches. */
const MAX_HITS = 1000
/** The number of projects that are searched at the same time. */
const AT_ONCE = 4
/** A search ends after this time in milliseconds with the matches that it has found. */
const TIME_LIMIT_MS = 10_000

/**
 * Searches the default branches of all projects with code that the actor may read, or of those below some namespaces.
 * Returns one page; matches are in the order of their projects, the last active first. The total counts the matches
 * that were read, within the limits above.
 */
export async function searchProjects(
  ctx: Ctx,
  namespace_ids: readonly number[] | undefined,
  query: CodeSearch,
  window: store.PageWindow,
): Promise<Rows<BlobRow>> {
  const projects = readableProjects(ctx, namespace_ids)
  const timeout = AbortSignal.timeout(TIME_LIMIT_MS)
  const signal = AbortSignal.any([query.signal, timeout])
  const results: (readonly BlobRow[])[] = projects.map(() => [])
  let next = 0
  let hits = 0
  const searchNext = async (): Promise<void> => {
    while (next < projects.length && hits < MAX_HITS && !signal.aborted) {
      const index = next++
      results[index] = await hitsOf(ctx, projects[index]!, { ...query, signal }, timeout)
      hits += results[index].length
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, searchNext))
  query.signal.throwIfAborted()
  const rows = results.flat()
  return { rows: rows.slice(window.offset, window.offset + window.limit), total: rows.length }
}

function readableProjects(ctx: Ctx, namespace_ids: readonly number[] | undefined): Project[] {
  const ids = store.projectsWithCode(ctx.db, ctx, { namespace_ids, limit: MAX_PROJECTS })
  const byId = new Map(projectsByIds(ctx.db, ids).map((project) => [project.id, project]))
  return ids
    .flatMap((id) => byId.get(id) ?? [])
    .filter((project) => hasAbility(ctx, projectScope, projectAbilities.read_code, project))
}

/**
 * Returns the matches of one project. A repository that cannot be read has none: it does not fail the search of the
 * others.
 */
async function hitsOf(
  ctx: Ctx,
  project: Project,
  query: CodeSearch,
  timeout: AbortSignal,
): Promise<readonly BlobRow[]> {
  try {
    return (await searchBlobs(ctx, project, query, { offset: 0, limit: MAX_PER_PROJECT })).rows
  } catch (error) {
    if (timeout.aborted || error instanceof Failure) return []
    throw error
  }
}

/** The maximum length of a text of a search. The spec (core 8.2) has no number; the index is fast up to this length. */
const MAX_TEXT = 4096

/** Returns the text without surrounding spaces. Throws 400 for an empty or too long one. */
export function checkedText(search: string): string {
  const text = search.trim()
  if (text === '') throw fail('parameter', 'search is empty')
  if (text.length > MAX_TEXT) throw invalid({ search: `is too long (maximum is ${MAX_TEXT} characters)` })
  return text
}

/** Throws 400 for an unknown scope, and with another message for a scope that only single projects have. */
export function checkScope<Scope extends string>(scope: string, allowed: readonly Scope[]): Scope {
  if ((allowed as readonly string[]).includes(scope)) return scope as Scope
  if ((SINGLE_SCOPES as readonly string[]).includes(scope)) {
    const error = 'This scope can be searched in one project at a time only'
    throw new Failure('bad_request', undefined, { body: { message: { error } } })
  }
  throw fail('parameter', 'scope does not have a valid value')
}

/** Throws 403 when the actor may not read the code of a project. */
export function checkReadsCode(ctx: Ctx, project: Project): void {
  if (!hasAbility(ctx, projectScope, projectAbilities.read_code, project)) throw fail('forbidden')
}

/** Throws 403 when the actor may not read the wiki of a project. */
export function checkReadsWiki(ctx: Ctx, project: Project): void {
  if (!hasAbility(ctx, projectScope, wikiAbilities.read_wiki, project)) throw fail('forbidden')
}

/** Scopes of the whole instance (spec administration 13). */
export const INSTANCE_SCOPES = [
  'projects',
  'issues',
  'merge_requests',
  'milestones',
  'snippet_titles',
  'users',
  'blobs',
] as const

/** Scopes of a group. */
export const GROUP_SCOPES = ['projects', 'issues', 'merge_requests', 'milestones', 'users', 'blobs'] as const

/** Scopes of a project. */
export const PROJECT_SCOPES = [
  'issues',
  'merge_requests',
  'milestones',
  'notes',
  'users',
  'wiki_blobs',
  'commits',
  'blobs',
] as const

/** Scopes that only single projects have. */
const SINGLE_SCOPES = ['commits', 'wiki_blobs', 'notes'] as const
