import { domain } from '../../domain.ts'
import { groupEvents } from '../groups/index.ts'
import { scimAbilities } from './policy.ts'
import * as scimProtocolRoutes from './protocol/routes.ts'
import * as scimWindowRoutes from './window-routes.ts'

export const scimDomain = domain({
  name: 'scim',
  routes: [scimProtocolRoutes, scimWindowRoutes],
  visibleTo: [groupEvents(['extern_uid'], scimAbilities.manage_group_scim)],
})
