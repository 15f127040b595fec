export { ruleOfProject, type PatternName, type PushRule } from './rule.ts'
export { finder } from './patterns.ts'
export { secretPattern } from './secrets.ts'
