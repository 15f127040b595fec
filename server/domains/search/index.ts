import { domain } from '../../domain.ts'
import * as searchRoutes from './routes.ts'

export const searchDomain = domain({ name: 'search', routes: [searchRoutes] })
