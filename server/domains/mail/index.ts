import { domain } from '../../domain.ts'
import { crons as mailCrons, jobs as mailJobs } from './service-sending.ts'

export { queueMail, quotedAddress, sendTestMail, type Mail } from './service.ts'
export { sendingObstacle as mailObstacle } from './service-sending.ts'
export { addressesIn, isAddress } from './service.ts'

export const mailDomain = domain({
  name: 'mail',
  endpoints: () => import('./routes.ts'),
  jobs: mailJobs,
  crons: mailCrons,
  reloads: { mail: ['mails'] },
})
