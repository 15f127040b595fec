import type { Result } from '../../api/client.ts'

/** An issue with the fields of its page. */
export type Issue = Result<'GET /projects/:id/issues/:issue_iid'>

/** Answers that are stale after a change of an issue. */
export const ISSUES_STALE = [
  'GET /issues*',
  'GET /groups/:id/issues*',
  'GET /projects/:id/issues*',
  'GET /projects/:id/milestones*',
]

export const TYPES = [
  { value: 'issue', label: 'Issue' },
  { value: 'incident', label: 'Incident' },
  { value: 'task', label: 'Task' },
  { value: 'test_case', label: 'Test case' },
] as const
