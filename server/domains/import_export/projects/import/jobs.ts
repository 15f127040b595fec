import { z } from 'zod'

import { enqueue, job, type EnqueueOptions } from '../../../../jobs/job.ts'
import { importArchive } from './engine/import-archive.ts'
import { fetchRemote } from './remote/fetch.ts'

/** At most two archives are imported at a time: each keeps a processor busy. */
const LANES = 2

/** An error ends the import with a message. The job runs again only if the instance was stopped. */
const STOPS = 10

/** The lane of the job that imports an archive. */
export function importOptions(projectId: number): EnqueueOptions {
  return { key: `transfer.imports:${projectId % LANES}` }
}

/** Imports a stored archive into its project. Begins again after a crash. */
export const importArchiveJob = job(
  'transfer.import_archive',
  { args: { project_id: z.number() }, retries: STOPS },
  (ctx, { project_id }) => importArchive(ctx, project_id),
)

/** Downloads the archive of a project, and queues its import. Continues a download that was interrupted. */
export const fetchArchive = job(
  'transfer.fetch_archive',
  { args: { project_id: z.number() }, retries: STOPS, lane: 'outside' },
  (ctx, { project_id }) =>
    fetchRemote(ctx, project_id, () =>
      enqueue(ctx, importArchiveJob, { project_id }, importOptions(project_id)),
    ),
)
