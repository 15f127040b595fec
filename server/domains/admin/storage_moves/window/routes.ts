import { endpoint } from '../../../../http/endpoint.ts'
import { choice } from '../../../../http/params.ts'
import { page } from '../../../../http/returns.ts'
import { StorageMoveLine } from './entity.ts'
import { moveLines } from './lines.ts'

export const listLines = endpoint('GET /-/admin/storage_moves', {
  summary: 'List storage moves of all kinds for the window, newest first',
  can: 'admin',
  params: {
    state: choice('open', 'failed').optional().describe('Only running moves, or failed ones'),
  },
  returns: page(StorageMoveLine),
  run: ({ params, paging, ...ctx }) => moveLines(ctx, params, paging),
})
