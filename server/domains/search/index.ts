import { domain } from '../../domain.ts'

export const searchDomain = domain({ name: 'search', endpoints: () => import('./routes.ts') })
