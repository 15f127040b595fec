import type { Ctx } from '../../../ctx.ts'
import { featureFlagById } from '../../feature_flags/index.ts'
import { projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { projectBlock, userBlockOf } from './blocks/index.ts'
import { userUrl } from './links.ts'

/** A feature flag and who switched it; `active` as it was then. */
interface Toggled {
  readonly feature_flag_id: number
  readonly actor_id: number | null
  readonly active?: boolean
}

/** The event of a feature flag that was switched on or off (spec administration 3.9); null where it is gone. */
export function featureFlagEvent(ctx: Ctx, told: Toggled): HookEvent | null {
  const flag = featureFlagById(ctx.db, told.feature_flag_id)
  const project = flag && projectById(ctx.db, flag.project_id)
  if (!project) return null
  const user = userBlockOf(ctx, told.actor_id)
  const payload = {
    object_kind: 'feature_flag',
    project: projectBlock(ctx, project),
    user,
    user_url: user && userUrl(ctx, user),
    object_attributes: {
      id: flag.id,
      name: flag.name,
      description: flag.description,
      active: told.active ?? flag.active,
    },
  }
  return { kind: 'feature_flag', project_id: project.id, payload }
}
