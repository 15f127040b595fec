import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** The changes of a release, as Markdown. */
export const ChangelogNotes = entity('ChangelogNotes', { notes: z.string() }, (notes: string) => ({ notes }))
