import type { Ctx } from '../ctx.ts'

/** The payload of an event: ids and a few words. */
export type Payload = Readonly<Record<string, unknown>>

/** A rule of the live stream: who sees the events whose payload has one of these fields. */
export interface EventVisibility {
  readonly fields: readonly string[]
  /** The rule decides alone; no other rule is asked. */
  readonly decides?: boolean
  /** Undefined where the rule says nothing about the event. */
  may(ctx: Ctx, payload: Payload): boolean | undefined
}

/**
 * Whether a window may receive an event. Administrators receive all, and everybody what they did and what is about
 * themselves, also after they lost access. For all other events one rule has to say yes and none may say no. The payload holds ids only; the window reads the rest through the API.
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
    const known = Object.keys(fields).filter((field) => fields[field] !== undefined && fields[field] !== null)
    const asked = new Set(known.flatMap((field) => byField.get(field) ?? []))
    const deciding = [...asked].find((rule) => rule.decides)
    if (deciding) return deciding.may(ctx, fields) === true
    let isAllowed = false
    for (const rule of asked) {
      const answer = rule.may(ctx, fields)
      if (answer === false) return false
      if (answer) isAllowed = true
    }
    return isAllowed
  }
}

/** Events with this field are for everybody who is signed in. */
export function forEveryone(field: string): EventVisibility {
  return { fields: [field], decides: true, may: () => true }
}
