import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** What a trial run says that would have done. */
export const DryRun = entity('DryRun', { dry_run: z.literal('success') }, () => ({ dry_run: 'success' }))
