import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { VariableRow } from './store.ts'

/** A variable with its plain value. */
export interface OpenVariable {
  readonly row: VariableRow
  readonly value: string
}

const fields = {
  variable_type: z.enum(['env_var', 'file']),
  key: z.string(),
  value: z.string(),
  protected: z.boolean(),
  masked: z.boolean(),
  raw: z.boolean(),
}

function presentBasic({ row, value }: OpenVariable) {
  return {
    variable_type: row.variable_type,
    key: row.key,
    value,
    protected: row.protected,
    masked: row.masked,
    raw: row.raw,
  }
}

/** A variable of a project or group (spec ci 2.9). */
export const Variable = entity(
  'Variable',
  { ...fields, environment_scope: z.string(), description: z.string().nullable() },
  (variable: OpenVariable) => ({
    ...presentBasic(variable),
    environment_scope: variable.row.environment_scope,
    description: variable.row.description,
  }),
)

/** A variable of the instance, which applies to all environments. */
export const InstanceVariable = entity(
  'InstanceVariable',
  { ...fields, description: z.string().nullable() },
  (variable: OpenVariable) => ({ ...presentBasic(variable), description: variable.row.description }),
)
