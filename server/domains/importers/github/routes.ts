import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { HOST_A } from '../../../lib/aliases.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, hash, int, text } from '../../../http/params.ts'
import { accepted, created, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { OWNER } from '../../../policy/levels.ts'
import { cancelProjectImport, runOf } from '../../import_export/index.ts'
import { project as scope, projectById } from '../../projects/index.ts'
import {
  importEndpoint,
  listEndpoint,
  plainNames,
  sendPage,
  HostImportCanceled,
  HostImportedProject,
  type CanceledImport,
} from '../hosts/routes.ts'
import { beginGists, beginImport } from './request.ts'
import { importableRepositories, type ImportableRepository } from './repositories.ts'
import { entity } from '../../../http/entity.ts'

const GithubRepository = entity(
  'GithubRepository',
  {
    id: z.int(),
    full_name: z.string(),
    description: z.string().nullable(),
    private: z.boolean(),
    // In bytes.
    size: z.int(),
    language: z.string().nullable(),
    updated_at: z.string().nullable(),
    imported_as: z.string().nullable(),
  },
  (repository: ImportableRepository) => ({ ...repository }),
)

/** Credentials and address of GitHub. The contract gives them neutral names. */
const access = {
  personal_access_token: text({ max: 1024, notEmpty: true }).describe('The GitHub personal access token'),
  hostA_hostname: text({ max: 2048 })
    .optional()
    .describe('The URL of a private GitHub host. Default is the public host'),
}

const DENIED = { 401: 'GitHub refuses the token: `{"error": "Access denied …"}`' }

export const begin = endpoint('POST /import/hostA', {
  summary: 'Import a repository from GitHub',
  can: 'signed_in',
  params: {
    ...access,
    repo_id: int({ min: 1 }).describe('The ID of the GitHub repository'),
    target_namespace: text({ max: 1024 }).describe('The full path of the target namespace'),
    ...importEndpoint.params,
    optional_stages: hash({
      single_endpoint_issue_events_import: bool()
        .optional()
        .describe('Import the events of issues and pull requests'),
      single_endpoint_notes_import: bool()
        .optional()
        .describe(
          'Fetch the comments of each issue and pull request separately, which is slower but complete',
        ),
      attachments_import: bool().optional().describe('Import the files that texts link to'),
      collaborators_import: bool().optional().describe('Has no effect: add members manually'),
    })
      .optional()
      .describe('Additional stages, which take longer'),
  },
  limit: importEndpoint.limit,
  fails: { ...importEndpoint.fails, ...DENIED },
  returns: created(HostImportedProject),
  run: ({ params, ...ctx }) => beginImport(ctx, plainNames(params)),
})

export const cancel = endpoint('POST /import/hostA/cancel', {
  summary: 'Cancel a GitHub import',
  can: 'signed_in',
  params: { project_id: int().describe('The ID of the project') },
  fails: {
    400: 'The import has ended: `{"message": "The import cannot be canceled because it is finished"}`',
    403: 'The caller does not own the project',
    404: 'The project does not exist',
  },
  returns: ok(HostImportCanceled),
  run: ({ params, ...ctx }) => cancelImport(ctx, params.project_id),
})

export const gists = endpoint('POST /import/hostA/gists', {
  summary: 'Import GitHub gists into snippets',
  can: 'signed_in',
  params: access,
  limit: importEndpoint.limit,
  fails: { ...importEndpoint.fails, ...DENIED },
  returns: accepted,
  run: ({ params, ...ctx }) => beginGists(ctx, plainNames(params)),
})

/**
 * Cancels an import. Throws 404 for a project that the caller may not see, 403 for a caller who does not own it, 400 if
 * no import is running.
 */
function cancelImport(ctx: Ctx, projectId: number): CanceledImport {
  const project = projectById(ctx.db, projectId)
  if (!project || !canRead(ctx, scope, project)) throw notFound('Project')
  const isOwner = ctx.actor.is_admin || scope.roleOf(ctx, project) >= OWNER
  if (!isOwner) throw fail('forbidden', 'Unauthorized access')
  if (project.import_type !== HOST_A)
    throw fail(
      'bad_request',
      'The import cannot be canceled because the project was not imported from this host',
    )
  return { project: cancelProjectImport(ctx, project), run: runOf(ctx.db, projectId) }
}

export const repositories = endpoint('POST /-/imports/host_a/repositories', {
  summary: 'List GitHub repositories to import',
  can: 'signed_in',
  params: { ...access, ...listEndpoint.params },
  fails: { ...listEndpoint.fails, ...DENIED },
  limit: listEndpoint.limit,
  returns: page(GithubRepository, { paging: 'none' }),
  run: async ({ params, http, ...ctx }) =>
    sendPage(http, await importableRepositories(ctx, plainNames(params))),
})
