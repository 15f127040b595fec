import { domain } from '../../domain.ts'
import { pictureOrigins } from './outside/outside.ts'
import { settingsIn } from '../settings/index.ts'
import * as markdownRoutes from './routes.ts'
import { crons as attachmentsCrons, jobs as attachmentsJobs } from './uploads/jobs.ts'
import * as attachmentsRoutes from './uploads/routes.ts'
import { subscribers as attachmentsSubscribers } from './uploads/subscribers.ts'

export { adoptUpload, removeFilesOf } from './uploads/service.ts'
export { namesIn, type NameInText } from './names.ts'
export { renderLine, renderMarkup, renderPlain, renderText } from './render.ts'
export type { TextContext as TextPlace } from './wanted.ts'
export { trackerFrom, trackerOf, type OutsideIssue, type Tracker } from './trackers.ts'

export { pictureOrigins } from './outside/outside.ts'

export const markdownDomain = domain({
  name: 'markdown',
  routes: [attachmentsRoutes, markdownRoutes],
  subscribers: attachmentsSubscribers,
  jobs: attachmentsJobs,
  crons: attachmentsCrons,
  ports: { pictureOrigins: (db, now) => pictureOrigins(settingsIn(db, now)) },
})
