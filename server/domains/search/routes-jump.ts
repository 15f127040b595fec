import { z } from 'zod'

import { endpoint } from '../../http/endpoint.ts'
import { entity } from '../../http/entity.ts'
import { int, list, text } from '../../http/params.ts'
import { page } from '../../http/returns.ts'
import { searching } from '../users/index.ts'
import { checkedText } from './service.ts'
import { jumpTargets, type JumpRow } from './service-jump.ts'

const JumpTarget = entity(
  'JumpTarget',
  {
    kind: z.enum(['merge_request', 'issue', 'branch', 'file', 'user']),
    key: z.string(),
    title: z.string(),
    reference: z.string().nullable(),
    state: z.string().nullable(),
    project_path: z.string().nullable(),
    to: z.string(),
  },
  (row: JumpRow) => row,
)

export const jump = endpoint('GET /-/jump', {
  summary: 'Find merge requests, issues, users, branches and files for the palette',
  can: 'signed_in',
  params: {
    search: text({ max: 200 }).describe('Words of a title, a number such as `!5`, or part of a name or path'),
    project_ids: list(int({ min: 1 }), { max: 20 })
      .optional()
      .describe('Projects with the branches and files to search: the one on screen first'),
  },
  limit: searching,
  fails: { 400: 'The text is empty' },
  returns: page(JumpTarget, { paging: 'none' }),
  run: async (ctx) => {
    const { search, project_ids = [] } = ctx.params
    const rows = await jumpTargets(ctx, { search: checkedText(search), project_ids })
    return { rows, total: rows.length }
  },
})
