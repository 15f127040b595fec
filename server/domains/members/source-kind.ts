import type { Ctx } from '../../ctx.ts'
import type { Ability, Scope } from '../../policy/ability.ts'
import type { MemberSource } from './source.ts'
import type { Managed } from './terms.ts'

/** Abilities that the twin endpoints ask for, on their own kind of owner. */
export interface MemberAbilities<Owner> {
  readonly read: Ability<Owner>
  readonly manage: Ability<Owner>
  /** Every member: to end the own membership. Everybody who sees the owner: to ask for one. */
  readonly leave: Ability<Owner>
}

/** What the membership endpoints of projects and those of groups differ in. */
export interface MemberSourceKind {
  readonly scope: Scope
  readonly thing: 'project' | 'group'
  /** First segments of the address, `/projects/:id`. */
  readonly at: `/${string}`
  readonly can: { readonly read: never; readonly manage: never; readonly leave: never }
  readonly abilities: MemberAbilities<unknown>
  ownerOf(ctx: object): unknown
  place(ctx: object): MemberSource
  managed(ctx: Ctx): Managed
}

/** Puts together what one kind of owner brings to the endpoints below it. */
export function kindOf<Name extends string, Owner>(
  scope: Scope<Name, Owner>,
  abilities: MemberAbilities<Owner>,
  placeOf: (owner: Owner) => MemberSource,
): MemberSourceKind {
  // The owner's key is the scope's name, which the type checker cannot follow through a type parameter.
  const ownerOf = (ctx: object): Owner => (ctx as Record<string, Owner>)[scope.name]!
  const source = (ctx: object): MemberSource => placeOf(ownerOf(ctx))
  return {
    scope: scope as unknown as Scope,
    thing: scope.name as 'project' | 'group',
    at: `/${scope.plural}/:id`,
    can: abilities as unknown as MemberSourceKind['can'],
    abilities: abilities as unknown as MemberAbilities<unknown>,
    ownerOf,
    place: source,
    managed: (ctx) => ({
      source: source(ctx),
      level: ctx.actor.is_admin ? Infinity : scope.roleOf(ctx, ownerOf(ctx)),
    }),
  }
}
