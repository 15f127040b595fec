import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** The answer to a dry run that would succeed. */
export const DryRun = entity('DryRun', { dry_run: z.literal('success') }, () => ({ dry_run: 'success' }))
