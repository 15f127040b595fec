import { domain } from '../../domain.ts'
import * as accessTokensRoutes from './routes.ts'
import { subscribers as accessTokensSubscribers } from './subscribers.ts'

export const accessTokensDomain = domain({
  name: 'access_tokens',
  routes: [accessTokensRoutes],
  subscribers: accessTokensSubscribers,
})
