import type { Entity } from '../../../http/entity.ts'
import { int } from '../../../http/params.ts'
import type { Ability, Openness, Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { project, type Project } from '../../projects/index.ts'
import type { TestOwner } from '../payloads/testing.ts'
import { abilities, groupAbilities } from '../policy.ts'
import { GroupHook, ProjectHook, SystemHook } from './entity.ts'
import type { HookKind, HookOwner } from './owner.ts'
import type { OpenHook } from './sealing.ts'

export const hook_id = int({ min: 1 }).describe('Id of the webhook')

/** What tells the webhooks of one kind of owner from those of others. */
export interface Owned {
  readonly kind: HookKind
  readonly at: `/${string}`
  /** In summaries: "of a project". */
  readonly of: string
  /** Scope and ability, as endpoints declare them. */
  readonly access: { readonly scope?: Scope<string, { readonly id: number }>; readonly can: never }
  readonly entity: Entity<OpenHook>
  placeOf(ctx: object): HookOwner
  testOwner(ctx: object): TestOwner
}

const access = (can: Ability<never> | Openness, scope?: unknown) =>
  ({ can, ...(scope ? { scope } : {}) }) as unknown as Owned['access']

const projectIn = (ctx: object) => (ctx as { project: Project }).project
const groupIn = (ctx: object) => (ctx as { group: Group }).group

export const ofProject: Owned = {
  kind: 'project',
  at: '/projects/:id/hooks',
  of: 'a project',
  access: access(abilities.manage_hooks as never, project),
  entity: ProjectHook as Entity<OpenHook>,
  placeOf: (ctx) => ({ kind: 'project', project_id: projectIn(ctx).id, group_id: null }),
  testOwner: (ctx) => ({ project: projectIn(ctx) }),
}

export const ofGroup: Owned = {
  kind: 'group',
  at: '/groups/:id/hooks',
  of: 'a group',
  access: access(groupAbilities.manage_group_hooks as never, group),
  entity: GroupHook as Entity<OpenHook>,
  placeOf: (ctx) => ({ kind: 'group', project_id: null, group_id: groupIn(ctx).id }),
  testOwner: (ctx) => ({ group: groupIn(ctx) }),
}

export const ofInstance: Owned = {
  kind: 'system',
  at: '/hooks',
  of: 'the instance',
  access: access('admin'),
  entity: SystemHook as Entity<OpenHook>,
  placeOf: () => ({ kind: 'system', project_id: null, group_id: null }),
  testOwner: () => 'system',
}
