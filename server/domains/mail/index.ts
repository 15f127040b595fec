import { domain } from '../../domain.ts'
import { crons as mailCrons, jobs as mailJobs } from './service-sending.ts'
import * as mailRoutes from './routes.ts'

export { queueMail, quotedAddress, sendTestMail, type Mail } from './service.ts'
export { sendingObstacle as mailObstacle } from './service-sending.ts'
export { addressesIn, isAddress } from './service.ts'

export const mailDomain = domain({
  name: 'mail',
  routes: [mailRoutes],
  jobs: mailJobs,
  crons: mailCrons,
  reloads: { mail: ['mails'] },
})
