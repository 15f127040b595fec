import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { RE2JS } from 're2js'

import type { Ctx } from '../../ctx.ts'
import type { DiffLimits } from '../../git/read/diff.ts'
import { settingsOf } from '../settings/index.ts'
import type { Identity } from '../../git/write/identity.ts'
import { userById } from '../users/index.ts'
import type { Repo } from '../../git/types.ts'
import { canRead, hasAbility } from '../../policy/ability.ts'
import { abilities, project as scope, repoOf, type Project } from '../projects/index.ts'
import { withObjectsOf } from '../../git/upkeep/alternates.ts'
import { tx, type Database } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail } from '../../lib/fail.ts'
import { isListed } from '../../policy/actor.ts'
import { DownloadsExceeded } from './events.ts'
import { readBlob } from '../../git/read/blob.ts'
import { MAX_POINTER_BYTES, MIN_POINTER_BYTES, pointerOf, type Pointer } from '../../lib/lfs.ts'
import { isLfsStored, isLfsEnabled, lfsFile, linkedLfsObjects } from '../storage/index.ts'

/** The display limits of differences in the settings (spec administration 1.2). */
export function diffLimits(ctx: Pick<Ctx, 'db' | 'now'>): DiffLimits {
  const settings = settingsOf(ctx)
  return {
    max_files: settings.diff_max_files,
    max_lines: settings.diff_max_lines,
    max_file_bytes: settings.diff_max_patch_bytes,
  }
}

/** Returns the actor as the committer of commits, or as the tagger of tags. */
export function committerOf(ctx: Ctx): Identity {
  const date = new Date(ctx.now)
  const user = ctx.actor.kind === 'user' ? userById(ctx.db, ctx.actor.id) : undefined
  if (!user) return { name: 'Deskforge', email: 'deskforge@localhost', date }
  return { name: user.name, email: user.commit_email || user.email, date }
}

/** Returns the author of a commit: the actor, unless the request names another person. */
export function authorOf(
  ctx: Ctx,
  input: { author_name?: string | undefined; author_email?: string | undefined },
): Identity {
  const committer = committerOf(ctx)
  return {
    ...committer,
    name: input.author_name || committer.name,
    email: input.author_email || committer.email,
  }
}

/** Returns the id of a project's fork network, which is the id of its first project. */
function networkOf(project: Project): number {
  return project.fork_network_id ?? project.id
}

/**
 * Returns a project of the same fork network, by ID or path, if the actor may read its code; also the project
 * itself. Undefined if there is none.
 */
export function forkRelative(ctx: Ctx, project: Project, reference: string): Project | undefined {
  const row = scope.load(ctx, reference)
  if (!row || row.id === project.id) return row
  const isVisible = canRead(ctx, scope, row) && hasAbility(ctx, scope, abilities.read_code, row)
  return isVisible && networkOf(row) === networkOf(project) ? row : undefined
}

/** Opens the repository of a project with read access to the objects of another project. For reading only. */
export function repoWithObjectsOf(ctx: Ctx, project: Project, other: Project): Repo {
  return withObjectsOf(repoOf(ctx, project), repoOf(ctx, other))
}

/** Returns the projects that a user downloaded recently, each with the time in milliseconds. */
function projectsOf(db: Database, userId: number): Map<number, number> {
  const users = db.instance('repository.downloads', () => new Map<number, Map<number, number>>())
  const projects = users.get(userId) ?? new Map<number, number>()
  users.set(userId, projects)
  return projects
}

/**
 * Counts the different projects that a user downloads, by git or as an archive. A project above the limit of the
 * settings is reported and refused with 403, and the settings may ban the user (spec administration 1.2,
 * `max_number_of_repository_downloads`). Administrators and users of the allowlist have no limit.
 */
