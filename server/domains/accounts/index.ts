export { deleteUser } from './deletion/service.ts'
