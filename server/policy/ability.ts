import type { Ctx } from '../ctx.ts'
import { seesAll, type Actor } from './actor.ts'
import { REPORTER, type Level } from './levels.ts'

/** Who may use a feature: all users who see the owner, only members, or nobody. */
export type FeatureLevel = 'enabled' | 'private' | 'disabled'

/**
 * The owner type of a route, loaded from its path: a project or a group. Its domain defines it. `run` gets the loaded
 * owner under the key `Name`.
 */
export interface Scope<Name extends string = string, Owner = unknown> {
  readonly name: Name
  /** First path segment, `projects` or `groups`. One function can declare the endpoints of both owners with it. */
  readonly plural: string
  /** The path parameter that names the owner. */
  readonly param: string
  /** The noun in `404 Project Not Found`. */
  readonly title: string
  /** Finds an owner by numeric ID or full path. Undefined if there is none. */
  load(ctx: Ctx, reference: string): Owner | undefined
  /** Finds the owner that had this full path before it was renamed or moved. */
  moved?(ctx: Ctx, reference: string): (Owner & { readonly id: number }) | undefined
  /** Returns the actor's access level on the owner, including inherited and shared ones. 0 for none. */
  roleOf(ctx: Ctx, owner: Owner): number
  /** Whether the owner's visibility alone lets the actor see it. */
  openTo(actor: Actor, owner: Owner): boolean
  /** Returns who may use a feature. Owners without features leave this out. */
  feature?(owner: Owner, feature: string): FeatureLevel
  /**
   * Checks access with an external authorization service. Undefined if there is none. Rejects with 403 when the service
   * refuses.
   */
  admits?(ctx: Ctx, owner: Owner): Promise<void> | undefined
  /** Whether an external authorization service decides about access. Its decision may change, so no answer is cached. */
  isExternallyDecided?(ctx: Ctx): boolean
  /** Whether the owner is read-only. */
  archived?(owner: Owner): boolean
}

/** One rule of a `policy.ts`: data, not code. */
export interface AbilityRule<Owner> {
  /** The lowest level that has the ability. */
  readonly from: Level
  /** The ability is denied while this feature is disabled. */
  readonly feature?: string
  /** Whether all users who see the owner by its visibility have the ability, too. */
  readonly public?: boolean
  /**
   * If it returns false, `public` does not count and the level must be Reporter or higher. Projects with private
   * pipelines use it.
   */
  openWhen?(owner: Owner): boolean
  /** Whether the ability is allowed while the owner is archived. Reading is always allowed. */
  readonly archived?: boolean
  /** Callers without credentials never have the ability. They get 401, even if they may not see the owner. */
  readonly signedIn?: boolean
  /** The error for a signed-in caller without the ability, if the contract has another one than 403. */
  readonly refusal?: 'unauthorized' | 'not_found'
  /** A further condition, also for administrators. */
  when?(actor: Actor, owner: Owner): boolean
}

/**
 * A named rule for one owner type. A route with a misspelled ability, or with one of another owner, does not compile.
 */
export interface Ability<Owner = unknown> extends AbilityRule<Owner> {
  readonly name: string
  readonly scope: string
  /** Separates abilities of different owners in the type checker. It is never set. */
  readonly owner?: (owner: Owner) => void
}

/** Who may call a route without an owner. */
export type Openness = 'anyone' | 'signed_in' | 'admin'

/** Declares abilities: `abilitiesOn(project, { read_release: { from: GUEST, feature: 'releases' } })`. */
export function abilitiesOn<Owner, const Rules extends Record<string, AbilityRule<Owner>>>(
  scope: Scope<string, Owner>,
  rules: Rules,
): { readonly [Name in keyof Rules]: Ability<Owner> } {
  const entries = Object.entries(rules).map(([name, rule]) => [name, { ...rule, name, scope: scope.name }])
  return Object.fromEntries(entries) as { [Name in keyof Rules]: Ability<Owner> }
}

/** Whether the actor may know that the owner exists. */
export function canRead<Owner>(ctx: Ctx, scope: Scope<string, Owner>, owner: Owner): boolean {
  return seesAll(ctx.actor) || scope.openTo(ctx.actor, owner) || scope.roleOf(ctx, owner) > 0
}

/** Auditors have all `read_…` abilities of Reporters. */
function isReading<Owner>(ability: AbilityRule<Owner>): boolean {
  return ability.from <= REPORTER && (ability as Partial<Ability>).name?.startsWith('read_') === true
}

/**
 * Decides whether the actor has an ability. `write`: the request changes something, which is refused for an archived
 * owner. An ability of a disabled feature is denied to all users, even administrators.
 */
export function hasAbility<Owner>(
  ctx: Ctx,
  scope: Scope<string, Owner>,
  ability: AbilityRule<Owner>,
  owner: Owner,
  write = false,
): boolean {
  const feature = ability.feature ? (scope.feature?.(owner, ability.feature) ?? 'enabled') : 'enabled'
  if (feature === 'disabled') return false
  if (write && !ability.archived && scope.archived?.(owner)) return false
  if (ability.signedIn && ctx.actor.kind === 'anonymous') return false
  if (ability.when && !ability.when(ctx.actor, owner)) return false
  if (ctx.actor.is_admin) return true
  if (!write && seesAll(ctx.actor) && isReading(ability)) return true
  const isOpen = ability.openWhen?.(owner) ?? true
  if (isOpen && ability.public && feature === 'enabled' && scope.openTo(ctx.actor, owner)) return true
  return scope.roleOf(ctx, owner) >= (isOpen ? ability.from : Math.max(ability.from, REPORTER))
}
