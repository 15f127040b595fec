import { z } from 'zod'

import { event } from '../../../events/event.ts'
import { columnChangesShape } from '../../../lib/column-changes.ts'

const issue = {
  issue_id: z.number(),
  iid: z.number(),
  project_id: z.number(),
  actor_id: z.number().nullable(),
  /** Only those who may see confidential issues may hear more of it. */
  confidential: z.boolean(),
}

/** Columns, with what stood there before and stands there now. */
const changes = columnChangesShape.optional()

/** An issue was opened. */
export const IssueCreated = event('issue.created', issue)

/** Fields of an issue changed; texts carry what stood there before. */
export const IssueUpdated = event('issue.updated', {
  ...issue,
  changed: z.array(z.string()),
  previous: z.object({ title: z.string().optional(), description: z.string().nullable().optional() }),
  changes,
})

/** An issue was closed, by hand or by a commit or merge request that said so. */
export const IssueClosed = event('issue.closed', {
  ...issue,
  commit_id: z.string().nullable(),
  merge_request_id: z.number().nullable(),
  changes,
})

/** A closed issue is open again. */
export const IssueReopened = event('issue.reopened', { ...issue, changes })

/** An issue went to another project, where it is a new one. */
export const IssueMoved = event('issue.moved', { ...issue, moved_to_id: z.number(), changes })

/** An issue is gone. */
export const IssueDeleted = event('issue.deleted', issue, { ends: 'issue_id' })
