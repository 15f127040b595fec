import type { Ctx } from '../../ctx.ts'
import { openBlob } from '../../git/read/blob.ts'
import { type FileDiff, readDiff } from '../../git/read/diff.ts'
import { lastCommitFor, listCommits } from '../../git/read/log.ts'
import { firstParent, resolveCommit } from '../../git/read/revisions.ts'
import { findEntry } from '../../git/read/tree.ts'
import { Failure, notFound } from '../../lib/fail.ts'
import { withoutFrontMatter } from '../../lib/markup/front-matter.ts'
import { renderMarkup } from '../markdown/index.ts'
import { fullPath } from '../projects/index.ts'
import { diffLimits } from '../repository/index.ts'
import type { PageView, DetailView, TreeView, VersionView } from './entity.ts'
import {
  contentsOf,
  readWiki,
  readPage,
  contentOf,
  pageAt,
  type PageFile,
  withPage,
} from './service-pages.ts'
import { notWritable, wikiOf } from './service-repository.ts'
import type { WikiOwner } from './types.ts'

/** The slug of the page with a custom sidebar. */
const SIDEBAR = '_sidebar'

async function htmlOf(ctx: Ctx, owner: WikiOwner, page: PageFile, content: string): Promise<string> {
  return renderPage(ctx, owner, { slug: page.slug, format: page.format, content })
}

/** Whether the wiki accepts changes. False while its repository is read-only. */
function isWritable(ctx: Ctx, owner: WikiOwner): boolean {
  const wiki = wikiOf(ctx, owner)
  return !wiki || notWritable(ctx, wiki) === undefined
}

/** The pages, sorted by title, and the custom sidebar. */
export async function treeOf(ctx: Ctx, owner: WikiOwner, mayEdit: boolean): Promise<TreeView> {
  const can_edit = mayEdit && isWritable(ctx, owner)
  const result = await readWiki(ctx, owner, async ({ wiki, repo, index }) => {
    const sidebar = index.find(SIDEBAR)
    const sidebar_html = sidebar ? await htmlOf(ctx, owner, sidebar, await contentOf(repo, sidebar)) : null
    const pages = index.pages.filter((page) => page !== sidebar)
    return { owner, pages, sidebar_html, default_branch: wiki.default_branch, can_edit }
  })
  return result ?? { owner, pages: [], sidebar_html: null, default_branch: null, can_edit }
}

/** A page with its HTML, in its current or an older version. Throws `404 Wiki Page Not Found`. */
export async function detailOf(
  ctx: Ctx,
  owner: WikiOwner,
  request: { readonly slug: string; readonly version?: string | undefined; readonly mayEdit: boolean },
): Promise<DetailView> {
  const can_edit = request.mayEdit && isWritable(ctx, owner)
  const result = await readWiki(ctx, owner, async (state) => {
    const { version, slug } = request
    const page = version ? await pageAt(state, slug, version) : state.index.find(slug)
    if (!page) return undefined
    const commit = version ? await resolveCommit(state.repo, version) : state.tip
    const content = await contentOf(state.repo, page)
    const [html, last_commit] = await Promise.all([
      htmlOf(ctx, owner, page, content),
      lastCommitFor(state.repo, commit!, page.path),
    ])
    return { page, content, html, last_commit, can_edit }
  })
  if (!result) throw notFound('Wiki Page')
  return result
}

/** Commits that changed a page, newest first. Follows renames. */
export function versionsOf(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  window: { readonly limit: number; readonly offset: number; readonly signal: AbortSignal },
): Promise<VersionView[]> {
  return withPage(ctx, owner, slug, async (page, { repo, tip }) => {
    const { limit, offset: skip, signal } = window
    const range = { tips: [tip!] }
    const commits = await listCommits(repo, { range, paths: [page.path], follow: true, limit, skip, signal })
    return commits.map((commit) => ({ commit, format: page.format }))
  })
}

