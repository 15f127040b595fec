export { scimAbilities } from './policy.ts'
