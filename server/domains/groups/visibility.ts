import type { Ctx } from '../../ctx.ts'
import type { EventVisibility, Payload } from '../../events/visibility.ts'
import { canRead, hasAbility, type Ability } from '../../policy/ability.ts'
import type { Group } from './types.ts'
import { group } from './policy.ts'

/** Returns the group of an event, or the parent of a deleted group. */
function groupOf(ctx: Ctx, { group_id, parent_id }: Payload): Group | undefined {
  return group.load(ctx, String(group_id)) ?? (parent_id ? group.load(ctx, String(parent_id)) : undefined)
}

/** Returns true for an event of a group. An event with a project depends only on the project. */
const isOfGroup = (payload: Payload) =>
  typeof payload['project_id'] !== 'number' && typeof payload['group_id'] === 'number'

/** Events of a group are visible to its readers. */
export const eventsOfGroups: EventVisibility = {
  fields: ['group_id'],
  may: (ctx, payload) => {
    if (!isOfGroup(payload)) return undefined
    const row = groupOf(ctx, payload)
    return row !== undefined && canRead(ctx, group, row)
  },
}

/** Events of a group with one of these fields are visible to actors with the ability. */
export function groupEvents(fields: readonly string[], ability: Ability<Group>): EventVisibility {
  return {
    fields,
    may: (ctx, payload) => {
      if (!isOfGroup(payload)) return undefined
      const row = groupOf(ctx, payload)
      return row !== undefined && hasAbility(ctx, group, ability, row)
    },
  }
}
