import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { replaceAvatar } from '../storage/index.ts'
import { ProjectUpdated } from './events.ts'
import type { Project } from './project.ts'
import * as store from './store.ts'

/** Puts the picture of a project at its place, or takes it away (null). Throws 400 `{avatar: […]}`. */
export async function keepAvatar(ctx: Ctx, project: Project, file: UploadedFile | null): Promise<Project> {
  return replaceAvatar(ctx, 'project', project.id, file, (avatar) =>
    tx(ctx.db, () => {
      publish(ctx, ProjectUpdated, { project_id: project.id, actor_id: ctx.actor.id, changed: ['avatar'] })
      return store.update(ctx.db, project.id, { avatar, updated_at: ctx.now })
    }),
  )
}
