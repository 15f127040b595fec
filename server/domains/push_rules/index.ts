import { domain } from '../../domain.ts'
import * as pushRuleRoutes from './routes.ts'

export { ruleOfProject, requireSignatures } from './store.ts'
export type { PatternName, PushRule } from './types.ts'
export { finder, forbids } from './validation.ts'
export { secretPattern } from './validation.ts'

export const pushRulesDomain = domain({ name: 'push_rules', routes: [pushRuleRoutes] })
