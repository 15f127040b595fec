export { abilities as integrationAbilities } from './policy.ts'
