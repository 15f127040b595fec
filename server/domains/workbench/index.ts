import { domain } from '../../domain.ts'
import * as clockRoutes from './clock/routes.ts'

export const workbenchDomain = domain({
  name: 'workbench',
  routes: [clockRoutes],
})
