import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { bool, text } from '../../../http/params.ts'
import { created, page } from '../../../http/returns.ts'
import { importEndpoint, listEndpoint, plainNames, sendPage, HostImportedProject } from '../hosts/routes.ts'
import { beginImport, importableRepositories, type ImportableRepository } from './request.ts'
import { entity } from '../../../http/entity.ts'

const BitbucketServerRepository = entity(
  'BitbucketServerRepository',
  {
    project_key: z.string(),
    repository_slug: z.string(),
    full_name: z.string(),
    description: z.string().nullable(),
    imported_as: z.string().nullable(),
  },
  (repository: ImportableRepository) => ({ ...repository }),
)

/** Address and credentials of the Bitbucket Server instance. The contract gives them neutral names. */
const access = {
  hostB_server_url: text({ max: 2048, notEmpty: true }).describe('The URL of the Bitbucket Server instance'),
  hostB_server_username: text({ max: 255, notEmpty: true }).describe('The username on that instance'),
  personal_access_token: text({ max: 1024, notEmpty: true }).describe('The token or password of that user'),
}

const HOST_UNAVAILABLE = { 503: 'The other host cannot be reached or has an internal error' }

export const begin = endpoint('POST /import/hostB_server', {
  summary: 'Import a repository from Bitbucket Server',
  can: 'signed_in',
  params: {
    ...access,
    hostB_server_project: text({ max: 255, notEmpty: true }).describe('The key of the project'),
    hostB_server_repo: text({ max: 255, notEmpty: true }).describe('The slug of the repository'),
    ...importEndpoint.params,
    target_namespace: text({ max: 1024 })
      .optional()
      .describe('The full path of the target namespace. Default is the personal namespace'),
    recover_missing_commits: bool()
      .optional()
      .describe(
        'Create temporary branches on the instance to fetch commits that are not reachable from a ref',
      ),
  },
  limit: importEndpoint.limit,
  fails: {
    ...importEndpoint.fails,
    ...HOST_UNAVAILABLE,
    404: 'The repository does not exist: `{"errors": "Project a/b could not be found"}`',
  },
  returns: created(HostImportedProject),
  run: ({ params, ...ctx }) => beginImport(ctx, plainNames(params)),
})

export const repositories = endpoint('POST /-/imports/host_b_server/repositories', {
  summary: 'List Bitbucket Server repositories to import',
  can: 'signed_in',
  params: { ...access, ...listEndpoint.params },
  fails: { ...listEndpoint.fails, ...HOST_UNAVAILABLE },
  limit: listEndpoint.limit,
  returns: page(BitbucketServerRepository, { paging: 'none' }),
  run: async ({ params, http, ...ctx }) =>
    sendPage(http, await importableRepositories(ctx, plainNames(params))),
})
