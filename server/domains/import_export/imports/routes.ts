import { endpoint } from '../../../http/endpoint.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { project, projectAbilities } from '../../projects/index.ts'
import { ImportStatus, ImportFailure, ImportProgress } from './entity.ts'
import { importsOf, progressOf, retryImport, statusOf } from './status.ts'
import { failuresOf } from './store.ts'
import { projectAbilities as abilities } from '../policy.ts'
import { cancelProjectImport } from './runs.ts'

export const list = endpoint('GET /-/imports', {
  summary: 'List the imports of the current user, newest first',
  can: 'signed_in',
  returns: page(ImportProgress),
  run: ({ paging, ...ctx }) => importsOf(ctx, paging),
})

export const progress = endpoint('GET /-/projects/:id/import_progress', {
  summary: 'Get the progress of the import of a project',
  scope: project,
  can: projectAbilities.read_project,
  returns: ok(ImportProgress),
  run: (ctx) => progressOf(ctx, ctx.project),
})

export const failures = endpoint('GET /-/projects/:id/import_failures', {
  summary: 'List the records that could not be imported',
  scope: project,
  can: abilities.manage_import,
  returns: page(ImportFailure),
  run: ({ db, project: { id }, paging }) => failuresOf(db, { project_id: id }, paging),
})

export const cancel = endpoint('POST /-/projects/:id/import/cancel', {
  summary: 'Cancel the import of a project',
  scope: project,
  can: abilities.manage_import,
  fails: {
    400: 'The import has ended: `{"message": "The import cannot be canceled because it is finished"}`',
  },
  returns: created(ImportProgress),
  run: (ctx) => progressOf(ctx, cancelProjectImport(ctx, ctx.project)),
})

export const retry = endpoint('POST /-/projects/:id/import/retry', {
  summary: 'Retry a failed import',
  scope: project,
  can: abilities.manage_import,
  fails: { 400: 'The import did not fail, or its source no longer exists' },
  returns: created(ImportProgress),
  run: (ctx) => progressOf(ctx, retryImport(ctx, ctx.project)),
})

export const status = endpoint('GET /projects/:id/import', {
  summary: 'Get the status of the import of a project',
  scope: project,
  can: projectAbilities.read_project,
  returns: ok(ImportStatus),
  run: (ctx) => statusOf(ctx, ctx.project),
})
