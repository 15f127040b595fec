import type { z } from 'zod'

import { lazyObjectSchema } from '../lib/object-schema.ts'

/** A kind of event: something that happened, named in the past tense after its owner (`release.created`). */
export interface EventType<Payload = unknown> {
  readonly name: string
  readonly schema: () => z.ZodType<Payload>
  /** The field with the ID of the row that the event deletes. Subscribers run although the row is deleted. */
  readonly ends?: string
}

/** Declares a kind of event. Payloads contain IDs and what changed, but no whole records and no commands. */
export function event<const Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  options: { ends?: keyof Shape & string } = {},
): EventType<z.output<z.ZodObject<Shape>>> {
  return { name, schema: lazyObjectSchema(shape), ...options }
}
