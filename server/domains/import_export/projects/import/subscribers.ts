import { on, type Subscription } from '../../../../events/publish.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { ProjectImportRetried } from '../../imports/events.ts'
import { fetchArchive, isOfArchive } from './jobs.ts'

export const subscribers: Subscription[] = [
  on(
    ProjectImportRetried,
    'transfer.fetch_again',
    (ctx, { project_id }) => enqueue(ctx, fetchArchive, { project_id }),
    { only: ({ import_type }) => isOfArchive(import_type) },
  ),
]
