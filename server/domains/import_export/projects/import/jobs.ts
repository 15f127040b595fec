import { z } from 'zod'

import { enqueue, job, type EnqueueOptions } from '../../../../jobs/job.ts'
import { importArchive } from './engine/import-archive.ts'
import { fetchRemote } from './remote/fetch.ts'

/** Maximum number of archives that are imported at the same time, because each keeps a processor busy. */
const MAX_CONCURRENT = 2

/** Maximum number of retries. Only a stop of the instance causes one: an error ends the import with a message. */
const MAX_RETRIES = 10

/** Options of the job that imports an archive. Jobs with the same key run one after the other. */
export function importOptions(projectId: number): EnqueueOptions {
  return { key: `transfer.imports:${projectId % MAX_CONCURRENT}` }
}

/** Imports a stored archive into its project. Starts again after a crash. */
export const importArchiveJob = job(
  'transfer.import_archive',
  { args: { project_id: z.number() }, retries: MAX_RETRIES },
  (ctx, { project_id }) => importArchive(ctx, project_id),
)

/** Downloads the archive of a project and enqueues its import. Resumes an interrupted download. */
export const fetchArchive = job(
  'transfer.fetch_archive',
  { args: { project_id: z.number() }, retries: MAX_RETRIES, lane: 'outside' },
  (ctx, { project_id }) =>
    fetchRemote(ctx, project_id, () =>
      enqueue(ctx, importArchiveJob, { project_id }, importOptions(project_id)),
    ),
)
