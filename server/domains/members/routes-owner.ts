import type { Ctx } from '../../ctx.ts'
import type { Ability, Scope } from '../../policy/ability.ts'
import type { MemberSource } from './types.ts'
import type { Managed } from './validation.ts'

/** Abilities that the membership endpoints require, on their type of owner. */
export interface MemberAbilities<Owner> {
  readonly read: Ability<Owner>
  readonly manage: Ability<Owner>
  /** Lets members end their own membership, and lets users who see the owner request access. */
  readonly leave: Ability<Owner>
}

/** The context of a request with its loaded owner, under the name of the owner's scope. */
export type OwnerContext<Name extends string, Owner> = Ctx & { readonly [Key in Name]: Owner }

/** A type of owner that has members: projects or groups. */
export interface MemberOwner<Name extends string, Owner> {
  readonly scope: Scope<Name, Owner>
  /** The type of owner in summaries. */
  readonly noun: Name
  /** First segments of the path, `/projects/:id`. */
  readonly at: `/${string}`
  readonly can: MemberAbilities<Owner>
  ownerOf(ctx: OwnerContext<Name, Owner>): Owner
  source(ctx: OwnerContext<Name, Owner>): MemberSource
  /** Returns the owner of the request with the highest access level that the caller may grant. */
  managed(ctx: OwnerContext<Name, Owner>): Managed
}

/** Describes a type of owner for the membership endpoints. */
export function memberOwner<Name extends string, Owner>(
  scope: Scope<Name, Owner>,
  can: MemberAbilities<Owner>,
  toSource: (owner: Owner) => MemberSource,
): MemberOwner<Name, Owner> {
  const ownerOf = (ctx: OwnerContext<Name, Owner>): Owner => ctx[scope.name]
  return {
    scope,
    noun: scope.name,
    at: `/${scope.plural}/:id`,
    can,
    ownerOf,
    source: (ctx) => toSource(ownerOf(ctx)),
    managed: (ctx) => ({
      source: toSource(ownerOf(ctx)),
      level: ctx.actor.is_admin ? Infinity : scope.roleOf(ctx, ownerOf(ctx)),
    }),
  }
}
