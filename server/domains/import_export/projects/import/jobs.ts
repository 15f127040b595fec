import { z } from 'zod'

import { ARCHIVE_SOURCE } from '../../../../lib/aliases.ts'
import { enqueue, job, type EnqueueOptions, type Job } from '../../../../jobs/job.ts'
import { importArchive } from './engine/import-archive.ts'
import { fetchRemote } from './remote/fetch.ts'

/** At most two archives are taken over at a time: they are work for a processor each. */
const LANES = 2

/** True for the type of import that fills a project from an archive. */
export function isOfArchive(importType: string): boolean {
  return importType === ARCHIVE_SOURCE
}

/** What goes wrong ends the import with a sentence; only a stop of the instance brings such a job back. */
const STOPS = 10

/** How the job that takes an archive over stands in line. */
export function takeOptions(projectId: number): EnqueueOptions {
  return { key: `transfer.imports:${projectId % LANES}` }
}

/** Fills a project from the archive that lies ready. Begins anew after a crash. */
export const takeArchive = job(
  'transfer.import_archive',
  { args: { project_id: z.number() }, retries: STOPS },
  (ctx, { project_id }) => importArchive(ctx, project_id),
)

/** Fetches the archive of a project from elsewhere, then has it taken over. Goes on where it was cut off. */
export const fetchArchive = job(
  'transfer.fetch_archive',
  { args: { project_id: z.number() }, retries: STOPS, lane: 'outside' },
  (ctx, { project_id }) =>
    fetchRemote(ctx, project_id, () => enqueue(ctx, takeArchive, { project_id }, takeOptions(project_id))),
)

export const jobs: Job[] = [takeArchive as Job, fetchArchive as Job]
