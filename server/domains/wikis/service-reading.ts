import type { Ctx } from '../../ctx.ts'
import { openBlob } from '../../git/read/blob.ts'
import { lastCommitFor } from '../../git/read/log.ts'
import { findEntry } from '../../git/read/tree.ts'
import { Failure, notFound } from '../../lib/fail.ts'
import { withoutFrontMatter } from '../../lib/markup/front-matter.ts'
import { renderMarkup } from '../markdown/index.ts'
import { fullPath } from '../projects/index.ts'
import type { PageView } from './entity.ts'
import { contentsOf, reading, readPage } from './service-pages.ts'
import type { WikiOwner } from './types.ts'

/** The part of a page that is rendered. */
export interface PageSource {
  readonly slug: string
  readonly format: string
  readonly content: string
}

/**
 * Renders a page as safe HTML. Links to other pages and attachments lead into the wiki, references in Markdown (`#1`,
 * `@name`) become links to what the reader may see, and YAML front matter is hidden. A page that is too slow to render, or
 * has a read-only format, is shown as plain text.
 */
export async function renderPage(ctx: Ctx, owner: WikiOwner, page: PageSource): Promise<string> {
  const text = withoutFrontMatter(page.content)
  const wiki = { base: baseOf(ctx, owner), slug: page.slug }
  return renderMarkup(ctx, { format: page.format, text }, { project: owner.project, wiki })
}

/** The path of a wiki below the instance's host. */
function baseOf(ctx: Ctx, { project, group }: WikiOwner): string {
  const path = project ? fullPath(project) : `groups/${group!.full_path}`
  return `${new URL(ctx.config.url).pathname.replace(/\/$/, '')}/${path}/-/wikis`
}

/** The text of a page at a commit; null if the page is gone or too large. */
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
  return reading(ctx, owner, async ({ repo, tip, index }) => {
    const [page] = index.pages
    const last = page && tip ? await lastCommitFor(repo, tip, page.path) : null
    if (!page || !last) return undefined
    const { slug, title, format } = page
    return { slug, title, format, message: last.message, commit: last.id }
  })
}

/** All pages by title, with their texts on request. Empty if the wiki does not exist yet. */
export async function listPages(ctx: Ctx, owner: WikiOwner, withContent: boolean): Promise<PageView[]> {
  const listed = await reading(ctx, owner, async ({ repo, index: { pages } }) => {
    if (!withContent) return pages.map((page) => ({ page }))
    const texts = await contentsOf(repo, pages)
    return pages.map((page) => ({ page, content: texts.get(page) ?? '' }))
  })
  return listed ?? []
}

/** A page with its text or HTML. Throws `404 Wiki Page Not Found`. */
export async function showPage(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  asked: { readonly version?: string | undefined; readonly render_html: boolean },
): Promise<PageView> {
  const { page, content } = await readPage(ctx, owner, slug, asked.version || undefined)
  if (!asked.render_html) return { page, content }
  const { format } = page
  return { page, content: await renderPage(ctx, owner, { slug: page.slug, format, content }) }
}

/** Opens a file of a wiki. Throws `404 File Not Found` for missing files, folders, links and pages. */
export async function openAttachedFile(ctx: Ctx, owner: WikiOwner, path: string, signal: AbortSignal) {
  const found = await reading(ctx, owner, async ({ repo, tip, index }) => {
    const entry = tip === null || index.find(path) ? null : await findEntry(repo, tip, path)
    return entry?.type === 'blob' && entry.mode !== '120000' ? openBlob(repo, entry.id, { signal }) : null
  })
  if (!found) throw notFound('File')
  return found
}
