import type { Ctx } from '../../../ctx.ts'
import { atLeastOne, endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { isAble } from '../../../policy/ability.ts'
import { Diff } from '../../repository/commits/entity.ts'
import { WikiPage } from '../entity.ts'
import { content, format, MAX_BODY, message, slugParam, title } from '../params.ts'
import { createPage, updatePage } from '../service.ts'
import { TWINS, type WikiOwnerKind } from '../owner-kind.ts'
import { WikiPageDetail, WikiTree, WikiVersion } from './entity.ts'
import { changeOf, detailOf, treeOf, versionsOf } from './service.ts'

const version = text({ max: 1100 }).optional().describe('Commit as of which the page is wanted')

/** What the window shows of wikis beyond the API. */
export const wikiWindowEndpoints: Endpoint[] = TWINS.flatMap((kind) => [
  ...reads(kind),
  ...history(kind),
  ...writes(kind),
])

function reads({ scope, thing, at, can, ownerOf }: WikiOwnerKind): Endpoint[] {
  const mayEdit = (ctx: Ctx): boolean => isAble(ctx, scope, can.create, ownerOf(ctx)[thing], true)
  return [
    endpoint(`GET /-${at}/wikis/tree`, {
      summary: `Get the pages of the wiki of a ${thing} as the sidebar shows them`,
      scope,
      can: can.read,
      returns: ok(WikiTree),
      run: (ctx) => treeOf(ctx, ownerOf(ctx), mayEdit(ctx)),
    }),
    endpoint(`GET /-${at}/wikis/:slug/page`, {
      summary: `Get a page of the wiki of a ${thing} with its HTML`,
      scope,
      can: can.read,
      params: { ...slugParam, version },
      fails: { 413: 'The page is too large for an answer' },
      returns: ok(WikiPageDetail),
      run: (ctx) => detailOf(ctx, ownerOf(ctx), { ...ctx.params, mayEdit: mayEdit(ctx) }),
    }),
  ]
}

function history({ scope, thing, at, can, ownerOf }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`GET /-${at}/wikis/:slug/versions`, {
      summary: `List the versions of a page of the wiki of a ${thing}, the newest first`,
      scope,
      can: can.read,
      params: slugParam,
      returns: page(WikiVersion),
      run: async (ctx) => {
        const window = { limit: ctx.paging.limit, offset: ctx.paging.offset, signal: ctx.http.signal }
        return { rows: await versionsOf(ctx, ownerOf(ctx), ctx.params.slug, window) }
      },
    }),
    endpoint(`GET /-${at}/wikis/:slug/versions/:sha/diff`, {
      summary: `Get what a version changed in a page of the wiki of a ${thing}`,
      scope,
      can: can.read,
      params: { ...slugParam, sha: text({ max: 1100 }).describe('Commit') },
      returns: page(Diff, { paging: 'none' }),
      run: async (ctx) => {
        const files = await changeOf(ctx, ownerOf(ctx), ctx.params)
        return { rows: files.map((file) => ({ file, unidiff: false })) }
      },
    }),
  ]
}

function writes({ scope, thing, at, can, ownerOf }: WikiOwnerKind): Endpoint[] {
  return [
    endpoint(`POST /-${at}/wikis`, {
      summary: `Write a page in the wiki of a ${thing}, with a message`,
      scope,
      can: can.create,
      maxBody: MAX_BODY,
      params: {
        title: title(),
        content: content(),
        format: format().default('markdown'),
        message: message(),
      },
      fails: { 400: 'The title or the content is not acceptable', 409: 'The wiki changed meanwhile' },
      returns: created(WikiPage),
      run: (ctx) => createPage(ctx, ownerOf(ctx), ctx.params),
    }),
    endpoint(`PUT /-${at}/wikis/:slug`, {
      summary: `Change a page in the wiki of a ${thing}, unless somebody else did meanwhile`,
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
          .describe('The newest version of the page that the caller knows'),
      },
      spans: ['slug'],
      together: [atLeastOne('content', 'title', 'format')],
      fails: {
        400: 'The title or the content is not acceptable',
        409: 'Somebody changed the page meanwhile',
        413: 'The page is larger than any page may be',
      },
      returns: ok(WikiPage),
      run: ({ params: { slug, ...changes }, ...ctx }) => updatePage(ctx, ownerOf(ctx), slug, changes),
    }),
  ]
}
