import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { Feature } from './features.ts'
import type { FlagClient } from './service.ts'

const feature = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  enabled: z.boolean(),
  strategies: z.array(z.strictObject({ name: z.string(), parameters: z.record(z.string(), z.string()) })),
})

/** The feature flags as SDKs read them (spec ci 7.1). */
export const ClientFeatures = entity(
  'ClientFeatures',
  { version: z.literal(1), features: z.array(feature) },
  (features: readonly Feature[]) => ({
    version: 1 as const,
    features: features.map(({ name, description, enabled, strategies }) => ({
      name,
      ...(description === null ? {} : { description }),
      enabled,
      strategies: strategies.map((one) => ({ name: one.name, parameters: { ...one.parameters } })),
    })),
  }),
)

/** The connection data of the clients of a project. */
export const FeatureFlagClient = entity(
  'FeatureFlagClient',
  { api_url: z.string(), instance_id: z.string().nullable(), created_at: time().nullable() },
  (client: FlagClient, at) => ({
    api_url: `${at.url}/api/v4/feature_flags/unleash/${client.project_id}`,
    instance_id: client.instance_id,
    created_at: client.created_at,
  }),
)
