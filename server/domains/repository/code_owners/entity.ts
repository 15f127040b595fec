import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { OwnerProblem } from './parse.ts'

/** What the file of code owners says wrong, line by line. */
export const CodeOwnersCheck = entity(
  'CodeOwnersCheck',
  {
    path: z.string().nullable(),
    problems: z.array(z.object({ line: z.int(), message: z.string() })),
  },
  (row: { path: string | null; problems: readonly OwnerProblem[] }) => ({
    path: row.path,
    problems: row.problems.map(({ line, message }) => ({ line, message })),
  }),
)
