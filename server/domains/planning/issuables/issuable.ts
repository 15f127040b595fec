import type { Noteable } from '../../discussions/index.ts'

/** What is planned and discussed in the same way: issues and merge requests. */
export type IssuableName = 'Issue' | 'MergeRequest'

/** What the columns of both have in common. */
export interface IssuableColumns {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly author_id: number
  readonly title: string
  readonly description: string | null
  readonly state: string
  readonly milestone_id: number | null
  readonly discussion_locked: boolean | null
  readonly time_estimate: number
  readonly total_time_spent: number
  readonly created_at: string
  readonly updated_at: string
  readonly updated_by_id: number | null
  /** Of issues only: 1 for those that only a few may see. */
  readonly confidential?: boolean
}

/** An issue or a merge request, as far as the two are alike. */
export interface Issuable extends IssuableColumns {
  readonly kind: IssuableName
}

/** A row together with what it is a row of. */
export function issuableOf<Row extends IssuableColumns>(
  kind: IssuableName,
  row: Row,
): Row & { readonly kind: IssuableName } {
  return { ...row, kind }
}

/** The same as something to write notes under. */
export function noteableOf({ kind, id, iid, project_id }: Issuable): Noteable {
  return { type: kind, project_id, id, sha: null, iid }
}

/** Where things of a kind are stored. */
export interface IssuableTables {
  readonly table: 'issues' | 'merge_requests'
  /** The column of other tables that names one. */
  readonly key: 'issue_id' | 'merge_request_id'
  readonly labels: 'issue_labels' | 'merge_request_labels'
  readonly assignees: 'issue_assignees' | 'merge_request_assignees'
  readonly fts: 'issues_fts' | 'merge_requests_fts'
  /** Counter of numbers, and the feature of a project. */
  readonly usage: 'issues' | 'merge_requests'
  /** What stands before the number in texts. */
  readonly mark: '#' | '!'
  /** The kind in sentences. */
  readonly noun: 'issue' | 'merge request'
}

const TABLES: Readonly<Record<IssuableName, IssuableTables>> = {
  Issue: {
    table: 'issues',
    key: 'issue_id',
    labels: 'issue_labels',
    assignees: 'issue_assignees',
    fts: 'issues_fts',
    usage: 'issues',
    mark: '#',
    noun: 'issue',
  },
  MergeRequest: {
    table: 'merge_requests',
    key: 'merge_request_id',
    labels: 'merge_request_labels',
    assignees: 'merge_request_assignees',
    fts: 'merge_requests_fts',
    usage: 'merge_requests',
    mark: '!',
    noun: 'merge request',
  },
}

/** Where things of that kind are stored. */
export function tablesOf(kind: IssuableName): IssuableTables {
  return TABLES[kind]
}
