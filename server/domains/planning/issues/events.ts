import { z } from 'zod'

import { event } from '../../../events/event.ts'
import { columnChangesShape } from '../../../lib/column-changes.ts'

const issue = {
  issue_id: z.number(),
  iid: z.number(),
  project_id: z.number(),
  actor_id: z.number().nullable(),
  /** If set, the event is only for users who may see confidential issues. */
  confidential: z.boolean(),
}

/** The changed columns with their old and new values. */
const changes = columnChangesShape.optional()

/** An issue was created. */
export const IssueCreated = event('issue.created', issue)

/** Fields of an issue changed. `previous` has the old texts. */
export const IssueUpdated = event('issue.updated', {
  ...issue,
  changed: z.array(z.string()),
  previous: z.object({ title: z.string().optional(), description: z.string().nullable().optional() }),
  changes,
})

/** An issue was closed, by a user or by a commit or merge request that mentions it. */
export const IssueClosed = event('issue.closed', {
  ...issue,
  commit_id: z.string().nullable(),
  merge_request_id: z.number().nullable(),
  changes,
})

/** A closed issue was reopened. */
export const IssueReopened = event('issue.reopened', { ...issue, changes })

/** An issue was moved to another project, which has a new issue for it. */
export const IssueMoved = event('issue.moved', { ...issue, moved_to_id: z.number(), changes })

/** An issue was deleted. */
export const IssueDeleted = event('issue.deleted', issue, { ends: 'issue_id' })
