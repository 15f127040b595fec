import type { Ctx } from '../../ctx.ts'
import type { PageView } from './entity.ts'
import { renderPage } from './markup/index.ts'
import { contentsOf, readPage, reading } from './pages.ts'
import type { WikiOwner } from './wiki.ts'

/** All pages by title, with their texts where wanted; none while there is no wiki. */
export async function listPages(ctx: Ctx, owner: WikiOwner, withContent: boolean): Promise<PageView[]> {
  const listed = await reading(ctx, owner, async ({ repo, index: { pages } }) => {
    if (!withContent) return pages.map((page) => ({ page }))
    const texts = await contentsOf(repo, pages)
    return pages.map((page) => ({ page, content: texts.get(page) ?? '' }))
  })
  return listed ?? []
}

/** One page, as text or as HTML. Throws `404 Wiki Page Not Found`. */
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
