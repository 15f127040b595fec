import { domain } from '../../domain.ts'
import { forEveryone } from '../../events/visibility.ts'
import * as appearanceWebRoutes from './web-routes.ts'

export { mailFrame, type MailFrame } from './service.ts'

export const appearanceDomain = domain({
  name: 'appearance',
  endpoints: () => import('./routes.ts'),
  webRoutes: [appearanceWebRoutes],
  visibleTo: [forEveryone('appearance_id')],
  reloads: { appearance: ['/-/look', '/application/appearance'] },
})
