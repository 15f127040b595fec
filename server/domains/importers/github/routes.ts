import type { Ctx } from '../../../ctx.ts'
import { HOST_A } from '../../../lib/aliases.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, hash, int, text } from '../../../http/params.ts'
import { accepted, created, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { OWNER } from '../../../policy/levels.ts'
import { cancelRun, runOf } from '../../import_export/index.ts'
import { project as scope, projectById } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { GithubRepository, HostImportCanceled, HostImportedProject, type CanceledImport } from './entity.ts'
import { beginGists, beginImport } from './request.ts'
import { offeredRepositories } from './repositories.ts'

const token = text({ max: 1024, notEmpty: true }).describe('GitHub personal access token')
const hostname = text({ max: 2048 })
  .optional()
  .describe('Address of a private host; the public one without it')

/** Imports that one user may begin in a minute (setting project_import_limit). */
const limit = {
  max: 6,
  per: 60,
  together: 'host_import',
  maxOf: (ctx: Ctx) => settingsOf(ctx).project_import_limit,
}

const hostFails = {
  400: 'The host name is no address that may be reached: `{"errors": "Invalid URL: …"}`',
  401: 'The other host does not take the token: `{"error": "Access denied …"}`',
  403: 'This host is not among the sources of projects (setting import_sources)',
  422: 'What stands in the way, as `{"errors": "…"}`',
  429: 'The other host asks for patience, or too many imports were begun',
}

export const begin = endpoint('POST /import/hostA', {
  summary: 'Import a repository from GitHub',
  can: 'signed_in',
  params: {
    personal_access_token: token,
    repo_id: int({ min: 1 }).describe('The ID of the GitHub repository'),
    target_namespace: text({ max: 1024 }).describe('Full path of the namespace that it goes to'),
    new_name: text({ max: 255 })
      .optional()
      .describe('Name of the project; that of the repository without it'),
    hostA_hostname: hostname,
    optional_stages: hash({
      single_endpoint_issue_events_import: bool()
        .optional()
        .describe('What happened to issues and pull requests'),
      single_endpoint_notes_import: bool()
        .optional()
        .describe('Comments are asked for one by one, which finds all of them'),
      attachments_import: bool().optional().describe('Files that texts name are fetched'),
      collaborators_import: bool().optional().describe('Without effect: members are added by hand'),
    })
      .optional()
      .describe('Further stages, which take longer'),
    timeout_strategy: text({ max: 32 })
      .optional()
      .describe('Without effect: what is late is a failure of its own'),
  },
  limit,
  fails: hostFails,
  returns: created(HostImportedProject),
  run: ({ params, ...ctx }) => beginImport(ctx, params),
})

export const cancel = endpoint('POST /import/hostA/cancel', {
  summary: 'Cancel a GitHub import',
  can: 'signed_in',
  params: { project_id: int().describe('The ID of the project') },
  fails: {
    400: 'It has ended: `{"message": "The import cannot be canceled because it is finished"}`',
    403: 'Only its owners may',
    404: 'There is no such import',
  },
  returns: ok(HostImportCanceled),
  run: ({ params, ...ctx }) => cancelImport(ctx, params.project_id),
})

export const gists = endpoint('POST /import/hostA/gists', {
  summary: 'Import GitHub gists into snippets',
  can: 'signed_in',
  params: { personal_access_token: token, hostA_hostname: hostname },
  limit,
  fails: hostFails,
  returns: accepted,
  run: ({ params, ...ctx }) => beginGists(ctx, params),
})

/**
 * Cancels an import. Throws 404 for a project that the caller may not see, 403 for a caller who does not own it, 400 where no
 * import is under way.
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
  return { project: cancelRun(ctx, project), run: runOf(ctx.db, projectId) }
}

export const repositories = endpoint('POST /-/imports/host_a/repositories', {
  summary: 'List GitHub repositories to import',
  can: 'signed_in',
  params: {
    personal_access_token: text({ max: 1024, notEmpty: true }).describe(
      'A personal access token of that host',
    ),
    hostA_hostname: text({ max: 2048 }).optional().describe('Address of a private host'),
    search: text({ max: 200 }).optional().describe('Part of the name'),
    page: int({ min: 1, max: 10000 })
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
  returns: page(GithubRepository, { paging: 'none' }),
  run: async ({ params, http, ...ctx }) => {
    const { rows, next_page } = await offeredRepositories(ctx, params)
    // It is no change of anything, though it carries a secret and is therefore no GET.
    http.status(200)
    http.set('x-next-page', next_page === null ? '' : String(next_page))
    return { rows, total: rows.length }
  },
})
