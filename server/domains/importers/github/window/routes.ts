import { endpoint } from '../../../../http/endpoint.ts'
import { int, text } from '../../../../http/params.ts'
import { page } from '../../../../http/returns.ts'
import { HostARepository } from '../entity.ts'
import { offeredRepositories } from './repositories.ts'

export const repositories = endpoint('POST /-/imports/host_a/repositories', {
  summary: 'List the repositories that a token shows at a host of type A',
  can: 'signed_in',
  params: {
    personal_access_token: text({ max: 1024, notEmpty: true }).describe(
      'A personal access token of that host',
    ),
    hostA_hostname: text({ max: 2048 }).optional().describe('Address of a private host'),
    search: text({ max: 200 }).optional().describe('Part of the name'),
    page: int({ min: 1, max: 10_000 })
      .optional()
      .describe('Which page of fifty; the first without it. The header X-Next-Page names the next'),
  },
  fails: {
    400: 'The host name is no address that may be reached',
    401: 'The other host does not take the token',
    403: 'This host is not among the sources of projects (setting import_sources)',
    422: 'What stands in the way, as `{"errors": "…"}`',
    429: 'The other host asks for patience',
  },
  limit: { max: 60, per: 60 },
  returns: page(HostARepository, { paging: 'none' }),
  run: async ({ params, http, ...ctx }) => {
    const { rows, next_page } = await offeredRepositories(ctx, params)
    // It is no change of anything, though it carries a secret and is therefore no GET.
    http.status(200)
    http.set('x-next-page', next_page === null ? '' : String(next_page))
    return { rows, total: rows.length }
  },
})
