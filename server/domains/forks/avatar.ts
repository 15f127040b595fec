import type { Ctx } from '../../ctx.ts'
import { keepCopy } from '../../lib/durable-file.ts'
import { updateProjectRow, type Project } from '../projects/index.ts'
import { avatarFile } from '../storage/index.ts'

/** Gives a fork the picture of its original. A picture that cannot be copied is no reason to have no fork. */
export async function copyAvatar(ctx: Ctx, source: Project, fork: Project): Promise<Project> {
  const { avatar } = source
  if (avatar === null) return fork
  const to = avatarFile(ctx.config, 'project', fork.id, avatar)
  try {
    await keepCopy(avatarFile(ctx.config, 'project', source.id, avatar), to)
  } catch (error) {
    ctx.log.warn({ err: error, project_id: fork.id }, 'the picture of a project could not be copied')
    return fork
  }
  return updateProjectRow(ctx.db, fork.id, { avatar })
}
