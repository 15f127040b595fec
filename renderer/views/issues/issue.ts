import type { Result } from '../../api/client.ts'

/** An issue as its page shows it. */
export type Issue = Result<'GET /projects/:id/issues/:issue_iid'>

/** Answers that a change of an issue makes stale. */
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
