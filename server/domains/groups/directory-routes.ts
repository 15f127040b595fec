import { endpoint } from '../../http/endpoint.ts'
import { bool, text, timestamp } from '../../http/params.ts'
import { accepted, page } from '../../http/returns.ts'
import { UserBasic } from '../users/entity.ts'
import { abilities } from './policy.ts'
import * as provisioned from './provisioned.ts'
import { group } from './scope.ts'

export const listProvisionedUsers = endpoint('GET /groups/:id/provisioned_users', {
  summary: 'List the users whom the sign-in of a group brought',
  scope: group,
  can: abilities.manage_group_members,
  params: {
    username: text({ max: 255 }).optional().describe('Only the user of that name'),
    search: text({ max: 255 }).optional().describe('Part of the name or user name, or the whole address'),
    active: bool().optional().describe('Only active users'),
    blocked: bool().optional().describe('Only blocked users'),
    created_after: timestamp().optional().describe('Only users made since'),
    created_before: timestamp().optional().describe('Only users made before'),
  },
  pure: true,
  returns: page(UserBasic),
  run: ({ group: owner, params, paging, ...ctx }) => provisioned.list(ctx.db, owner.id, params, paging),
})

/** There is no directory to ask, so there is nothing to do; clients only want to hear that it was taken. */
export const syncDirectory = endpoint('POST /groups/:id/ldap_sync', {
  summary: 'Bring the members of a group in line with a directory',
  scope: group,
  can: abilities.manage_group_members,
  returns: accepted,
  run: () => undefined,
})
