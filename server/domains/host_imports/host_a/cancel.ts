import type { Ctx } from '../../../ctx.ts'
import { HOST_A } from '../../../http/aliases.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { OWNER } from '../../../policy/levels.ts'
import { cancelRun, runOf } from '../../imports/index.ts'
import { project as scope, projectById } from '../../projects/index.ts'
import type { CanceledImport } from './entity.ts'

/** Takes an import back. Throws 404 for what is none that the caller sees, 403 for who does not own it, 400 once it has ended. */
export function cancelImport(ctx: Ctx, projectId: number): CanceledImport {
  const project = projectById(ctx.db, projectId)
  if (!project || !canRead(ctx, scope, project) || project.import_type !== HOST_A) throw notFound('Project')
  const isOwner = ctx.actor.is_admin || scope.roleOf(ctx, project) >= OWNER
  if (!isOwner) throw fail('forbidden', 'Unauthorized access')
  return { project: cancelRun(ctx, project), run: runOf(ctx.db, projectId) }
}
