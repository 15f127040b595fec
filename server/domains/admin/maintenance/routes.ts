import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice } from '../../../http/params.ts'
import { raw, type Returns } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { requestStatistics } from '../../repository/index.ts'
import { snapshotOf, triggerHousekeeping } from './service.ts'

/** 201 without a body: a job does the work in the background. */
const startedInBackground: Returns<void> = { kind: 'empty', status: 201 }

export const housekeeping = endpoint('POST /projects/:id/housekeeping', {
  summary: 'Start the housekeeping of a project',
  scope: project,
  can: abilities.maintain_repository,
  params: {
    task: choice('eager', 'prune').optional().describe('The housekeeping task. Both values run all tasks'),
  },
  fails: { 409: 'Housekeeping was started within the last hour' },
  returns: startedInBackground,
  run: ({ project: owner, ...ctx }) => triggerHousekeeping(ctx, owner),
})

export const repositorySize = endpoint('POST /projects/:id/repository_size', {
  summary: 'Recalculate the size of a repository',
  scope: project,
  can: abilities.maintain_repository,
  returns: startedInBackground,
  run: ({ project: owner, ...ctx }) => requestStatistics(ctx, owner.id),
})

export const snapshot = endpoint('GET /projects/:id/snapshot', {
  summary: 'Download a snapshot of a repository as a tar archive',
  scope: project,
  can: 'admin',
  params: { wiki: bool().optional().describe('Whether to download the wiki repository instead') },
  volatile: true,
  returns: raw,
  run: ({ project: owner, params, ...ctx }) => snapshotOf(ctx, owner, params.wiki ?? false),
})
