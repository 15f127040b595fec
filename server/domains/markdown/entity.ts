import { z } from 'zod'

import { entity } from '../../http/entity.ts'

/** Rendered text. */
export const Html = entity('Html', { html: z.string() }, (html: string) => ({ html }))
