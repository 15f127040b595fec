import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import { LIMIT_NAMES, type LimitName, type PlanLimits as Limits } from './types.ts'

const fields = Object.fromEntries(LIMIT_NAMES.map((name) => [name, z.int()])) as Record<LimitName, z.ZodInt>

/** The plan limits of the instance. */
export const PlanLimits = entity('PlanLimits', fields, (limits: Limits) => {
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, limits[name]])) as Record<LimitName, number>
})
