import { domain } from '../../domain.ts'
import * as pushRuleRoutes from './routes.ts'

export { ruleOfProject, type PatternName, type PushRule } from './rule.ts'
export { finder, forbids } from './patterns.ts'
export { secretPattern } from './secrets.ts'

export const pushRulesDomain = domain({ name: 'push_rules', routes: [pushRuleRoutes] })
