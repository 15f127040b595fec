import { domain } from '../../domain.ts'
import { jobs as mailJobs, crons as mailCrons } from './jobs.ts'
import * as mailRoutes from './routes.ts'

export { addressesIn, isAddress, quoted as quotedAddress } from './addresses.ts'
export { queueMail, type Mail } from './queue.ts'
export { obstacleOf as mailObstacle } from './sending.ts'
export { sendTestMail } from './service.ts'

export const mailDomain = domain({ name: 'mail', routes: [mailRoutes], jobs: mailJobs, crons: mailCrons })
