export { deployKeyActor } from './keys/actor.ts'
export { linkOf as deployKeyLink } from './keys/store.ts'
export { deployTokenActor } from './tokens/service.ts'
