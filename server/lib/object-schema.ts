import { z } from 'zod'

/** An object schema with a simple output type, because TypeScript cannot follow zod's own type through generics. */
export function objectSchema<const Shape extends z.ZodRawShape>(
  shape: Shape,
  make: (shape: Shape) => z.ZodObject = z.object,
): z.ZodType<z.output<z.ZodObject<Shape>>> {
  return make(shape) as unknown as z.ZodType<z.output<z.ZodObject<Shape>>>
}
