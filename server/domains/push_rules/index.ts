export { ruleOfProject, type PatternName, type PushRule } from './rule.ts'
export { finder, forbids } from './patterns.ts'
export { secretPattern } from './secrets.ts'
