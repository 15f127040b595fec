import { endpoint } from '../../../http/endpoint.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { PullMirror } from './entity.ts'
import { pullMirrorOf, startPull } from './service.ts'

const fails = { 400: 'The project is not mirrored' }

export const get = endpoint('GET /projects/:id/mirror/pull', {
  summary: 'Show how following a repository elsewhere goes',
  scope: project,
  can: abilities.read_pull_mirror,
  fails,
  returns: ok(PullMirror),
  run: ({ project: owner, ...ctx }) => pullMirrorOf(ctx, owner),
})

export const start = endpoint('POST /projects/:id/mirror/pull', {
  summary: 'Have a project brought to what it follows, at most every five minutes',
  scope: project,
  can: abilities.start_pull_mirror,
  fails,
  returns: { kind: 'empty', status: 200 },
  run: ({ project: owner, ...ctx }) => startPull(ctx, owner),
})
