import type { Ctx } from '../../ctx.ts'
import type { EventVisibility, Payload } from '../../events/visibility.ts'
import { canRead, isAble, type Ability } from '../../policy/ability.ts'
import type { Group } from './types.ts'
import { group } from './policy.ts'

/** The group of an event. For a deleted group this is its parent. */
function groupOf(ctx: Ctx, { group_id, parent_id }: Payload): Group | undefined {
  return group.load(ctx, String(group_id)) ?? (parent_id ? group.load(ctx, String(parent_id)) : undefined)
}

/** Events that name a project depend only on the project. */
const isOfGroup = (payload: Payload) =>
  typeof payload['project_id'] !== 'number' && typeof payload['group_id'] === 'number'

/** Shows events of a group to its readers. */
export const eventsOfGroups: EventVisibility = {
  fields: ['group_id'],
  may: (ctx, payload) => {
    if (!isOfGroup(payload)) return undefined
    const row = groupOf(ctx, payload)
    return row !== undefined && canRead(ctx, group, row)
  },
}

/** Shows events of a group with one of these fields only to users with the ability. */
export function groupEvents(fields: readonly string[], ability: Ability<Group>): EventVisibility {
  return {
    fields,
    may: (ctx, payload) => {
      if (!isOfGroup(payload)) return undefined
      const row = groupOf(ctx, payload)
      return row !== undefined && isAble(ctx, group, ability, row)
    },
  }
}
