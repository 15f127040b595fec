import type { Ctx } from '../../../ctx.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { hookTime, projectBlock } from './blocks.ts'
import { groupNames } from './groups.ts'
import type { ExpiringToken } from './store.ts'

/**
 * Makes the event of a token that expires soon (spec administration 3.9, resource_access_token). Null if its owner is
 * deleted.
 */
export function accessTokenEvent(ctx: Ctx, token: ExpiringToken): HookEvent | null {
  const project = token.project_id === null ? undefined : projectById(ctx.db, token.project_id)
  const group = token.group_id === null ? undefined : namespaceById(ctx.db, token.group_id)
  const attributes = {
    object_kind: 'access_token',
    object_attributes: {
      user_id: token.user_id,
      created_at: hookTime(token.created_at),
      id: token.id,
      name: token.name,
      expires_at: token.expires_at,
    },
    event_name: 'expiring_access_token',
  }
  if (project) {
    const payload = { ...attributes, project: projectBlock(ctx, project) }
    return { kind: 'resource_access_token', project_id: project.id, payload }
  }
  if (!group) return null
  const payload = { ...attributes, group: groupNames(group) }
  return { kind: 'resource_access_token', group_id: group.id, payload }
}
