import { domain } from '../../domain.ts'
import { on } from '../../events/publish.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { settingsIn } from '../settings/index.ts'
import { pictureOrigins } from './service-images.ts'
import { removeFilesOf, crons as attachmentsCrons, jobs as attachmentsJobs } from './uploads/service.ts'
import * as uploadsWebRoutes from './uploads/web-routes.ts'

export { insert as insertUpload } from './uploads/store.ts'
export { adoptUpload, removeFilesOf } from './uploads/service.ts'
export { namesIn, renderLine, renderMarkup, renderPlain, renderText, type NameInText } from './service.ts'
export { pictureOrigins } from './service-images.ts'

export const markdownDomain = domain({
  name: 'markdown',
  endpoints: () => Promise.all([import('./uploads/routes.ts'), import('./routes.ts')]),
  webRoutes: [uploadsWebRoutes],
  subscribers: [on(ProjectDeleted, 'attachments.remove', removeFilesOf)],
  jobs: attachmentsJobs,
  crons: attachmentsCrons,
  ports: { pictureOrigins: (db, now) => pictureOrigins(settingsIn(db, now)) },
  reloads: {
    // Attachments appear with the text that contains them.
    upload: [],
  },
})
