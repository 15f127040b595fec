import type { Result } from '../../api/client.ts'
import { t } from '../../locales/t.ts'

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
  { value: 'issue', label: t('issues.issue') },
  { value: 'incident', label: t('issues.incident') },
  { value: 'task', label: t('issues.task') },
  { value: 'test_case', label: t('issues.test_case') },
] as const
