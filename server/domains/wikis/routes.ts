import type { Ctx } from '../../ctx.ts'
import { atLeastOne, endpoint, type Endpoint } from '../../http/endpoint.ts'
import { bool, file, text } from '../../http/params.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import { attachFile } from './attachments.ts'
import { WikiAttachment, WikiPage, type PageView } from './entity.ts'
import { renderPage } from './markup/index.ts'
import { contentsOf, readPage, reading } from './pages.ts'
import { MAX_BODY, content, format, slugParam, title } from './params.ts'
import { createPage, deletePage, updatePage } from './service.ts'
import { TWINS, type WikiOwnerKind } from './owner-kind.ts'
import type { WikiOwner } from './wiki.ts'

const refusals = {
  400: 'The title, the content or the place of the page is not acceptable',
  409: 'The wiki changed meanwhile',
  413: 'The page is larger than any page may be',
}

/** The wiki of projects and of groups (spec administration 10.1). */
export const wikiEndpoints: Endpoint[] = TWINS.flatMap((kind) => [
  ...reads(kind),
  ...writes(kind),
  attachment(kind),
])

function reads({ scope, thing, at, can, ownerOf }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`GET ${at}/wikis`, {
      summary: `List the pages of the wiki of a ${thing}, by title`,
      scope,
      can: can.read,
      params: { with_content: bool().default(false).describe('With the text of each page') },
      fails: { 413: 'The texts are too much for one answer' },
      returns: page(WikiPage, { paging: 'none' }),
      run: async (ctx) => ({ rows: await listPages(ctx, ownerOf(ctx), ctx.params.with_content) }),
    }),
    endpoint(`GET ${at}/wikis/:slug`, {
      summary: `Get a page of the wiki of a ${thing}`,
      scope,
      can: can.read,
      params: {
        ...slugParam,
        render_html: bool().default(false).describe('The text as HTML'),
        version: text({ max: 1100 }).optional().describe('Commit whose text is wanted; the newest otherwise'),
      },
      spans: ['slug'],
      fails: { 413: 'The page is too large for an answer' },
      returns: ok(WikiPage),
      run: (ctx) => showPage(ctx, ownerOf(ctx), ctx.params.slug, ctx.params),
    }),
  ]
}

function writes({ scope, thing, at, can, ownerOf }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`POST ${at}/wikis`, {
      summary: `Write a page in the wiki of a ${thing}`,
      scope,
      can: can.create,
      maxBody: MAX_BODY,
      params: { title: title(), content: content(), format: format().default('markdown') },
      fails: refusals,
      returns: created(WikiPage),
      run: (ctx) => createPage(ctx, ownerOf(ctx), ctx.params),
    }),
    endpoint(`PUT ${at}/wikis/:slug`, {
      summary: `Change a page in the wiki of a ${thing}`,
      scope,
      can: can.create,
      maxBody: MAX_BODY,
      params: {
        ...slugParam,
        title: title().optional(),
        content: content().optional(),
        format: format().optional(),
      },
      spans: ['slug'],
      together: [atLeastOne('content', 'title', 'format')],
      fails: refusals,
      returns: ok(WikiPage),
      run: ({ params: { slug, ...changes }, ...ctx }) => updatePage(ctx, ownerOf(ctx), slug, changes),
    }),
    endpoint(`DELETE ${at}/wikis/:slug`, {
      summary: `Delete a page of the wiki of a ${thing}`,
      scope,
      can: can.admin,
      params: slugParam,
      spans: ['slug'],
      fails: { 422: 'Git could not delete it' },
      returns: noContent,
      run: (ctx) => deletePage(ctx, ownerOf(ctx), ctx.params.slug),
    }),
  ]
}

function attachment({ scope, thing, at, can, ownerOf }: WikiOwnerKind): Endpoint {
  return endpoint(`POST ${at}/wikis/attachments`, {
    summary: `Put a file into the wiki of a ${thing}, to be named in its pages`,
    scope,
    can: can.create,
    params: {
      file: file().describe('The file, as a part of a multipart body'),
      branch: text({ max: 1000 }).optional().describe('Branch of the wiki; the one that is read otherwise'),
    },
    fails: { 400: 'There is no such branch', 409: 'The wiki changed meanwhile' },
    returns: created(WikiAttachment),
    run: (ctx) => attachFile(ctx, ownerOf(ctx), ctx.params),
  })
}

/** All pages by title, with their texts where wanted; none while there is no wiki. */
async function listPages(ctx: Ctx, owner: WikiOwner, withContent: boolean): Promise<PageView[]> {
  const listed = await reading(ctx, owner, async ({ repo, index: { pages } }) => {
    if (!withContent) return pages.map((page) => ({ page }))
    const texts = await contentsOf(repo, pages)
    return pages.map((page) => ({ page, content: texts.get(page) ?? '' }))
  })
  return listed ?? []
}

/** One page, as text or as HTML. Throws `404 Wiki Page Not Found`. */
async function showPage(
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
