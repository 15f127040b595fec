import { domain } from '../../domain.ts'
import { projectEvents } from '../projects/index.ts'
import { abilities } from './policy.ts'
import { crons as pullMirrorCrons, jobs as pullMirrorJobs } from './pull/jobs.ts'
import { crons as pushMirrorCrons, jobs as pushMirrorJobs } from './push/jobs.ts'
import { subscribers } from './subscribers.ts'

export const mirrorsDomain = domain({
  name: 'mirrors',
  endpoints: () =>
    Promise.all([import('./push/routes.ts'), import('./pull/routes.ts'), import('./routes.ts')]),
  subscribers,
  jobs: [...pushMirrorJobs, ...pullMirrorJobs],
  crons: [...pushMirrorCrons, ...pullMirrorCrons],
  visibleTo: [projectEvents(['mirror_id'], abilities.manage_remote_mirrors)],
  reloads: { remote_mirror: ['remote_mirrors'], pull_mirror: ['mirror/pull'] },
})
