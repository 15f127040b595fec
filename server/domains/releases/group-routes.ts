import { endpoint } from '../../http/endpoint.ts'
import { as, oneOf } from '../../http/entity.ts'
import { bool } from '../../http/params.ts'
import { page } from '../../http/returns.ts'
import { group } from '../groups/index.ts'
import { Release, ReleaseBasic } from './entity.ts'
import { groupAbilities } from './policy.ts'
import { listGroupReleases } from './read/list.ts'

export const getGroupReleases = endpoint('GET /groups/:id/releases', {
  summary: 'List the releases of the projects below a group',
  scope: group,
  can: groupAbilities.read_group_releases,
  jobToken: true,
  params: { simple: bool().optional().describe('Only their names, texts and dates') },
  returns: page(oneOf(Release, ReleaseBasic), { order_by: ['released_at'], sort: 'desc' }),
  run: async ({ group: owner, params, paging, ...ctx }) => {
    const { rows, total } = await listGroupReleases(ctx, owner, paging)
    const view = params.simple ? ReleaseBasic : Release
    return { rows: rows.map((row) => ({ ...as(view, row), id: row.id })), total }
  },
})
