export { settingsOf, settingsFrom, settingsIn } from './current.ts'
export type { Settings } from './catalogue.ts'
export { secretSetting } from './secrets.ts'
export { planLimits, type PlanLimits } from './plan_limits/limits.ts'
