import type { EventVisibility, Payload } from '../../events/visibility.ts'
import { canRead, hasAbility, type Ability } from '../../policy/ability.ts'
import type { Ctx } from '../../ctx.ts'
import type { Project } from './types.ts'
import { project } from './service-scope.ts'

function projectOf(ctx: Ctx, { project_id: id }: Payload): Project | undefined {
  return project.load(ctx, String(id))
}

/** Events of a project are visible to its readers. */
export const eventsOfProjects: EventVisibility = {
  fields: ['project_id'],
  may: (ctx, payload) => {
    const row = projectOf(ctx, payload)
    return row !== undefined && canRead(ctx, project, row)
  },
}

/** Events of a project with one of these fields are visible to actors with the ability. */
export function projectEvents(fields: readonly string[], ability: Ability<Project>): EventVisibility {
  return projectEventsWhere(fields, (ctx, row) => hasAbility(ctx, project, ability, row))
}

/** Events of a project with one of these fields are visible to actors for whom `may` is true. */
export function projectEventsWhere(
  fields: readonly string[],
  may: (ctx: Ctx, row: Project, payload: Payload) => boolean,
): EventVisibility {
  return {
    fields,
    may: (ctx, payload) => {
      if (typeof payload['project_id'] !== 'number') return undefined
      const row = projectOf(ctx, payload)
      return row !== undefined && may(ctx, row, payload)
    },
  }
}
