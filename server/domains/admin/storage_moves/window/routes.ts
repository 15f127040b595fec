import { endpoint } from '../../../../http/endpoint.ts'
import { choice } from '../../../../http/params.ts'
import { page } from '../../../../http/returns.ts'
import { StorageMoveLine } from './entity.ts'
import { moveLines } from './lines.ts'

export const listLines = endpoint('GET /-/admin/storage_moves', {
  summary: 'List the moves of repositories of all kinds, newest first, as the window shows them',
  can: 'admin',
  params: {
    state: choice('open', 'failed').optional().describe('Only those under way, or those that went wrong'),
  },
  returns: page(StorageMoveLine),
  run: ({ params, paging, ...ctx }) => moveLines(ctx, params, paging),
})
