import { z } from 'zod'

import { job } from '../../../jobs/job.ts'
import { fillFromFolder } from './fill.ts'

/** The job runs again only if the instance was stopped. */
const STOPS = 10

/** Fills a project from an uploaded folder. A failure becomes the status of the import. */
export const takeFolder = job(
  'folder_imports.take',
  { args: { project_id: z.number() }, retries: STOPS },
  (ctx, { project_id }) => fillFromFolder(ctx, project_id),
)

export const jobs = [takeFolder]
