import { z } from 'zod'

import { entity, row } from '../../../http/entity.ts'
import { gatesShown, stateOf } from './gates.ts'
import type { FeatureRow } from './store.ts'

/** A feature with a stored setting (spec administration 13). Other features are not listed. */
export const InstanceFeature = entity(
  'InstanceFeature',
  {
    name: z.string(),
    state: z.enum(['on', 'off', 'conditional']),
    gates: z.array(
      z.strictObject({
        key: z.string(),
        value: z.union([z.boolean(), z.number(), z.array(z.string())]),
      }),
    ),
    definition: z.null(),
  },
  ({ name, gates }: FeatureRow) => ({
    name,
    state: stateOf(gates),
    gates: gatesShown(gates).map(({ key, value }) => ({
      key,
      value: typeof value === 'object' ? [...value] : value,
    })),
    definition: null,
  }),
)

/** The definition of a feature. */
export const FeatureDefinition = entity(
  'FeatureDefinition',
  {
    name: z.string(),
    introduced_by_url: z.string().nullable(),
    rollout_issue_url: z.string().nullable(),
    milestone: z.string().nullable(),
    type: z.string(),
    group: z.string().nullable(),
    default_enabled: z.boolean(),
  },
  row<{ name: string; type: string; default_enabled: boolean }>(),
  () => ({
    introduced_by_url: null,
    rollout_issue_url: null,
    milestone: null,
    group: null,
  }),
)
