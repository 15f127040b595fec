import { posix } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { blobSize, readBlob } from '../../git/read/blob.ts'
import { followedPath } from '../../git/read/log.ts'
import { branchTip, resolveCommit } from '../../git/read/revisions.ts'
import { listTree } from '../../git/read/tree.ts'
import type { Repo } from '../../git/types.ts'
import { fail, invalid, notFound } from '../../lib/fail.ts'
import { formatOfExtension, FORMATS, type PageFormat } from '../../lib/markup/formats.ts'
import { translateGitError } from '../projects/index.ts'
import { wikiRepository } from './service-repository.ts'
import type { WikiOwner, WikiRow } from './types.ts'

/** A page at a commit. */
export interface PageFile extends PageName {
  readonly path: string
  /** The id of the blob. */
  readonly id: string
}

/** All pages of a commit, sorted by title. */
export class PageIndex {
  readonly pages: readonly PageFile[]
  readonly #bySlug = new Map<string, PageFile>()
  readonly #byNormalizedSlug = new Map<string, PageFile>()

  constructor(pages: readonly PageFile[]) {
    this.pages = pages.toSorted((a, b) => compare(a.title, b.title) || compare(a.path, b.path))
    // Of several files with one slug, the file with the first extension is used.
    for (const page of this.pages) {
      if (!this.#bySlug.has(page.slug)) this.#bySlug.set(page.slug, page)
      if (!this.#byNormalizedSlug.has(normalizedSlug(page.slug)))
        this.#byNormalizedSlug.set(normalizedSlug(page.slug), page)
    }
  }

  /** The page with a slug; otherwise one that differs only in case, or in spaces and dashes. */
  find(slug: string): PageFile | undefined {
    return this.#bySlug.get(slug) ?? this.#byNormalizedSlug.get(normalizedSlug(slug))
  }

  /** The page with this slug, without any normalization. */
  findExact(slug: string): PageFile | undefined {
    return this.#bySlug.get(slug)
  }

  /** A page that conflicts with a slug. `except` is the page that gets this slug. */
  findConflict(slug: string, except?: PageFile): PageFile | undefined {
    return this.pages.find(
      (page) => normalizedSlug(page.slug) === normalizedSlug(slug) && page.path !== except?.path,
    )
  }
}

const NO_PAGES = new PageIndex([])

function compare(a: string, b: string): number {
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
export interface WikiState {
  readonly wiki: WikiRow
  readonly repo: Repo
  readonly tip: string | null
  readonly index: PageIndex
}

/**
 * Reads an owner's wiki in its current state. Returns undefined if the wiki does not exist. Errors of git
 * become failures of the API.
 */
export async function readWiki<T>(
  ctx: Ctx,
  owner: WikiOwner,
  work: (state: WikiState) => T | Promise<T>,
): Promise<T | undefined> {
  const result = wikiRepository(ctx, owner)
  if (!result) return undefined
  try {
    const tip = await branchTip(result.repo, result.wiki.default_branch)
    return await work({ ...result, tip, index: await pagesAt(result.repo, tip) })
  } catch (error) {
    throw translateGitError(ctx, error)
  }
}

/** A page with its content. */
export interface PageWithContent {
  readonly page: PageFile
  readonly content: string
}

/** Runs `work` with one page. Throws `404 Wiki Page Not Found`. */
export async function withPage<T>(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  work: (page: PageFile, state: WikiState) => T | Promise<T>,
): Promise<T> {
  const result = await readWiki(ctx, owner, async (state) => {
    const page = state.index.find(slug)
    return page && { result: await work(page, state) }
  })
  if (!result) throw notFound('Wiki Page')
  return result.result
}

/** Reads a page, optionally at a version (any revision). Throws `404 Wiki Page Not Found`. */
export async function readPage(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  version?: string,
): Promise<PageWithContent> {
  const result = await readWiki(ctx, owner, async (state) => {
    const page = version === undefined ? state.index.find(slug) : await pageAt(state, slug, version)
    return page && { page, content: await contentOf(state.repo, page) }
  })
  if (!result) throw notFound('Wiki Page')
  return result
}

/** A page at an older commit. Renamed pages are followed. */
export async function pageAt(state: WikiState, slug: string, version: string): Promise<PageFile | undefined> {
  const { repo, tip } = state
  const commit = await resolveCommit(repo, version)
  if (commit === null || tip === null) return undefined
  const index = await pagesAt(repo, commit)
  const page = index.find(slug)
  if (page) return page
  const current = state.index.find(slug)
  const path = current && (await followedPath(repo, { tip, path: current.path, commit }))
  return path ? index.pages.find((entry) => entry.path === path) : undefined
}

/** The text of a page. */
export async function contentOf(repo: Repo, page: PageFile): Promise<string> {
  const blob = await readBlob(repo, page.id)
  return blob?.content.toString('utf8') ?? ''
}

/** The maximum size of all pages in one response, in bytes. */
const MAX_TOTAL = 128 * 1024 * 1024

/** Number of blobs that are read at the same time. */
const CONCURRENCY = 64

/** The texts of many pages. Throws 413 if they are too large for one response. */
export async function contentsOf(repo: Repo, pages: readonly PageFile[]): Promise<Map<PageFile, string>> {
  const texts = new Map<PageFile, string>()
  let total = 0
  for (let start = 0; start < pages.length; start += CONCURRENCY) {
    const batch = pages.slice(start, start + CONCURRENCY)
    const sizes = await Promise.all(batch.map((page) => blobSize(repo, page.id)))
    total += sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
    if (total > MAX_TOTAL) throw fail('too_large', 'The wiki is too large for one answer.')
    const contents = await Promise.all(batch.map((page) => contentOf(repo, page)))
    batch.forEach((page, index) => texts.set(page, contents[index]!))
  }
  return texts
}

/** The maximum length of the names of pages (without extension) and folders, in bytes (spec administration 10.2). */
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
  // Double extensions are tried first: `a.rst.txt` is reStructuredText, not plain text.
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
 * The slug for a title (spec administration 10.2): spaces become dashes, `..` never leaves the root. A title
 * without `/` stays in the folder. Throws 400 for an empty or too long title.
 */
export function slugOfTitle(title: string, folder: string): string {
  const parts = title.split('/').map((batch) => batch.trim().replace(/\s+/g, ' '))
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
  const isOfFormat = extension !== undefined && formatOfExtension(extension) === format
  return `${slug}.${isOfFormat ? extension : FORMATS[format][0]}`
}

/** A slug for comparisons, which ignore case and the difference between spaces and dashes. */
export function normalizedSlug(slug: string): string {
  return slug.normalize('NFC').replaceAll(' ', '-').toLowerCase()
}
