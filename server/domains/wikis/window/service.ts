import type { Ctx } from '../../../ctx.ts'
import { type FileDiff, readDiff } from '../../../git/read/diff.ts'
import { lastCommitFor, listCommits } from '../../../git/read/log.ts'
import { firstParent, resolveCommit } from '../../../git/read/revisions.ts'
import { notFound } from '../../../lib/fail.ts'
import { diffLimits } from '../../repository/index.ts'
import { contentOf, pageAt, type PageFile, reading, readingPage } from '../service-pages.ts'
import { renderPage } from '../service-reading.ts'
import { notWritable, wikiOf } from '../service-repository.ts'
import type { WikiOwner } from '../types.ts'
import type { DetailView, TreeView, VersionView } from './entity.ts'

/** The slug of the page with a custom sidebar. */
const SIDEBAR = '_sidebar'

async function htmlOf(ctx: Ctx, owner: WikiOwner, page: PageFile, content: string): Promise<string> {
  return renderPage(ctx, owner, { slug: page.slug, format: page.format, content })
}

/** False while the repository is read-only. */
function isWritable(ctx: Ctx, owner: WikiOwner): boolean {
  const wiki = wikiOf(ctx, owner)
  return !wiki || notWritable(ctx, wiki) === undefined
}

/** The pages by title, and the custom sidebar. */
export async function treeOf(ctx: Ctx, owner: WikiOwner, mayEdit: boolean): Promise<TreeView> {
  const can_edit = mayEdit && isWritable(ctx, owner)
  const found = await reading(ctx, owner, async ({ wiki, repo, index }) => {
    const own = index.find(SIDEBAR)
    const sidebar_html = own ? await htmlOf(ctx, owner, own, await contentOf(repo, own)) : null
    const pages = index.pages.filter((page) => page !== own)
    return { owner, pages, sidebar_html, default_branch: wiki.default_branch, can_edit }
  })
  return found ?? { owner, pages: [], sidebar_html: null, default_branch: null, can_edit }
}

/** A page with its HTML, in its present or an older version. Throws `404 Wiki Page Not Found`. */
export async function detailOf(
  ctx: Ctx,
  owner: WikiOwner,
  asked: { readonly slug: string; readonly version?: string | undefined; readonly mayEdit: boolean },
): Promise<DetailView> {
  const can_edit = asked.mayEdit && isWritable(ctx, owner)
  const found = await reading(ctx, owner, async (now) => {
    const { version, slug } = asked
    const page = version ? await pageAt(now, slug, version) : now.index.find(slug)
    if (!page) return undefined
    const commit = version ? await resolveCommit(now.repo, version) : now.tip
    const content = await contentOf(now.repo, page)
    const [html, last] = await Promise.all([
      htmlOf(ctx, owner, page, content),
      lastCommitFor(now.repo, commit!, page.path),
    ])
    return { page, content, html, last, can_edit }
  })
  if (!found) throw notFound('Wiki Page')
  return found
}

/** Commits that changed a page, newest first. Follows renames. */
export function versionsOf(
  ctx: Ctx,
  owner: WikiOwner,
  slug: string,
  window: { readonly limit: number; readonly offset: number; readonly signal: AbortSignal },
): Promise<VersionView[]> {
  return readingPage(ctx, owner, slug, async (page, { repo, tip }) => {
    const { limit, offset: skip, signal } = window
    const range = { tips: [tip!] }
    const commits = await listCommits(repo, { range, paths: [page.path], follow: true, limit, skip, signal })
    return commits.map((commit) => ({ commit, format: page.format }))
  })
}

/** The diff of a page at a version; empty if the commit did not change it. Throws 404 for an unknown version. */
export function changeOf(
  ctx: Ctx,
  owner: WikiOwner,
  asked: { readonly slug: string; readonly sha: string },
): Promise<FileDiff[]> {
  return readingPage(ctx, owner, asked.slug, async (_page, now) => {
    const { repo } = now
    const to = await resolveCommit(repo, asked.sha)
    const page = await pageAt(now, asked.slug, asked.sha)
    if (to === null || !page) throw notFound('Wiki Page')
    const comparison = { from: await firstParent(repo, to), to }
    const isIts = (file: FileDiff): boolean => file.new_path === page.path
    // Compares all files, so that git detects renames.
    const all = (await readDiff(repo, comparison, diffLimits(ctx))).files.filter(isIts)
    if (all.some((file) => !file.collapsed)) return all
    return (await readDiff(repo, comparison, { ...diffLimits(ctx), paths: [page.path] })).files.filter(isIts)
  })
}
