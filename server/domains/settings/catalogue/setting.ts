import type { z } from 'zod'

/** One setting: how it is written, how it is read, and its value until somebody changes it. */
export interface Setting {
  readonly param: z.ZodType
  readonly value: z.ZodType
  readonly default: unknown
}

/** Declares a setting; its parameter may always be left out. */
export function setting<Value extends z.ZodType>(
  param: z.ZodType,
  value: Value,
  initial: z.output<Value>,
): { param: z.ZodType; value: Value; default: z.output<Value> } {
  return { param: param.optional(), value, default: initial }
}
