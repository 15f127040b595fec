export { abilities as mirrorAbilities } from './policy.ts'
export { stopMirrors } from './running.ts'
