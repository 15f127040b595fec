import type { Ctx } from '../../../ctx.ts'
import { ZERO_ID } from '../../../git/names.ts'
import { projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { projectBlock, userBlockOf } from './blocks/index.ts'

/** Refs of a project that one push moved. */
export interface Moved {
  readonly project_id: number
  readonly actor_id: number | null
  readonly updates: readonly {
    readonly ref: string
    readonly old: string | null
    readonly new: string | null
  }[]
}

/** The one event of a push, however many refs it moved (spec administration 3.10); null where the project is gone. */
export function repositoryUpdateEvent(ctx: Ctx, moved: Moved): HookEvent | null {
  const project = projectById(ctx.db, moved.project_id)
  if (!project) return null
  const user = userBlockOf(ctx, moved.actor_id)
  const changes = moved.updates.map((one) => ({
    before: one.old ?? ZERO_ID,
    after: one.new ?? ZERO_ID,
    ref: one.ref,
  }))
  const payload = {
    event_name: 'repository_update',
    user_id: moved.actor_id,
    user_name: user?.name ?? null,
    user_email: user?.email ?? null,
    user_avatar: user?.avatar_url ?? null,
    project_id: project.id,
    project: projectBlock(ctx, project),
    changes,
    refs: [...new Set(moved.updates.map((one) => one.ref))],
  }
  return { kind: 'repository_update', project_id: project.id, payload }
}
