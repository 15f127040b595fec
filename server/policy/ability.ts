import type { Ctx } from '../ctx.ts'
import { seesAll, type Actor } from './actor.ts'
import { REPORTER, type Level } from './levels.ts'

/** How open a feature of an owner is: to all who see the owner, to members only, or switched off. */
export type FeatureLevel = 'enabled' | 'private' | 'disabled'

/**
 * What a route is about, loaded from its path: a project or a group. Owned by its domain; the kernel only receives it.
 * `Name` is the key under which `run` finds the loaded owner.
 */
export interface Scope<Name extends string = string, Owner = unknown> {
  readonly name: Name
  /** First path segment, `projects` or `groups`; lets one function declare the twins of both owners. */
  readonly plural: string
  /** The path parameter that names the owner. */
  readonly param: string
  /** The thing in `404 Project Not Found`. */
  readonly title: string
  /** By numeric id or full path; undefined when there is none. */
  load(ctx: Ctx, reference: string): Owner | undefined
  /** The owner that an old full path led to before it was renamed or moved. */
  moved?(ctx: Ctx, reference: string): (Owner & { readonly id: number }) | undefined
  /** The actor's level on the owner, inherited and shared ones included; 0 for none. */
  roleOf(ctx: Ctx, owner: Owner): number
  /** True when the owner's visibility alone lets the actor see it. */
  openTo(actor: Actor, owner: Owner): boolean
  /** How open a feature is; owners without features leave this out. */
  feature?(owner: Owner, feature: string): FeatureLevel
  /**
   * Asks whoever else has a say in who may come to an owner; undefined where nobody has. Rejects with 403 for whom they
   * refuse.
   */
  admits?(ctx: Ctx, owner: Owner): Promise<void> | undefined
  /** True while somebody else has a say, so that no answer may be kept. */
  asksOthers?(ctx: Ctx): boolean
  /** True when the owner takes no writes. */
  archived?(owner: Owner): boolean
}

/** One rule of a `policy.ts`: data, not code. */
export interface AbilityRule<Owner> {
  /** The lowest level that has the ability. */
  readonly from: Level
  /** Switched off together with this feature. */
  readonly feature?: string
  /** Also anyone to whom the owner is open by its visibility. */
  readonly public?: boolean
  /** Where it says false, `public` does not count and reporters are the least: CI that is not open to all who see it. */
  openWhen?(owner: Owner): boolean
  /** Stays possible while the owner is archived (reads always are). */
  readonly archived?: boolean
  /** What who may not is told, where the contract wants another answer than 403: to sign in as others, or that there is nothing. */
  readonly refusal?: 'unauthorized' | 'not_found'
  /** A condition beyond levels; administrators must meet it too. */
  when?(actor: Actor, owner: Owner): boolean
}

/** A named rule on one kind of owner. A misspelt or foreign ability on a route does not compile. */
export interface Ability<Owner = unknown> extends AbilityRule<Owner> {
  readonly name: string
  readonly scope: string
  /** Keeps abilities of different owners apart in the type checker; never set. */
  readonly owner?: (owner: Owner) => void
}

/** Openness said aloud, for routes without an owner. */
export type Openness = 'anyone' | 'signed_in' | 'admin'

/** Names rules on an owner: `abilitiesOn(project, { read_release: { from: GUEST, feature: 'releases' } })`. */
export function abilitiesOn<Owner, const Rules extends Record<string, AbilityRule<Owner>>>(
  scope: Scope<string, Owner>,
  rules: Rules,
): { readonly [Name in keyof Rules]: Ability<Owner> } {
  const named = Object.entries(rules).map(([name, rule]) => [name, { ...rule, name, scope: scope.name }])
  return Object.fromEntries(named) as { [Name in keyof Rules]: Ability<Owner> }
}

/** True when the actor may know that the owner exists. */
export function canRead<Owner>(ctx: Ctx, scope: Scope<string, Owner>, owner: Owner): boolean {
  return seesAll(ctx.actor) || scope.openTo(ctx.actor, owner) || scope.roleOf(ctx, owner) > 0
}

/** What auditors may: everything named as reading that reporters may. */
function isReading<Owner>(ability: AbilityRule<Owner>): boolean {
  return ability.from <= REPORTER && (ability as Partial<Ability>).name?.startsWith('read_') === true
}

/**
 * The decision. `write` says whether the request changes something (an archived owner takes none).
 * A feature that is switched off denies everybody, administrators included.
 */
export function isAble<Owner>(
  ctx: Ctx,
  scope: Scope<string, Owner>,
  ability: AbilityRule<Owner>,
  owner: Owner,
  write = false,
): boolean {
  const feature = ability.feature ? (scope.feature?.(owner, ability.feature) ?? 'enabled') : 'enabled'
  if (feature === 'disabled') return false
  if (write && !ability.archived && scope.archived?.(owner)) return false
  if (ability.when && !ability.when(ctx.actor, owner)) return false
  if (ctx.actor.is_admin) return true
  if (!write && seesAll(ctx.actor) && isReading(ability)) return true
  const isOpen = ability.openWhen?.(owner) ?? true
  if (isOpen && ability.public && feature === 'enabled' && scope.openTo(ctx.actor, owner)) return true
  return scope.roleOf(ctx, owner) >= (isOpen ? ability.from : Math.max(ability.from, REPORTER))
}
