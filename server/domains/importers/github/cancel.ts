import type { Ctx } from '../../../ctx.ts'
import { HOST_A } from '../../../http/aliases.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { OWNER } from '../../../policy/levels.ts'
import { cancelRun, runOf } from '../../import_export/index.ts'
import { project as scope, projectById } from '../../projects/index.ts'
import type { CanceledImport } from './entity.ts'

/**
 * Cancels an import. Throws 404 for a project that the caller may not see, 403 for a caller who does not own it, 400 where no
 * import is under way.
 */
export function cancelImport(ctx: Ctx, projectId: number): CanceledImport {
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
