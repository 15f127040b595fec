import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import type { OwnerProblem } from './parse.ts'
import { checkOwners } from './service.ts'

/** The errors in a CODEOWNERS file, by line. */
const CodeOwnersCheck = entity(
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

export const validateCodeOwners = endpoint('GET /-/projects/:id/code_owners/validate', {
  summary: 'Validate the CODEOWNERS file',
  scope: project,
  can: abilities.read_code,
  params: {
    ref: text({ max: 1100 }).optional().describe('Branch, tag or commit id (default: the default branch)'),
  },
  returns: ok(CodeOwnersCheck),
  run: ({ project: owner, params, ...ctx }) =>
    checkOwners(ctx, owner, params.ref || `refs/heads/${owner.default_branch}`),
})
