import { z } from 'zod'

/** An object schema with a simple output type, because TypeScript cannot follow zod's own type through generics. */
export function objectSchema<const Shape extends z.ZodRawShape>(
  shape: Shape,
  make: (shape: Shape) => z.ZodObject = z.object,
): z.ZodType<z.output<z.ZodObject<Shape>>> {
  return make(shape) as unknown as z.ZodType<z.output<z.ZodObject<Shape>>>
}

/** Returns a function that makes the schema at its first call: a start needs few schemas of the hundreds it declares. */
export function lazyObjectSchema<const Shape extends z.ZodRawShape>(
  shape: Shape,
): () => z.ZodType<z.output<z.ZodObject<Shape>>> {
  let schema: z.ZodType<z.output<z.ZodObject<Shape>>> | undefined
  return () => (schema ??= objectSchema(shape))
}
