import { endpoint } from '../../../http/endpoint.ts'
import { ok } from '../../../http/returns.ts'
import { project, projectAbilities } from '../../projects/index.ts'
import { ImportStatus } from './entity.ts'
import { statusOf } from './status.ts'

export const status = endpoint('GET /projects/:id/import', {
  summary: 'Get the status of the import of a project',
  scope: project,
  can: projectAbilities.read_project,
  returns: ok(ImportStatus),
  run: (ctx) => statusOf(ctx, ctx.project),
})
