export { planLimits, type PlanLimits } from './plan_limits/limits.ts'
