import { endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { noContent, ok, page } from '../../../http/returns.ts'
import { group } from '../../groups/index.ts'
import { scimAbilities } from '../policy.ts'
import { ScimIdentity } from './entity.ts'
import { changeIdentity, findIdentity, listIdentities, removeIdentity } from './service.ts'

const uid = text().describe('External UID of the user')
const common = { scope: group, can: scimAbilities.manage_group_scim } as const

export const list = endpoint('GET /groups/:id/scim/identities', {
  ...common,
  summary: 'List the SCIM identities of a group',
  returns: page(ScimIdentity),
  run: ({ group: owner, paging, ...ctx }) => listIdentities(ctx, owner, paging),
})

export const get = endpoint('GET /groups/:id/scim/:uid', {
  ...common,
  summary: 'Get a SCIM identity of a group',
  params: { uid },
  spans: ['uid'],
  returns: ok(ScimIdentity),
  run: ({ group: owner, params, ...ctx }) => findIdentity(ctx, owner, params.uid),
})

export const change = endpoint('PATCH /groups/:id/scim/:uid', {
  ...common,
  summary: 'Update the external UID of a SCIM identity',
  params: {
    uid,
    extern_uid: text({ notEmpty: true, max: 255 }).describe('New external UID of the user'),
  },
  spans: ['uid'],
  fails: { 409: 'The external UID is taken', 412: 'The external UID is too long' },
  returns: noContent,
  run: ({ group: owner, params, ...ctx }) => changeIdentity(ctx, owner, params.uid, params.extern_uid),
})

export const remove = endpoint('DELETE /groups/:id/scim/:uid', {
  ...common,
  summary: 'Delete a SCIM identity of a group; account and membership stay',
  params: { uid },
  spans: ['uid'],
  returns: noContent,
  run: ({ group: owner, params, ...ctx }) => removeIdentity(ctx, owner, params.uid),
})
