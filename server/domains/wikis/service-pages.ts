import { posix } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { blobSize, readBlob } from '../../git/read/blob.ts'
import { followedPath } from '../../git/read/followed-path.ts'
import { branchTip, resolveCommit } from '../../git/read/revisions.ts'
import { listTree } from '../../git/read/tree.ts'
import type { Repo } from '../../git/types.ts'
import { fail, invalid, notFound } from '../../lib/fail.ts'
import { formatOfExtension, FORMATS, type PageFormat } from '../../lib/markup/formats.ts'
import { translateGitError } from '../projects/index.ts'
import { readingOf } from './service-repository.ts'
import type { WikiOwner, WikiRow } from './types.ts'

/** A page at a commit. */
export interface PageFile extends PageName {
  readonly path: string
  /** The id of the blob. */
  readonly id: string
}

/** All pages of a commit, by title. */
export class PageIndex {
  readonly pages: readonly PageFile[]
  readonly #bySlug = new Map<string, PageFile>()
  readonly #byFolded = new Map<string, PageFile>()

  constructor(pages: readonly PageFile[]) {
    this.pages = pages.toSorted((a, b) => order(a.title, b.title) || order(a.path, b.path))
    // Of several files with one slug, the file with the first extension is used.
    for (const page of this.pages) {
      if (!this.#bySlug.has(page.slug)) this.#bySlug.set(page.slug, page)
      if (!this.#byFolded.has(folded(page.slug))) this.#byFolded.set(folded(page.slug), page)
    }
  }

  /** The page with a slug; otherwise one that differs only in case, or in spaces and dashes. */
  find(slug: string): PageFile | undefined {
    return this.#bySlug.get(slug) ?? this.#byFolded.get(folded(slug))
  }

  /** The page with exactly this slug. */
  exactly(slug: string): PageFile | undefined {
    return this.#bySlug.get(slug)
  }

  /** A page that conflicts with a slug. `except` is the page to rename. */
  inTheWay(slug: string, except?: PageFile): PageFile | undefined {
    return this.pages.find((page) => folded(page.slug) === folded(slug) && page.path !== except?.path)
  }
}

const NO_PAGES = new PageIndex([])

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** The pages of a commit; none for null. Cached, because commits never change. */
export async function pagesAt(repo: Repo, commit: string | null): Promise<PageIndex> {
  if (commit === null) return NO_PAGES
  const cached = repo.git.cache.get<PageIndex>(repo, 'wiki-pages', commit)
  if (cached) return cached
  const entries = (await listTree(repo, commit, { recursive: true }))?.entries ?? []
  const pages = entries.flatMap(({ type, mode, path, id }): PageFile[] => {
    // Symbolic links are not pages.
    const page = type === 'blob' && mode !== '120000' ? pageOfFile(path) : undefined
    return page ? [{ ...page, path, id }] : []
  })
  const content = new PageIndex(pages)
  return repo.git.cache.set(repo, 'wiki-pages', commit, { content, bytes: 500 + 900 * pages.length })
}

/** A wiki at one commit; null for an empty wiki. */
export interface Reading {
  readonly wiki: WikiRow
  readonly repo: Repo
  readonly tip: string | null
  readonly index: PageIndex
}

/**
 * Reads an owner's wiki in its present state. Undefined if the wiki does not exist. Errors of git become API
 * failures.
 */
export async function reading<T>(
  ctx: Ctx,
  owner: WikiOwner,
  work: (now: Reading) => T | Promise<T>,
): Promise<T | undefined> {
  const result = readingOf(ctx, owner)
  if (!result) return undefined
  try {
    const tip = await branchTip(result.repo, result.wiki.default_branch)
    return await work({ ...result, tip, index: await pagesAt(result.repo, tip) })
  } catch (error) {
    throw translateGitError(ctx, error)
  }
}

/** A page with its content. */
export interface ReadPage {
  readonly page: PageFile
  readonly content: string
}

/** Reads one page. Throws `404 Wiki Page Not Found`. */
export async function readingPage<T>(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  work: (page: PageFile, now: Reading) => T | Promise<T>,
): Promise<T> {
  const result = await reading(ctx, owner, async (now) => {
    const page = now.index.find(slug)
    return page && { result: await work(page, now) }
  })
  if (!result) throw notFound('Wiki Page')
  return result.result
}

/** Reads a page, optionally at a version (any name of a commit). Throws `404 Wiki Page Not Found`. */
export async function readPage(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  version?: string,
): Promise<ReadPage> {
  const result = await reading(ctx, owner, async (now) => {
    const page = version === undefined ? now.index.find(slug) : await pageAt(now, slug, version)
    return page && { page, content: await contentOf(now.repo, page) }
  })
  if (!result) throw notFound('Wiki Page')
  return result
}

/** A page at an older commit. Renamed pages are followed. */
export async function pageAt(now: Reading, slug: string, version: string): Promise<PageFile | undefined> {
  const { repo, tip } = now
  const commit = await resolveCommit(repo, version)
  if (commit === null || tip === null) return undefined
  const then = await pagesAt(repo, commit)
  const pageFile = then.find(slug)
  if (pageFile) return pageFile
  const page = now.index.find(slug)
  const path = page && (await followedPath(repo, { tip, path: page.path, commit }))
  return path ? then.pages.find((entry) => entry.path === path) : undefined
}

/** The text of a page. */
export async function contentOf(repo: Repo, page: PageFile): Promise<string> {
  const blob = await readBlob(repo, page.id)
  return blob?.content.toString('utf8') ?? ''
}

/** Largest total of all pages in one response, in bytes. */
const MAX_TOTAL = 128 * 1024 * 1024

/** Number of simultaneous requests to git. */
const AT_ONCE = 64

/** The texts of many pages. Throws 413 if they are too large for one response. */
export async function contentsOf(repo: Repo, pages: readonly PageFile[]): Promise<Map<PageFile, string>> {
  const texts = new Map<PageFile, string>()
  let total = 0
  for (let at = 0; at < pages.length; at += AT_ONCE) {
    const part = pages.slice(at, at + AT_ONCE)
    const sizes = await Promise.all(part.map((page) => blobSize(repo, page.id)))
    total += sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
    if (total > MAX_TOTAL) throw fail('too_large', 'The wiki is too large for one answer.')
    const read = await Promise.all(part.map((page) => contentOf(repo, page)))
    part.forEach((page, index) => texts.set(page, read[index]!))
  }
  return texts
}

/** Longest names of pages (without extension) and folders, in bytes (spec administration 10.2). */
const MAX_NAME = 245
const MAX_FOLDER = 255

/** The parts of a page's file path. */
export interface PageName {
  /** The path without its extension. */
  readonly slug: string
  readonly title: string
  readonly format: PageFormat
  /** The extension as written, without the dot. */
  readonly extension: string
}

/** The folder of a page; empty for the root. */
export function folderOf(slug: string): string {
  return slug.slice(0, Math.max(0, slug.lastIndexOf('/')))
}

/** The title of a page: its name without folders, with dashes as spaces. */
export function titleOf(slug: string): string {
  return slug.slice(slug.lastIndexOf('/') + 1).replace(/-+/g, ' ')
}

/** The page of a file; undefined for other files. */
export function pageOfFile(path: string): PageName | undefined {
  const start = path.lastIndexOf('/') + 1
  const last = path.lastIndexOf('.')
  // Double extensions come first: `a.rst.txt` is not plain text.
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
 * The slug for a title (spec administration 10.2): spaces become dashes, `..` is resolved from the root. A title
 * without `/` stays in the folder. Throws 400 for an empty or too long title.
 */
export function slugOfTitle(title: string, folder: string): string {
  const parts = title.split('/').map((part) => part.trim().replace(/\s+/g, ' '))
  const segments = parts.length === 1 && folder !== '' ? [folder, ...parts] : parts
  const slug = posix.resolve('/', segments.join('/')).slice(1).replaceAll(' ', '-')
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
  for (const folder of folders.filter((entry) => Buffer.byteLength(entry) > MAX_FOLDER))
    problems.push(`exceeds the limit of ${MAX_FOLDER} bytes for directory name "${folder}"`)
  if (problems.length > 0) throw invalid({ title: problems })
}

/** The file path of a page. Keeps an extension that belongs to the format. */
export function fileOf(slug: string, format: PageFormat, extension?: string): string {
  const isKept = extension !== undefined && formatOfExtension(extension) === format
  return `${slug}.${isKept ? extension : FORMATS[format][0]}`
}

/** A slug for comparisons: case, and spaces and dashes, do not matter. */
export function folded(slug: string): string {
  return slug.normalize('NFC').replaceAll(' ', '-').toLowerCase()
}
