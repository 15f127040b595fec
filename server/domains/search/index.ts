import { domain } from '../../domain.ts'
import * as searchRoutes from './routes.ts'
import * as jumpRoutes from './routes-jump.ts'

export const searchDomain = domain({ name: 'search', routes: [searchRoutes, jumpRoutes] })
