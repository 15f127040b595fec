import { invalid } from '../../../lib/fail.ts'
import type { LinkType } from './entity.ts'

/** What can be said of a link. */
export interface LinkFields {
  readonly name: string
  readonly url: string
  /** Path of its own below the release; begins with `/`. */
  readonly filepath: string | null
}

type Problems = Partial<Record<keyof LinkFields, string[]>>

const SCHEMES = new Set(['http:', 'https:', 'ftp:'])
const MAX_NAME = 255
const MAX_FILEPATH = 128

/** Everything that is wrong with a link, by field, in the contract's words (spec administration 4.4). */
export function problemsOf({ name, url, filepath }: LinkFields): Problems {
  const found = { name: nameProblems(name), url: urlProblems(url), filepath: pathProblems(filepath) }
  return Object.fromEntries(Object.entries(found).filter(([, texts]) => texts.length > 0))
}

function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"]
  return name.length > MAX_NAME ? [`is too long (maximum is ${MAX_NAME} characters)`] : []
}

function urlProblems(url: string): string[] {
  if (url.trim() === '') return ["can't be blank"]
  // Blanks and control characters would be dropped in silence, and the address be another one than it seems.
  // oxlint-disable-next-line no-control-regex
  const parsed = /[\u0000-\u0020\u007f]/.test(url) ? null : URL.parse(url)
  if (parsed === null && /^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return ['is blocked: URI is invalid']
  if (parsed === null || !SCHEMES.has(parsed.protocol))
    return ['is blocked: Only allowed schemes are http, https, ftp']
  return []
}

/** Words of letters, digits, `-`, `_` and `.` with single slashes between them; a letter or digit at the end. */
function pathProblems(filepath: string | null): string[] {
  if (filepath === null) return []
  const isPath = /^\/[-.\w/]*[0-9A-Za-z]$/.test(filepath) && !filepath.includes('//')
  const length = filepath.length > MAX_FILEPATH ? [`is too long (maximum is ${MAX_FILEPATH} characters)`] : []
  return [...length, ...(isPath ? [] : ['is in an invalid format'])]
}

/** Throws 400 with everything that is wrong with a link, by field; `others` are those of the same release. */
export function checkLink(link: LinkFields, others: readonly LinkFields[]): void {
  const problems: Problems = problemsOf(link)
  for (const field of ['name', 'url', 'filepath'] as const) {
    const isTaken = link[field] !== null && others.some((other) => other[field] === link[field])
    if (isTaken) problems[field] = [...(problems[field] ?? []), 'has already been taken']
  }
  if (Object.keys(problems).length > 0) throw invalid(problems as Record<string, string[]>)
}

/** What is wrong with the links of a new release, as sentences that follow `Validation failed: `. */
export function problemsOfAll(links: readonly LinkFields[]): string[] {
  const single = links.flatMap((link) =>
    Object.entries(problemsOf(link)).flatMap(([field, texts]) =>
      texts.map((text) => `Links ${field} ${text}`),
    ),
  )
  const doubled = (['name', 'url', 'filepath'] as const).flatMap((field) => {
    const values = links.flatMap((link) => link[field] ?? [])
    const twice = [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
    return twice.length === 0 ? [] : [`Links have duplicate values (${twice.join(', ')})`]
  })
  return [...new Set([...single, ...doubled])]
}

/** A link as it is asked for; clients of newer releases say `direct_asset_path`. */
export interface GivenLink {
  readonly name: string
  readonly url: string
  readonly filepath?: string | null | undefined
  readonly direct_asset_path?: string | null | undefined
  readonly link_type?: LinkType | undefined
}

/** A link to be stored. */
export interface NewLink extends LinkFields {
  readonly link_type: LinkType
}

/** The path that a request gives a link: null for none, undefined where it does not speak of it. */
export function givenPath(
  given: Pick<Partial<GivenLink>, 'filepath' | 'direct_asset_path'>,
): string | null | undefined {
  const path = given.direct_asset_path ?? given.filepath
  if (path !== undefined && path !== null) return path === '' ? null : path
  return given.filepath === null || given.direct_asset_path === null ? null : undefined
}

/** A link with what is usual for what was not said. */
export function givenLink(given: GivenLink): NewLink {
  return {
    name: given.name,
    url: given.url,
    filepath: givenPath(given) ?? null,
    link_type: given.link_type ?? 'other',
  }
}
