import type { Ctx } from '../../../ctx.ts'
import type { Actor } from '../../../policy/actor.ts'
import { GUEST } from '../../../policy/levels.ts'
import { roleOnNamespace } from '../../members/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { project as scope, type Project } from '../../projects/index.ts'

/** Who asks, as protections see it. */
export interface Pusher {
  readonly actor: Actor
  /** Level on the project. */
  readonly role: number
  /** Whether they belong to a group, also by a group above or one that was invited into it. */
  isMemberOf(groupId: number): boolean
}

/** The actor of the context as protections of a project see it. */
export function pusherOf(ctx: Ctx, project: Project): Pusher {
  return {
    actor: ctx.actor,
    role: scope.roleOf(ctx, project),
    isMemberOf(groupId) {
      const group = namespaceById(ctx.db, groupId)
      return group !== undefined && roleOnNamespace(ctx, group) >= GUEST
    },
  }
}

/** The deploy key that pushes; undefined for everybody else. */
export function deployKeyOf(actor: Actor): number | undefined {
  return actor.kind === 'deploy_key' ? actor.key_id : undefined
}
