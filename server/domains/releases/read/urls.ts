import type { ReleaseView } from './view.ts'

/** Pages that have to do with a release. */
export interface ReleaseLinks {
  readonly closed_issues_url?: string
  readonly closed_merge_requests_url?: string
  readonly edit_url?: string
  readonly merged_merge_requests_url?: string
  readonly opened_issues_url?: string
  readonly opened_merge_requests_url?: string
  readonly self?: string
}

/** Pages that have to do with a release; none for who may not know its tag. `project` and `release` are addresses. */
export function linksTo(
  project: string,
  release: string,
  { rights, release: row }: ReleaseView,
): ReleaseLinks {
  if (!rights.readsCode) return {}
  const list = (things: string, state: string): string =>
    `${project}/-/${things}?release_tag=${encodeURIComponent(row.tag)}&scope=all&state=${state}`
  return {
    closed_issues_url: list('issues', 'closed'),
    closed_merge_requests_url: list('merge_requests', 'closed'),
    ...(rights.edits ? { edit_url: `${release}/edit` } : {}),
    merged_merge_requests_url: list('merge_requests', 'merged'),
    opened_issues_url: list('issues', 'opened'),
    opened_merge_requests_url: list('merge_requests', 'opened'),
    self: release,
  }
}
