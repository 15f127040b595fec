import { endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { getJob } from '../jobs/service.ts'
import { abilities } from '../policy.ts'
import { archiveOf, listArchive } from './download.ts'
import { ArchiveEntry } from './entity.ts'

export const listArchiveFolder = endpoint('GET /-/projects/:id/jobs/:job_id/artifacts/tree', {
  summary: 'List a folder of the artifacts archive of a job',
  scope: project,
  can: abilities.read_jobs,
  params: {
    job_id: int({ min: 1 }).describe('Id of the job'),
    path: text({ max: 4096 }).default('').describe('Path of the folder; empty for the top'),
  },
  fails: {
    400: '400 Bad request: no path of a folder',
    403: 'The files are kept from the caller',
    422: 'The archive is broken or has too many files',
  },
  returns: page(ArchiveEntry),
  run: async ({ project: owner, params, paging, ...ctx }) => {
    const archive = archiveOf(ctx, owner, getJob(ctx, owner, params.job_id))
    const entries = await listArchive(ctx, archive, params.path)
    return { rows: entries.slice(paging.offset, paging.offset + paging.limit), total: entries.length }
  },
})
