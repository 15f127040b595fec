import { describe, expect, it } from 'vitest'

import type { Ctx } from '../../../server/ctx.ts'
import {
  abilitiesOn,
  canRead,
  hasAbility,
  type AbilityRule,
  type FeatureLevel,
  type Scope,
} from '../../../server/policy/ability.ts'
import { anonymous, system, type Actor, type UserActor } from '../../../server/policy/actor.ts'
import { DEVELOPER, GUEST, MEMBER_LEVELS, OWNER, type Visibility } from '../../../server/policy/levels.ts'

interface Item {
  visibility: Visibility
  feature: FeatureLevel
  archived: boolean
  /** The access level of the signed-in user on the item. */
  level: number
}

const item: Scope<'item', Item> = {
  name: 'item',
  plural: 'items',
  param: 'id',
  title: 'Item',
  load: () => undefined,
  roleOf: (ctx, owner) => (ctx.actor.kind === 'user' ? owner.level : 0),
  openTo: (actor, owner) =>
    owner.visibility === 'public' ||
    (owner.visibility === 'internal' && actor.kind === 'user' && !actor.external),
  feature: (owner) => owner.feature,
  archived: (owner) => owner.archived,
}

const user: UserActor = {
  kind: 'user',
  id: 1,
  username: 'u',
  name: 'U',
  email: 'u@example.test',
  is_admin: false,
  external: false,
  scopes: null,
  via: 'session',
}
const actors = {
  anonymous,
  user,
  external: { ...user, external: true },
  admin: { ...user, is_admin: true },
  system,
}
const levels = [0, ...MEMBER_LEVELS]
const visibilities: Visibility[] = ['private', 'internal', 'public']
const features: FeatureLevel[] = ['enabled', 'private', 'disabled']

const owners: Item[] = levels.flatMap((level) =>
  visibilities.flatMap((visibility) =>
    features.flatMap((feature) =>
      [false, true].map((archived) => ({ level, visibility, feature, archived })),
    ),
  ),
)

const as = (actor: Actor): Ctx => ({ actor }) as Ctx

/** Every combination of a user and an item. */
function table() {
  return (Object.entries(actors) as [keyof typeof actors, Actor][]).flatMap(([who, actor]) =>
    owners
      .filter((owner) => actor.kind === 'user' || owner.level === 0)
      .map((owner) => ({ who, actor, owner })),
  )
}

const seesByVisibility = (who: string, visibility: Visibility): boolean =>
  visibility === 'public' || (visibility === 'internal' && (who === 'user' || who === 'admin'))

describe('the permission to see an owner', () => {
  it('belongs to administrators, members, and the users that its visibility includes', () => {
    for (const { who, actor, owner } of table()) {
      const expected =
        who === 'admin' || who === 'system' || owner.level > 0 || seesByVisibility(who, owner.visibility)
      expect([who, owner, canRead(as(actor), item, owner)]).toEqual([who, owner, expected])
    }
  })
})

describe('the decision', () => {
  const rules: Record<string, AbilityRule<Item>> = {
    open: { from: GUEST, feature: 'f', public: true },
    closed: { from: DEVELOPER, feature: 'f' },
    free: { from: DEVELOPER },
    whileArchived: { from: OWNER, archived: true },
    openWithout: { from: GUEST, public: true },
  }

  it.each(Object.entries(rules))('follows level, feature, visibility and archive: %s', (_, rule) => {
    for (const write of [false, true])
      for (const { who, actor, owner } of table()) {
        const feature = rule.feature ? owner.feature : 'enabled'
        const isFrozen = write && owner.archived && !rule.archived
        const byLevel = who === 'admin' || who === 'system' || owner.level >= rule.from
        const byOpenness =
          rule.public === true && feature === 'enabled' && seesByVisibility(who, owner.visibility)
        const expected = feature !== 'disabled' && !isFrozen && (byLevel || byOpenness)
        expect([who, owner, write, hasAbility(as(actor), item, rule, owner, write)]).toEqual([
          who,
          owner,
          write,
          expected,
        ])
      }
  })

  it('allows a private feature of a public owner for members only', () => {
    const owner: Item = { visibility: 'public', feature: 'private', archived: false, level: 0 }
    expect(hasAbility(as(user), item, rules['open']!, owner)).toBe(false)
    expect(hasAbility(as(user), item, rules['open']!, { ...owner, level: GUEST })).toBe(true)
  })

  it('checks an additional condition for administrators, too', () => {
    const owner: Item = { visibility: 'public', feature: 'enabled', archived: false, level: OWNER }
    const never: AbilityRule<Item> = { from: GUEST, public: true, when: () => false }
    for (const actor of Object.values(actors)) expect(hasAbility(as(actor), item, never, owner)).toBe(false)
  })

  it('never allows an unknown level', () => {
    const owner: Item = { visibility: 'private', feature: 'enabled', archived: false, level: NaN }
    expect(hasAbility(as(user), item, rules['free']!, owner)).toBe(false)
  })
})

describe('named rules', () => {
  it('carry their name and their scope', () => {
    const abilities = abilitiesOn(item, { read_item: { from: GUEST, public: true } })
    expect(abilities.read_item).toEqual({ name: 'read_item', scope: 'item', from: GUEST, public: true })
  })
})
