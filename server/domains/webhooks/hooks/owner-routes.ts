import type { Entity } from '../../../http/entity.ts'
import { int } from '../../../http/params.ts'
import type { Ability, Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { project, type Project } from '../../projects/index.ts'
import type { TestOwner } from '../payloads/testing.ts'
import { abilities, groupAbilities } from '../policy.ts'
import { GroupHook, ProjectHook, SystemHook } from './entity.ts'
import type { HookKind, HookOwner, OpenHook } from './hook.ts'

export const hook_id = int({ min: 1 }).describe('The ID of the webhook')

/** Scope and ability, as endpoints declare them. */
interface Access {
  readonly scope: Scope<'project', Project> | Scope<'group', Group> | undefined
  readonly can: Ability<Project> | Ability<Group> | 'admin'
}

/** A kind of owner, with everything that its webhook endpoints need. */
export interface HookOwnerKind {
  readonly kind: HookKind
  /** The first words of summaries: "project webhooks". */
  readonly name: string
  readonly at: `/${string}`
  readonly access: Access
  readonly entity: Entity<OpenHook>
}

export const projectOwner: HookOwnerKind = {
  kind: 'project',
  name: 'project',
  at: '/projects/:id/hooks',
  access: { scope: project, can: abilities.manage_hooks },
  entity: ProjectHook,
}

export const groupOwner: HookOwnerKind = {
  kind: 'group',
  name: 'group',
  at: '/groups/:id/hooks',
  access: { scope: group, can: groupAbilities.manage_group_hooks },
  entity: GroupHook,
}

export const instanceOwner: HookOwnerKind = {
  kind: 'system',
  name: 'system',
  at: '/hooks',
  access: { scope: undefined, can: 'admin' },
  entity: SystemHook,
}

/**
 * The context of a request, with the owner of the path under the name of its scope. For the instance there is no owner.
 */
type OwnerContext = { readonly project: Project } | { readonly group: Group } | object

/** Returns the owner that a request's path names. */
export function ownerIn(ctx: OwnerContext): HookOwner {
  if ('project' in ctx) return { kind: 'project', project_id: ctx.project.id, group_id: null }
  if ('group' in ctx) return { kind: 'group', project_id: null, group_id: ctx.group.id }
  return { kind: 'system', project_id: null, group_id: null }
}

/** Returns the owner of the data for test events. */
export function testOwnerIn(ctx: OwnerContext): TestOwner {
  if ('project' in ctx) return { project: ctx.project }
  return 'group' in ctx ? { group: ctx.group } : 'system'
}
