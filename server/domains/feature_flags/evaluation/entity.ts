import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { Evaluated } from './evaluate.ts'

const verdict = z.enum(['on', 'off', 'chance'])

/** The value of a feature flag for a user, with its reason; for the window. */
export const FeatureFlagEvaluation = entity(
  'FeatureFlagEvaluation',
  {
    name: z.string(),
    verdict,
    chance: z.number().nullable(),
    reason: z.enum(['inactive', 'not_in_environment', 'strategies']),
    decided_by: z.int().nullable(),
    strategies: z.array(
      z.strictObject({
        strategy_id: z.int().nullable(),
        name: z.string(),
        verdict,
        chance: z.number().nullable(),
        position: z.int().nullable(),
      }),
    ),
  },
  ({ name, chance, reason, decided_by, ...flag }: Evaluated) => ({
    name,
    verdict: flag.verdict,
    chance,
    reason,
    decided_by,
    strategies: flag.strategies.map((one) => ({ ...one })),
  }),
)
