export { deleteUser } from './deletion/service.ts'
export { changeEmail, changeProfile } from './profile.ts'
export { changeState } from './states/change.ts'
export { ghostOf } from './deletion/ghost.ts'