export function countDownload(ctx: Ctx, projectId: number): void {
  const settings = settingsOf(ctx)
  const max = settings.max_number_of_repository_downloads
  const seconds = settings.max_number_of_repository_downloads_within_time_period
  const { actor } = ctx
  if (max === 0 || seconds === 0 || actor.kind !== 'user' || actor.is_admin) return
  if (isListed(actor, settings.git_rate_limit_users_allowlist)) return
  const now = Date.parse(ctx.now)
  const projects = projectsOf(ctx.db, actor.id)
  for (const [id, time] of projects) if (time <= now - seconds * 1000) projects.delete(id)
  const isNew = !projects.has(projectId)
  if (!isNew) projects.set(projectId, now)
  else if (projects.size < max) projects.set(projectId, now)
  else {
    const is_banned = settings.auto_ban_user_on_excessive_projects_download
    tx(ctx.db, () => publish(ctx, DownloadsExceeded, { user_id: actor.id, count: max + 1, is_banned }))
    throw fail('forbidden', '403 Forbidden - You have downloaded too many projects.')
  }
}

/**
 * Returns the LFS object of a pointer blob, if the project refers to it and it is stored here. A pointer without
 * that reference is ignored, since any user can write one. `type` is 1 for the wiki.
 */
export async function largeFileOf(
  ctx: Ctx,
  project: Project,
  repo: Repo,
  blob: { readonly id: string; readonly size: number },
  type: 0 | 1 = 0,
): Promise<Pointer | undefined> {
  if (blob.size < MIN_POINTER_BYTES || blob.size > MAX_POINTER_BYTES) return undefined
  if (!isLfsEnabled(ctx, project)) return undefined
  const content = (await readBlob(repo, blob.id))?.content
  const pointer = content && pointerOf(content)
  const size = pointer && linkedLfsObjects(ctx.db, project.id, type, [pointer.oid]).get(pointer.oid)
  if (!pointer || size === undefined) return undefined
  const file = { oid: pointer.oid, size }
  return (await isLfsStored(ctx.config, file)) ? file : undefined
}

/** Opens the content of an LFS object. */
export function openLargeFile({ config }: Ctx, { oid }: Pointer, signal: AbortSignal): Readable {
  return createReadStream(lfsFile(config, oid), { signal })
}

interface Named {
  readonly name: string
}

/**
 * Returns the refs with the text in their names. A leading `^` means "begins with", a trailing `$` "ends with", both
 * mean "equals".
 */
export function bySearch<T extends Named>(refs: readonly T[], search: string | undefined): readonly T[] {
  if (!search) return refs
  const isPrefix = search.startsWith('^')
  const isSuffix = search.length > 1 && search.endsWith('$')
  const text = search.slice(isPrefix ? 1 : 0, isSuffix ? -1 : undefined).toLowerCase()
  const matches = (name: string): boolean => {
    if (isPrefix && isSuffix) return name === text
    if (isPrefix) return name.startsWith(text)
    return isSuffix ? name.endsWith(text) : name.includes(text)
  }
  return refs.filter((ref) => matches(ref.name.toLowerCase()))
}

/** Returns the refs with a name that matches a regular expression, in linear time for any expression. */
export function byExpression<T extends Named>(
  refs: readonly T[],
  expression: string | undefined,
): readonly T[] {
  if (!expression) return refs
  const pattern = compile(expression)
  return refs.filter((ref) => pattern.matcher(ref.name).find())
}

function compile(expression: string): RE2JS {
  try {
    return RE2JS.compile(expression)
  } catch {
    throw fail('parameter', 'regex is invalid')
  }
}

/** The paging of a list of refs. */
export interface RefWindow {
  readonly limit: number
  readonly offset: number
  readonly per_page: number
  /** True if `token`, the name of the previous page's last ref, selects the page instead of `offset`. */
  readonly keyset: boolean
  readonly token?: string | undefined
}

/** One page of refs. */
export interface RefPage<T> {
  readonly rows: readonly T[]
  readonly total?: number | undefined
  readonly next?: Readonly<Record<string, string>> | undefined
}

/** Returns one page of a sorted list. A token with the name of a deleted ref starts again at the first page. */
export function refPage<T extends Named>(refs: readonly T[], window: RefWindow): RefPage<T> {
  if (!window.keyset) {
    return { rows: refs.slice(window.offset, window.offset + window.limit), total: refs.length }
  }
  const start = window.token ? refs.findIndex((ref) => ref.name === window.token) + 1 : 0
  const rows = refs.slice(start, start + window.per_page)
  const last = rows.at(-1)
  const hasNext = last !== undefined && start + window.per_page < refs.length
  return { rows, next: hasNext ? { page_token: last.name } : undefined }
}
