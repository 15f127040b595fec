import { atLeastOne, endpoint, type Endpoint } from '../../http/endpoint.ts'
import { bool, file, text, choice } from '../../http/params.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import { WRITABLE_FORMATS } from '../../lib/markup/formats.ts'
import { WikiAttachment, WikiPage } from './entity.ts'
import { ownerIn, WIKI_OWNERS, type WikiOwnerKind } from './policy.ts'
import { listPages, showPage } from './service-reading.ts'
import { attachFile, createPage, deletePage, updatePage } from './service.ts'

/**
 * The maximum size of a request body with a page, in bytes. The setting `wiki_page_max_content_bytes` limits pages
 * further.
 */
export const MAX_BODY = 64 * 1024 * 1024

/** The maximum length of a title, including its folders. */
const MAX_TITLE = 4096

export const slugParam = {
  slug: text({ max: MAX_TITLE }).describe('The path of the page, without its extension'),
}

export const title = () => text({ max: MAX_TITLE }).describe('The title of the page. Slashes create folders')
export const content = () => text({ max: MAX_BODY }).describe('The content of the page')
export const format = () => choice(...WRITABLE_FORMATS).describe('The markup format of the page')
export const message = () => text({ max: 10_000 }).optional().describe('The commit message')

const refusals = {
  400: 'The title, content or path of the page is invalid',
  409: 'The wiki has changed in the meantime',
  413: 'The page is too large',
}

/** Wiki endpoints of projects and groups (spec administration 10.1). */
export const wikiEndpoints: Endpoint[] = WIKI_OWNERS.flatMap((kind) => [
  ...reads(kind),
  ...writes(kind),
  attachment(kind),
])

function reads({ scope, name, prefix, can }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`GET ${prefix}/wikis`, {
      summary: `List ${name} wiki pages`,
      scope,
      can: can.read,
      params: { with_content: bool().default(false).describe('Include the content of each page') },
      fails: { 413: 'The pages are too large for one response' },
      returns: page(WikiPage, { paging: 'none' }),
      run: async (ctx) => ({ rows: await listPages(ctx, ownerIn(ctx), ctx.params.with_content) }),
    }),
    endpoint(`GET ${prefix}/wikis/:slug`, {
      summary: `Get a ${name} wiki page`,
      scope,
      can: can.read,
      params: {
        ...slugParam,
        render_html: bool().default(false).describe('Return the content as HTML'),
        version: text({ max: 1100 })
          .optional()
          .describe('The commit to read the page from. Default is the latest commit'),
      },
      slashParams: ['slug'],
      fails: { 413: 'The page is too large for one response' },
      returns: ok(WikiPage),
      run: (ctx) => showPage(ctx, ownerIn(ctx), ctx.params.slug, ctx.params),
    }),
  ]
}

function writes({ scope, name, prefix, can }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`POST ${prefix}/wikis`, {
      summary: `Create a ${name} wiki page`,
      scope,
      can: can.create,
      maxBody: MAX_BODY,
      params: { title: title(), content: content(), format: format().default('markdown') },
      fails: refusals,
      returns: created(WikiPage),
      run: (ctx) => createPage(ctx, ownerIn(ctx), ctx.params),
    }),
    endpoint(`PUT ${prefix}/wikis/:slug`, {
      summary: `Update a ${name} wiki page`,
      scope,
      can: can.create,
      maxBody: MAX_BODY,
      params: {
        ...slugParam,
        title: title().optional(),
        content: content().optional(),
        format: format().optional(),
      },
      slashParams: ['slug'],
      parameterRules: [atLeastOne('content', 'title', 'format')],
      fails: refusals,
      returns: ok(WikiPage),
      run: ({ params: { slug, ...changes }, ...ctx }) => updatePage(ctx, ownerIn(ctx), slug, changes),
    }),
    endpoint(`DELETE ${prefix}/wikis/:slug`, {
      summary: `Delete a ${name} wiki page`,
      scope,
      can: can.admin,
      params: slugParam,
      slashParams: ['slug'],
      fails: { 422: 'The page could not be deleted' },
      returns: noContent,
      run: (ctx) => deletePage(ctx, ownerIn(ctx), ctx.params.slug),
    }),
  ]
}

function attachment({ scope, name, prefix, can }: WikiOwnerKind): Endpoint {
  return endpoint(`POST ${prefix}/wikis/attachments`, {
    summary: `Upload an attachment to a ${name} wiki`,
    scope,
    can: can.create,
    params: {
      file: file().describe('The file to upload, as a part of a multipart body'),
      branch: text({ max: 1000 })
        .optional()
        .describe('The branch of the wiki. Default is the default branch'),
    },
    fails: { 400: 'The branch does not exist', 409: 'The wiki has changed in the meantime' },
    returns: created(WikiAttachment),
    run: (ctx) => attachFile(ctx, ownerIn(ctx), ctx.params),
  })
}
