import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { CustomAttributeRemoved, CustomAttributeSet } from '../events.ts'
import type { CustomAttributeRow, OwnerKind } from './store.ts'
import * as store from './store.ts'

/** An owner of custom attributes. */
export interface AttributeOwner {
  readonly kind: OwnerKind
  readonly id: number
}

// The contract spells this error with a lowercase f (spec core 8.3).
const attributeNotFound = () => fail('not_found', '404 Not found')

function eventFields(ctx: Ctx, owner: AttributeOwner, key: string) {
  const name = owner.kind === 'namespace' ? 'group_id' : `${owner.kind}_id`
  return { [name]: owner.id, key, actor_id: ctx.actor.id }
}

/** Returns all attributes of an owner, ordered by key. */
export function listAttributes(ctx: Ctx, owner: AttributeOwner): CustomAttributeRow[] {
  return store.attributesOfOwners(ctx.db, owner.kind, [owner.id]).get(owner.id) ?? []
}

/** Returns one attribute. Throws `404 Not found`. */
export function getAttribute(ctx: Ctx, owner: AttributeOwner, key: string): CustomAttributeRow {
  const row = store.byKey(ctx.db, owner.kind, owner.id, key)
  if (!row) throw attributeNotFound()
  return row
}

/** Creates an attribute or changes its value. Throws 400 for an empty value. */
export function setAttribute(
  ctx: Ctx,
  owner: AttributeOwner,
  attribute: CustomAttributeRow,
): CustomAttributeRow {
  if (attribute.value.trim() === '') throw invalid({ value: "can't be blank" })
  tx(ctx.db, () => {
    store.put(ctx.db, owner.kind, owner.id, attribute, ctx.now)
    publish(ctx, CustomAttributeSet, eventFields(ctx, owner, attribute.key))
  })
  return attribute
}

/** Removes an attribute. Throws `404 Not found`. */
export function removeAttribute(ctx: Ctx, owner: AttributeOwner, key: string): void {
  tx(ctx.db, () => {
    if (!store.remove(ctx.db, owner.kind, owner.id, key)) throw attributeNotFound()
    publish(ctx, CustomAttributeRemoved, eventFields(ctx, owner, key))
  })
}
