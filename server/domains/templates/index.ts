import { domain } from '../../domain.ts'
import * as templateRoutes from './files/routes.ts'
import * as projectTemplateRoutes from './projects/routes.ts'
import { subscribers as projectTemplateSubscribers } from './projects/first-commit.ts'

export const templatesDomain = domain({
  name: 'templates',
  routes: [templateRoutes, projectTemplateRoutes],
  subscribers: projectTemplateSubscribers,
})
