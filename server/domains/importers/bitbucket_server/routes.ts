import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, int, text } from '../../../http/params.ts'
import { created, page } from '../../../http/returns.ts'
import { settingsOf } from '../../settings/index.ts'
import { HostImportedProject } from '../github/entity.ts'
import { beginImport } from './request.ts'
import { offeredRepositories } from './repositories.ts'
import { BitbucketServerRepository } from './entity.ts'

/** Address and credentials of the Bitbucket Server instance. */
const access = {
  hostB_server_url: text({ max: 2048, notEmpty: true }).describe('Address of the other host'),
  hostB_server_username: text({ max: 255, notEmpty: true }).describe('User name there'),
  personal_access_token: text({ max: 1024, notEmpty: true }).describe(
    'A token, or the password, of that user',
  ),
}

export const begin = endpoint('POST /import/hostB_server', {
  summary: 'Import a repository from Bitbucket Server',
  can: 'signed_in',
  params: {
    ...access,
    hostB_server_project: text({ max: 255, notEmpty: true }).describe('Project key'),
    hostB_server_repo: text({ max: 255, notEmpty: true }).describe('Repository slug'),
    new_name: text({ max: 255 })
      .optional()
      .describe('Name of the project; that of the repository without it'),
    target_namespace: text({ max: 1024 })
      .optional()
      .describe('Full path of the namespace that it goes to; without it the own one'),
    recover_missing_commits: bool()
      .optional()
      .describe('Makes branches there for a moment, to get at commits that nothing leads to any more'),
    timeout_strategy: text({ max: 32 })
      .optional()
      .describe('Without effect: what is late is a failure of its own'),
  },
  limit: {
    max: 6,
    per: 60,
    together: 'host_import',
    maxOf: (ctx: Ctx) => settingsOf(ctx).project_import_limit,
  },
  fails: {
    400: 'The host name is no address that may be reached: `{"errors": "Invalid URL: …"}`',
    403: 'This host is not among the sources of projects (setting import_sources)',
    404: 'There is no such repository: `{"errors": "Project a/b could not be found"}`',
    422: 'What stands in the way, as `{"errors": "…"}`',
    429: 'The other host asks for patience, or too many imports were begun',
    503: 'The other host cannot be reached, or is broken',
  },
  returns: created(HostImportedProject),
  run: ({ params, ...ctx }) => beginImport(ctx, params),
})

export const repositories = endpoint('POST /-/imports/host_b_server/repositories', {
  summary: 'List Bitbucket Server repositories to import',
  can: 'signed_in',
  params: {
    ...access,
    search: text({ max: 200 }).optional().describe('Part of the name'),
    page: int({ min: 1, max: 10000 })
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
  returns: page(BitbucketServerRepository, { paging: 'none' }),
  run: async ({ params, http, ...ctx }) => {
    // It is no change of anything, though it carries a secret and is therefore no GET.
    http.status(200)
    const { rows, next_page } = await offeredRepositories(ctx, params)
    http.set('x-next-page', next_page === null ? '' : String(next_page))
    return { rows, total: rows.length }
  },
})