/** The diff of a page at a version; empty if the commit did not change it. Throws 404 for an unknown version. */
export function diffOf(
  ctx: Ctx,
  owner: WikiOwner,
  request: { readonly slug: string; readonly sha: string },
): Promise<FileDiff[]> {
  return withPage(ctx, owner, request.slug, async (_page, state) => {
    const { repo } = state
    const to = await resolveCommit(repo, request.sha)
    const page = await pageAt(state, request.slug, request.sha)
    if (to === null || !page) throw notFound('Wiki Page')
    const comparison = { from: await firstParent(repo, to), to }
    const isPage = (file: FileDiff): boolean => file.new_path === page.path
    // Compares all files, so that git detects renames.
    const diffs = (await readDiff(repo, comparison, diffLimits(ctx))).files.filter(isPage)
    if (diffs.some((file) => !file.collapsed)) return diffs
    return (await readDiff(repo, comparison, { ...diffLimits(ctx), paths: [page.path] })).files.filter(isPage)
  })
}

/** The fields of a page that rendering uses. */
export interface PageSource {
  readonly slug: string
  readonly format: string
  readonly content: string
}

/**
 * Renders a page as safe HTML. Links to other pages and attachments lead into the wiki, references in Markdown (`#1`,
 * `@name`) become links to what the reader may see, and YAML front matter is hidden. A page that is too slow to render,
 * or has a read-only format, is shown as plain text.
 */
export async function renderPage(ctx: Ctx, owner: WikiOwner, page: PageSource): Promise<string> {
  const text = withoutFrontMatter(page.content)
  const wiki = { base: basePathOf(ctx, owner), slug: page.slug }
  return renderMarkup(ctx, { format: page.format, text }, { project: owner.project, wiki })
}

/** The path of a wiki below the instance's host. */
function basePathOf(ctx: Ctx, { project, group }: WikiOwner): string {
  const path = project ? fullPath(project) : `groups/${group!.full_path}`
  return `${new URL(ctx.config.url).pathname.replace(/\/$/, '')}/${path}/-/wikis`
}

/** The text of a page at a commit; null if the page does not exist or is too large. */
export async function wikiText(
  ctx: Ctx,
  owner: WikiOwner,
  { slug, version }: { readonly slug: string; readonly version: string },
): Promise<string | null> {
  try {
    return (await readPage(ctx, owner, slug, version)).content
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'not_found' || error.kind === 'too_large')) return null
    throw error
  }
}

/** The first page by title with its last commit, for webhook tests. Undefined for an empty wiki. */
export function firstWikiPage(ctx: Ctx, owner: WikiOwner) {
  return readWiki(ctx, owner, async ({ repo, tip, index }) => {
    const [page] = index.pages
    const last = page && tip ? await lastCommitFor(repo, tip, page.path) : null
    if (!page || !last) return undefined
    const { slug, title, format } = page
    return { slug, title, format, message: last.message, commit: last.id }
  })
}

/** All pages, sorted by title, with their content on request. Empty if the wiki does not exist yet. */
export async function listPages(ctx: Ctx, owner: WikiOwner, withContent: boolean): Promise<PageView[]> {
  const views = await readWiki(ctx, owner, async ({ repo, index: { pages } }) => {
    if (!withContent) return pages.map((page) => ({ page }))
    const texts = await contentsOf(repo, pages)
    return pages.map((page) => ({ page, content: texts.get(page) ?? '' }))
  })
  return views ?? []
}

/** A page with its text or HTML. Throws `404 Wiki Page Not Found`. */
export async function showPage(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  request: { readonly version?: string | undefined; readonly render_html: boolean },
): Promise<PageView> {
  const { page, content } = await readPage(ctx, owner, slug, request.version || undefined)
  if (!request.render_html) return { page, content }
  const { format } = page
  return { page, content: await renderPage(ctx, owner, { slug: page.slug, format, content }) }
}

/** Opens a file of a wiki. Throws `404 File Not Found` for missing files, folders, links and pages. */
export async function openAttachedFile(ctx: Ctx, owner: WikiOwner, path: string, signal: AbortSignal) {
  const result = await readWiki(ctx, owner, async ({ repo, tip, index }) => {
    const entry = tip === null || index.find(path) ? null : await findEntry(repo, tip, path)
    return entry?.type === 'blob' && entry.mode !== '120000' ? openBlob(repo, entry.id, { signal }) : null
  })
  if (!result) throw notFound('File')
  return result
}
