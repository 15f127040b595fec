import { endpoint } from '../../http/endpoint.ts'
import { bool, text } from '../../http/params.ts'
import { accepted, created, ok, page } from '../../http/returns.ts'
import { fail } from '../../lib/fail.ts'
import { GroupPublic } from '../namespaces/entity.ts'
import { settingsOf } from '../settings/index.ts'
import { requestDeletion, restoreProject } from './lifecycle/deletion.ts'
import { Project, ProjectStorage } from './entity.ts'
import { abilities } from './policy.ts'
import { project } from './service-scope.ts'
import { setArchived, setStar } from './service.ts'
import { transferProject } from './lifecycle/transfer.ts'
import { transferLocations } from './people/store.ts'
import { viewOf } from './service-views.ts'

export const remove = endpoint('DELETE /projects/:id', {
  summary: 'Delete a project',
  scope: project,
  can: abilities.delete_project,
  params: {
    permanently_remove: bool()
      .optional()
      .describe('Delete a project that is marked for deletion immediately'),
    full_path: text({ max: 1024 }).optional().describe('Full path of the project, to confirm the deletion'),
  },
  fails: {
    400: 'The project is already marked for deletion, is not marked yet, or `full_path` is incorrect',
  },
  returns: accepted,
  run: ({ project: owner, params, http, ...ctx }) => {
    if (settingsOf(ctx).default_project_deletion_protection && !ctx.actor.is_admin) throw fail('forbidden')
    http.unmodifiedSince(owner.updated_at)
    requestDeletion(ctx, owner, params)
  },
})

export const restore = endpoint('POST /projects/:id/restore', {
  summary: 'Restore a project marked for deletion',
  scope: project,
  can: abilities.delete_project,
  fails: { 400: 'The project is not marked for deletion, or its name or path is in use' },
  returns: created(Project),
  run: ({ project: owner, ...ctx }) => viewOf(ctx, restoreProject(ctx, owner)),
})

export const starring = ([true, false] as const).map((starred) =>
  endpoint(`POST /projects/:id/${starred ? 'star' : 'unstar'}`, {
    summary: starred ? 'Star a project' : 'Unstar a project',
    scope: project,
    can: abilities.star_project,
    fails: { 304: starred ? 'The project is already starred' : 'The project is not starred' },
    returns: created(Project),
    run: ({ project: owner, ...ctx }) => viewOf(ctx, setStar(ctx, owner, starred)),
  }),
)

export const archiving = ([true, false] as const).map((archived) =>
  endpoint(`POST /projects/:id/${archived ? 'archive' : 'unarchive'}`, {
    summary: archived ? 'Archive a project' : 'Unarchive a project',
    scope: project,
    can: abilities.archive_project,
    fails: { 400: 'The project is marked for deletion' },
    returns: created(Project),
    run: ({ project: owner, ...ctx }) => viewOf(ctx, setArchived(ctx, owner, archived)),
  }),
)

export const transfer = endpoint('PUT /projects/:id/transfer', {
  summary: 'Transfer a project to a new namespace',
  scope: project,
  can: abilities.transfer_project,
  params: { namespace: text({ max: 1024 }).describe('The ID or full path of the namespace') },
  fails: { 400: 'The project cannot be moved to the namespace: `Failed to transfer project {…}`' },
  returns: ok(Project),
  run: ({ project: owner, params, ...ctx }) => viewOf(ctx, transferProject(ctx, owner, params.namespace)),
})

export const listTransferLocations = endpoint('GET /projects/:id/transfer_locations', {
  summary: 'List groups available for project transfer',
  scope: project,
  can: abilities.transfer_project,
  params: { search: text({ max: 255 }).optional().describe('Part of the name or full path') },
  returns: page(GroupPublic),
  run: ({ project: owner, params, paging, ...ctx }) => transferLocations(ctx, owner, params.search, paging),
})

export const getStorage = endpoint('GET /projects/:id/storage', {
  summary: 'Get the path to repository storage',
  scope: project,
  can: 'admin',
  pure: true,
  returns: ok(ProjectStorage),
  run: ({ project: owner }) => owner,
})

export const getPagesAccess = endpoint('GET /projects/:id/pages_access', {
  summary: 'Check access to the pages of a project',
  scope: project,
  can: abilities.read_pages,
  returns: { kind: 'empty', status: 200 },
  run: () => undefined,
})
