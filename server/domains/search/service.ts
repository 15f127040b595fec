import type { Ctx } from '../../ctx.ts'
import { Failure, fail, invalid } from '../../lib/fail.ts'
import { isAble } from '../../policy/ability.ts'
import { project as projectScope, projectAbilities, type Project } from '../projects/index.ts'
import { wikiAbilities } from '../wikis/index.ts'

/** Longest text of a search. The spec (core 8.2) has no number; the index is fast up to this length. */
const MAX_TEXT = 4096

/** Returns the text without surrounding spaces. Throws 400 for an empty or too long one. */
export function checkedText(search: string): string {
  const text = search.trim()
  if (text === '') throw fail('parameter', 'search is empty')
  if (text.length > MAX_TEXT) throw invalid({ search: `is too long (maximum is ${MAX_TEXT} characters)` })
  return text
}

/** Throws 400 for an unknown scope, and with another message for a scope that only single projects have. */
export function checkScope<Scope extends string>(scope: string, offered: readonly Scope[]): Scope {
  if ((offered as readonly string[]).includes(scope)) return scope as Scope
  if ((SINGLE_SCOPES as readonly string[]).includes(scope)) {
    const error = 'This scope can be searched in one project at a time only'
    throw new Failure('bad_request', undefined, { body: { message: { error } } })
  }
  throw fail('parameter', 'scope does not have a valid value')
}

/** Throws 403 when the actor may not read the code of a project. */
export function checkReadsCode(ctx: Ctx, project: Project): void {
  if (!isAble(ctx, projectScope, projectAbilities.read_code, project)) throw fail('forbidden')
}

/** Throws 403 when the actor may not read the wiki of a project. */
export function checkReadsWiki(ctx: Ctx, project: Project): void {
  if (!isAble(ctx, projectScope, wikiAbilities.read_wiki, project)) throw fail('forbidden')
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
