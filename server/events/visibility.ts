import type { Ctx } from '../ctx.ts'

/** The payload of an event: IDs and short values. */
export type Payload = Readonly<Record<string, unknown>>

/** A rule of the live stream: who receives events with one of these payload fields. */
export interface EventVisibility {
  readonly fields: readonly string[]
  /** Whether this rule alone decides about events with these fields; no other rule is checked. */
  readonly decides?: boolean
  /** Whether the actor may receive the event. Undefined if the rule does not decide about it. */
  may(ctx: Ctx, payload: Payload): boolean | undefined
}

/**
 * Decides which users receive an event in the window. Administrators receive all events. A user receives events about
 * their own actions and about themselves, even after losing access. For other events one rule must allow it and none
 * may deny it. The payload contains only IDs; the window reads the rest through the API.
 */
export function visibilityOf(rules: readonly EventVisibility[]) {
  const byField = new Map<string, EventVisibility[]>()
  for (const rule of rules)
    for (const field of rule.fields) byField.set(field, [...(byField.get(field) ?? []), rule])
  return function mayReceive(ctx: Ctx, payload: unknown): boolean {
    if (ctx.actor.is_admin) return true
    const fields = payload as Payload
    const { id } = ctx.actor
    if (id !== null && (fields['user_id'] === id || fields['actor_id'] === id)) return true
    const fieldNames = Object.keys(fields).filter(
      (field) => fields[field] !== undefined && fields[field] !== null,
    )
    const visibilities = new Set(fieldNames.flatMap((field) => byField.get(field) ?? []))
    const deciding = [...visibilities].find((rule) => rule.decides)
    if (deciding) return deciding.may(ctx, fields) === true
    let isAllowed = false
    for (const rule of visibilities) {
      const answer = rule.may(ctx, fields)
      if (answer === false) return false
      if (answer) isAllowed = true
    }
    return isAllowed
  }
}

/** Shows events with this field to all signed-in users. */
export function forEveryone(field: string): EventVisibility {
  return { fields: [field], decides: true, may: () => true }
}
