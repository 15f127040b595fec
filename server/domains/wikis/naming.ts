import { posix } from 'node:path'

import { invalid } from '../../lib/fail.ts'
import { FORMATS, formatOfExtension, type PageFormat } from './markup/index.ts'

/** Longest name of a page, without its extension, and of a folder, in bytes (spec administration 10.2). */
const MAX_NAME = 245
const MAX_FOLDER = 255

/** What the path of a file says of the page that it is. */
export interface PageName {
  /** The path without its extension. */
  readonly slug: string
  readonly title: string
  readonly format: PageFormat
  /** Extension as it is written, without the dot. */
  readonly extension: string
}

/** The folder that a page is in; empty at the top. */
export function folderOf(slug: string): string {
  return slug.slice(0, Math.max(0, slug.lastIndexOf('/')))
}

/** What a page is called: its name without folders, runs of dashes as blanks. */
export function titleOf(slug: string): string {
  return slug.slice(slug.lastIndexOf('/') + 1).replace(/-+/g, ' ')
}

/** The page that a file is; undefined for all other files. */
export function pageOfFile(path: string): PageName | undefined {
  const start = path.lastIndexOf('/') + 1
  const last = path.lastIndexOf('.')
  // Two extensions together come first: `a.rst.txt` is not a plain text.
  for (const dot of [path.lastIndexOf('.', last - 1), last]) {
    if (dot <= start) continue
    const extension = path.slice(dot + 1)
    const format = formatOfExtension(extension)
    const slug = path.slice(0, dot)
    if (format) return { slug, title: titleOf(slug), format, extension }
  }
  return undefined
}

/**
 * The slug of a page with a title (spec administration 10.2): blanks squeezed, `..` taken from the top, blanks as
 * dashes. A title without `/` stays in the folder. Throws 400 for one that says nothing or is too long.
 */
export function slugOfTitle(title: string, folder: string): string {
  const parts = title.split('/').map((part) => part.trim().replace(/\s+/g, ' '))
  const said = parts.length === 1 && folder !== '' ? [folder, ...parts] : parts
  const slug = posix.resolve('/', said.join('/')).slice(1).replaceAll(' ', '-')
  if (title.trim() === '' || slug === '') throw invalid({ title: "can't be blank" })
  checkLengths(slug)
  return slug
}

function checkLengths(slug: string): void {
  const folders = slug.split('/')
  const name = folders.pop()!
  const problems: string[] = []
  if (Buffer.byteLength(name) > MAX_NAME)
    problems.push(`exceeds the limit of ${MAX_NAME} bytes for page titles`)
  for (const folder of folders.filter((one) => Buffer.byteLength(one) > MAX_FOLDER))
    problems.push(`exceeds the limit of ${MAX_FOLDER} bytes for directory name "${folder}"`)
  if (problems.length > 0) throw invalid({ title: problems })
}

/** The file of a page. An extension that the format knows is kept. */
export function fileOf(slug: string, format: PageFormat, extension?: string): string {
  const isKept = extension !== undefined && formatOfExtension(extension) === format
  return `${slug}.${isKept ? extension : FORMATS[format][0]}`
}

/** Slugs that count as one: upper and lower case, and blanks and dashes, alike. */
export function folded(slug: string): string {
  return slug.normalize('NFC').replaceAll(' ', '-').toLowerCase()
}
