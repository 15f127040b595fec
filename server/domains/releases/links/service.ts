import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { notFound, invalid } from '../../../lib/fail.ts'
import type { LinkType } from '../entity.ts'
import { ReleaseUpdated } from '../events.ts'
import type { ReleaseLinkRow, ReleaseRow } from '../types.ts'
import * as releases from '../store.ts'
import * as store from './store.ts'

/** The fields of a link that are checked. */
interface LinkFields {
  readonly name: string
  readonly url: string
  /** Path below the release; starts with `/`. */
  readonly filepath: string | null
}

type Problems = Partial<Record<keyof LinkFields, string[]>>

const SCHEMES = new Set(['http:', 'https:', 'ftp:'])
const MAX_NAME = 255
const MAX_FILEPATH = 128

/** Returns all errors of a link by field, in the contract's words (spec administration 4.4). */
function problemsOf({ name, url, filepath }: LinkFields): Problems {
  const problems = { name: nameProblems(name), url: urlProblems(url), filepath: pathProblems(filepath) }
  return Object.fromEntries(Object.entries(problems).filter(([, texts]) => texts.length > 0))
}

function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"]
  return name.length > MAX_NAME ? [`is too long (maximum is ${MAX_NAME} characters)`] : []
}

function urlProblems(url: string): string[] {
  if (url.trim() === '') return ["can't be blank"]
  // The parser would drop blanks and control characters silently, so the stored URL would not be the parsed one.
  // oxlint-disable-next-line no-control-regex
  const parsed = /[\u0000-\u0020\u007f]/.test(url) ? null : URL.parse(url)
  if (parsed === null && /^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return ['is blocked: URI is invalid']
  if (parsed === null || !SCHEMES.has(parsed.protocol))
    return ['is blocked: Only allowed schemes are http, https, ftp']
  return []
}

/** A path has segments of letters, digits, `-`, `_` and `.`, and ends with a letter or digit. */
function pathProblems(filepath: string | null): string[] {
  if (filepath === null) return []
  const isPath = /^\/[-.\w/]*[0-9A-Za-z]$/.test(filepath) && !filepath.includes('//')
  const length = filepath.length > MAX_FILEPATH ? [`is too long (maximum is ${MAX_FILEPATH} characters)`] : []
  return [...length, ...(isPath ? [] : ['is in an invalid format'])]
}

/** Throws 400 with all errors of a link by field. `others` are the other links of the release. */
function checkLink(link: LinkFields, others: readonly LinkFields[]): void {
  const problems: Problems = problemsOf(link)
  for (const field of ['name', 'url', 'filepath'] as const) {
    const isTaken = link[field] !== null && others.some((other) => other[field] === link[field])
    if (isTaken) problems[field] = [...(problems[field] ?? []), 'has already been taken']
  }
  if (Object.keys(problems).length > 0) throw invalid(problems as Record<string, string[]>)
}

/** Returns the errors of the links of a new release, as sentences after `Validation failed: `. */
export function problemsOfAll(links: readonly LinkFields[]): string[] {
  const single = links.flatMap((link) =>
    Object.entries(problemsOf(link)).flatMap(([field, texts]) =>
      texts.map((text) => `Links ${field} ${text}`),
    ),
  )
  const duplicates = (['name', 'url', 'filepath'] as const).flatMap((field) => {
    const values = links.flatMap((link) => link[field] ?? [])
    const repeated = [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
    return repeated.length === 0 ? [] : [`Links have duplicate values (${repeated.join(', ')})`]
  })
  return [...new Set([...single, ...duplicates])]
}

/** A link in a request. Newer clients send `direct_asset_path`. */
export interface LinkInput {
  readonly name: string
  readonly url: string
  readonly filepath?: string | null | undefined
  readonly direct_asset_path?: string | null | undefined
  readonly link_type?: LinkType | undefined
}

/** A link before it is stored. */
export interface NewLink extends LinkFields {
  readonly link_type: LinkType
}

/** Returns the path of a link in a request: null removes the path, undefined keeps it. */
function requestedPath(
  input: Pick<Partial<LinkInput>, 'filepath' | 'direct_asset_path'>,
): string | null | undefined {
  const path = input.direct_asset_path ?? input.filepath
  if (path !== undefined && path !== null) return path === '' ? null : path
  return input.filepath === null || input.direct_asset_path === null ? null : undefined
}

/** Returns the link of a request, with defaults for missing fields. */
export function newLink(input: LinkInput): NewLink {
  return {
    name: input.name,
    url: input.url,
    filepath: requestedPath(input) ?? null,
    link_type: input.link_type ?? 'other',
  }
}

function otherLinks(ctx: Ctx, release: ReleaseRow, exceptId?: number): ReleaseLinkRow[] {
  return (store.linksOf(ctx.db, [release.id]).get(release.id) ?? []).filter((link) => link.id !== exceptId)
}

function publishUpdate(ctx: Ctx, { id, project_id, tag }: ReleaseRow): void {
  releases.update(ctx.db, id, { updated_at: ctx.now })
  const release = { project_id, release_id: id, tag, actor_id: ctx.actor.id }
  publish(ctx, ReleaseUpdated, { ...release, changed: ['links'] })
}

/** Returns a link of a release. Throws 404. */
export function getLink(ctx: Ctx, release: ReleaseRow, id: number): ReleaseLinkRow {
  const row = store.byId(ctx.db, release.id, id)
  if (!row) throw notFound()
  return row
}

/** Creates a link of a release. Throws 400 with all errors by field. */
export function addLink(ctx: Ctx, release: ReleaseRow, input: LinkInput): ReleaseLinkRow {
  const link = newLink(input)
  return tx(ctx.db, () => {
    checkLink(link, otherLinks(ctx, release))
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const row = store.insert(ctx.db, { ...link, release_id: release.id, ...times })
    publishUpdate(ctx, release)
    return row
  })
}

/** Updates a link of a release. Throws 400 with all errors by field. */
export function changeLink(
  ctx: Ctx,
  release: ReleaseRow,
  before: ReleaseLinkRow,
  changes: Partial<LinkInput>,
): ReleaseLinkRow {
  const path = requestedPath(changes)
  const link = {
    name: changes.name ?? before.name,
    url: changes.url ?? before.url,
    filepath: path === undefined ? before.filepath : path,
    link_type: changes.link_type ?? before.link_type,
  }
  return tx(ctx.db, () => {
    checkLink(link, otherLinks(ctx, release, before.id))
    const row = store.update(ctx.db, before.id, { ...link, updated_at: ctx.now })
    publishUpdate(ctx, release)
    return row
  })
}

/** Deletes a link of a release. */
export function removeLink(ctx: Ctx, release: ReleaseRow, link: ReleaseLinkRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, link.id)
    publishUpdate(ctx, release)
  })
}
