import { atLeastOne, endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { Html } from '../../markdown/entity.ts'
import { Diff } from '../../repository/commits/entity.ts'
import { WikiPage, WikiPageDetail, WikiTree, WikiVersion } from '../entity.ts'
import { content, format, MAX_BODY, message, slugParam, title } from '../routes.ts'
import { ownerIn, WIKI_OWNERS, type WikiOwnerKind } from '../policy.ts'
import { renderPage, diffOf, detailOf, treeOf, versionsOf } from '../service-reading.ts'
import { createPage, updatePage } from '../service.ts'

/** The maximum size of a text to preview, in bytes. */
const MAX_PREVIEW = 4 * 1024 * 1024

const version = text({ max: 1100 })
  .optional()
  .describe('The commit to read the page from. Default is the latest commit')

/** Wiki endpoints that only the window uses. */
export const wikiWindowEndpoints: Endpoint[] = WIKI_OWNERS.flatMap((kind) => [
  ...reads(kind),
  ...history(kind),
  ...writes(kind),
  preview(kind),
])

function reads({ scope, name, prefix, can, mayEdit }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`GET /-${prefix}/wikis/tree`, {
      summary: `Get the sidebar of a ${name} wiki`,
      scope,
      can: can.read,
      returns: ok(WikiTree),
      run: (ctx) => treeOf(ctx, ownerIn(ctx), mayEdit(ctx, ownerIn(ctx))),
    }),
    endpoint(`GET /-${prefix}/wikis/:slug/page`, {
      summary: `Get a rendered ${name} wiki page`,
      scope,
      can: can.read,
      params: { ...slugParam, version },
      fails: { 413: 'The page is too large for one response' },
      returns: ok(WikiPageDetail),
      run: (ctx) => detailOf(ctx, ownerIn(ctx), { ...ctx.params, mayEdit: mayEdit(ctx, ownerIn(ctx)) }),
    }),
  ]
}

function history({ scope, name, prefix, can }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`GET /-${prefix}/wikis/:slug/versions`, {
      summary: `List the versions of a ${name} wiki page`,
      scope,
      can: can.read,
      params: slugParam,
      returns: page(WikiVersion),
      run: async (ctx) => {
        const window = { limit: ctx.paging.limit, offset: ctx.paging.offset, signal: ctx.http.signal }
        return { rows: await versionsOf(ctx, ownerIn(ctx), ctx.params.slug, window) }
      },
    }),
    endpoint(`GET /-${prefix}/wikis/:slug/versions/:sha/diff`, {
      summary: `Get the diff of a ${name} wiki page version`,
      scope,
      can: can.read,
      params: { ...slugParam, sha: text({ max: 1100 }).describe('The commit of the version') },
      returns: page(Diff, { paging: 'none' }),
      run: async (ctx) => {
        const files = await diffOf(ctx, ownerIn(ctx), ctx.params)
        return { rows: files.map((file) => ({ file, unidiff: false })) }
      },
    }),
  ]
}

function writes({ scope, name, prefix, can }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`POST /-${prefix}/wikis`, {
      summary: `Create a ${name} wiki page with a commit message`,
      scope,
      can: can.create,
      maxBody: MAX_BODY,
      params: {
        title: title(),
        content: content(),
        format: format().default('markdown'),
        message: message(),
      },
      fails: {
        400: 'The title or content is invalid',
        409: 'The wiki has changed in the meantime',
      },
      returns: created(WikiPage),
      run: (ctx) => createPage(ctx, ownerIn(ctx), ctx.params),
    }),
    endpoint(`PUT /-${prefix}/wikis/:slug`, {
      summary: `Update a ${name} wiki page unless it has changed`,
      scope,
      can: can.create,
      maxBody: MAX_BODY,
      params: {
        ...slugParam,
        title: title().optional(),
        content: content().optional(),
        format: format().optional(),
        message: message(),
        last_commit_sha: text({ max: 64 })
          .optional()
          .describe(
            'The latest commit of the page that the caller knows. The update fails if there is a newer one',
          ),
      },
      slashParams: ['slug'],
      parameterRules: [atLeastOne('content', 'title', 'format')],
      fails: {
        400: 'The title or content is invalid',
        409: 'The page has changed in the meantime',
        413: 'The page is too large',
      },
      returns: ok(WikiPage),
      run: ({ params: { slug, ...changes }, ...ctx }) => updatePage(ctx, ownerIn(ctx), slug, changes),
    }),
  ]
}

function preview({ scope, name, prefix, can }: WikiOwnerKind): Endpoint {
  return endpoint(`POST /-${prefix}/wikis/preview`, {
    summary: `Render a preview of a ${name} wiki page`,
    scope,
    can: can.create,
    maxBody: MAX_PREVIEW,
    params: {
      content: text({ max: MAX_PREVIEW }).describe('The text to render'),
      format: format().default('markdown'),
      slug: slugParam.slug
        .default('')
        .describe('The path of the page, which relative links are resolved against'),
    },
    returns: ok(Html),
    run: ({ params, ...ctx }) => renderPage(ctx, ownerIn(ctx), params),
  })
}
