import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import { gatesShown, stateOf } from './gates.ts'
import type { FeatureRow } from './store.ts'

/** A feature of the instance as it was set (spec administration 13). Features that were not set are not listed. */
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

/** What is known of a feature beforehand. */
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
  (one: { name: string; type: string; default_enabled: boolean }) => ({
    name: one.name,
    introduced_by_url: null,
    rollout_issue_url: null,
    milestone: null,
    type: one.type,
    group: null,
    default_enabled: one.default_enabled,
  }),
)
