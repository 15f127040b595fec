import { domain } from '../../domain.ts'
import { forEveryone } from '../../events/visibility.ts'
import * as appearanceRoutes from './routes.ts'

export { mailFrame, type MailFrame } from './service.ts'

export const appearanceDomain = domain({
  name: 'appearance',
  routes: [appearanceRoutes],
  visibleTo: [forEveryone('appearance_id')],
  reloads: { appearance: ['/-/look', '/application/appearance'] },
})
