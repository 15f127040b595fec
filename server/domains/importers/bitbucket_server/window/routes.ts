import { endpoint } from '../../../../http/endpoint.ts'
import { int, text } from '../../../../http/params.ts'
import { page } from '../../../../http/returns.ts'
import { access } from '../params.ts'
import { HostBRepository, offeredRepositories } from './repositories.ts'

export const repositories = endpoint('POST /-/imports/host_b_server/repositories', {
  summary: 'List the repositories that somebody sees at a host of type B server',
  can: 'signed_in',
  params: {
    ...access,
    search: text({ max: 200 }).optional().describe('Part of the name'),
    page: int({ min: 1, max: 10_000 })
      .optional()
      .describe('Which page of fifty; the first without it. The header X-Next-Page names the next'),
  },
  fails: {
    400: 'The host name is no address that may be reached',
    403: 'This host is not among the sources of projects (setting import_sources)',
    422: 'What stands in the way, as `{"errors": "…"}`',
    429: 'The other host asks for patience',
    503: 'The other host cannot be reached, or is broken',
  },
  limit: { max: 60, per: 60 },
  returns: page(HostBRepository, { paging: 'none' }),
  run: async ({ params, http, ...ctx }) => {
    // It is no change of anything, though it carries a secret and is therefore no GET.
    http.status(200)
    const { rows, next_page } = await offeredRepositories(ctx, params)
    http.set('x-next-page', next_page === null ? '' : String(next_page))
    return { rows, total: rows.length }
  },
})
