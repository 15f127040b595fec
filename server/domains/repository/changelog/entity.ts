import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** What changed for a release, as Markdown. */
export const ChangelogNotes = entity('ChangelogNotes', { notes: z.string() }, (notes: string) => ({ notes }))
