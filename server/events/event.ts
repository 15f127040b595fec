import type { z } from 'zod'

import { objectSchema } from '../lib/object-schema.ts'

/** A kind of event: something that happened, named in the past tense after its owner (`release.created`). */
export interface EventType<Payload = unknown> {
  readonly name: string
  readonly schema: z.ZodType<Payload>
  /** The field whose row is gone: subscribers see to what it left, and do not end because it is not there. */
  readonly ends?: string
}

/** Declares a kind of event. Payloads carry ids and what changed, never whole records, never commands. */
export function event<const Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  options: { ends?: keyof Shape & string } = {},
): EventType<z.output<z.ZodObject<Shape>>> {
  return { name, schema: objectSchema(shape), ...options }
}
