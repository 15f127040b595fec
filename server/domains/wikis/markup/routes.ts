import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { Html } from '../../markdown/entity.ts'
import { format, slugParam } from '../params.ts'
import { TWINS, type WikiOwnerKind } from '../owner-kind.ts'
import { renderPage } from './index.ts'

/** Bytes of a text that is rendered while somebody writes it. */
const MAX_PREVIEW = 4 * 1024 * 1024

/** How a page that is being written will look. */
export const previewEndpoints: Endpoint[] = TWINS.map(preview)

function preview({ scope, thing, at, can, ownerOf }: WikiOwnerKind): Endpoint {
  return endpoint(`POST /-${at}/wikis/preview`, {
    summary: `Render a text as a page of the wiki of a ${thing}`,
    scope,
    can: can.create,
    maxBody: MAX_PREVIEW,
    params: {
      content: text({ max: MAX_PREVIEW }).describe('The text'),
      format: format().default('markdown'),
      slug: slugParam.slug.default('').describe('Where the page will be, so that its links lead on'),
    },
    returns: ok(Html),
    run: async ({ params, ...ctx }) => renderPage(ctx, ownerOf(ctx), params),
  })
}
