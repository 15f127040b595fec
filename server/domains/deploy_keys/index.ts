import { domain } from '../../domain.ts'
import * as keyRoutes from './keys/routes.ts'
import * as tokenRoutes from './tokens/routes.ts'
import { subscribers as deploySubscribers } from './subscribers.ts'

export { deployKeyActor } from './keys/service.ts'
export { linkOf as deployKeyLink, moveKeys as moveDeployKeys } from './keys/store.ts'
export { deployTokenActor } from './tokens/service.ts'

export const deployKeysDomain = domain({
  name: 'deploy_keys',
  routes: [keyRoutes, tokenRoutes],
  subscribers: deploySubscribers,
})
