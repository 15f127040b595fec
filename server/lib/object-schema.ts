import { z } from 'zod'

/**
 * The schema of an object as one that gives its values, which zod's own type says in a way that TypeScript does not follow
 * through generics.
 */
export function objectSchema<const Shape extends z.ZodRawShape>(
  shape: Shape,
  make: (shape: Shape) => z.ZodObject = z.object,
): z.ZodType<z.output<z.ZodObject<Shape>>> {
  return make(shape) as unknown as z.ZodType<z.output<z.ZodObject<Shape>>>
}
