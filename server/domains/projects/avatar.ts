import type { Ctx } from '../../ctx.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { removeAvatar, saveAvatar } from '../uploads/index.ts'
import type { Project } from './project.ts'
import * as store from './store.ts'

/** Puts the picture of a project at its place, or takes it away (null). Throws 400 `{avatar: […]}`. */
export async function keepAvatar(ctx: Ctx, project: Project, file: UploadedFile | null): Promise<Project> {
  const avatar = file ? await saveAvatar(ctx, 'project', project.id, file) : null
  if (!file) await removeAvatar(ctx, 'project', project.id)
  return store.update(ctx.db, project.id, { avatar, updated_at: ctx.now })
}
