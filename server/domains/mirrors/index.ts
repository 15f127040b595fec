import { domain } from '../../domain.ts'
import { stopMirrors } from './running.ts'
import { abilities } from './policy.ts'
import { projectEvents } from '../projects/index.ts'
import { jobs as pullMirrorJobs, crons as pullMirrorCrons } from './pull/jobs.ts'
import * as pullMirrorRoutes from './pull/routes.ts'
import { jobs as pushMirrorJobs, crons as pushMirrorCrons } from './push/jobs.ts'
import * as pushMirrorRoutes from './push/routes.ts'
import { subscribers } from './subscribers.ts'
import * as mirrorWindowRoutes from './window/routes.ts'

export const mirrorsDomain = domain({
  name: 'mirrors',
  routes: [pushMirrorRoutes, pullMirrorRoutes, mirrorWindowRoutes],
  subscribers,
  jobs: [...pushMirrorJobs, ...pullMirrorJobs],
  crons: [...pushMirrorCrons, ...pullMirrorCrons],
  visibleTo: [projectEvents(['mirror_id'], abilities.manage_remote_mirrors)],
  stop: stopMirrors,
})
