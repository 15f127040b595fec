import { z } from 'zod'

import type { Author } from '../../../git/read/authors.ts'
import { entity } from '../../../http/entity.ts'

/** An author with the number of their commits; lines are no longer counted (spec core 4.1). */
export const Contributor = entity(
  'Contributor',
  { name: z.string(), email: z.string(), commits: z.int(), additions: z.int(), deletions: z.int() },
  ({ name, email, commits }: Author) => ({ name, email, commits, additions: 0, deletions: 0 }),
)
