import { z } from 'zod'

import { job } from '../../../jobs/job.ts'
import { fillFromFolder } from './fill.ts'

/** Only a stop of the instance brings such a job back. */
const STOPS = 10

/** Fills a project from a folder that was sent. What goes wrong becomes the status of the import. */
export const takeFolder = job(
  'folder_imports.take',
  { args: { project_id: z.number() }, retries: STOPS },
  (ctx, { project_id }) => fillFromFolder(ctx, project_id),
)

export const jobs = [takeFolder]
