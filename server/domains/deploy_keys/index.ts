import { domain } from '../../domain.ts'
import * as deployRoutes from './routes.ts'
import { subscribers as deploySubscribers } from './subscribers.ts'

export { deployKeyActor } from './keys/actor.ts'
export { linkOf as deployKeyLink } from './keys/store.ts'
export { deployTokenActor } from './tokens/service.ts'

export const deployKeysDomain = domain({
  name: 'deploy_keys',
  routes: [deployRoutes],
  subscribers: deploySubscribers,
})
