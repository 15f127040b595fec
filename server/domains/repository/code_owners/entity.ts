import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { OwnerProblem } from './parse.ts'

/** The errors in a CODEOWNERS file, by line. */
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
