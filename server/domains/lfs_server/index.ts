export { lfsRoutes } from './routes.ts'
export { authenticateLfs, isLfsCommand } from './ssh.ts'
