import type { Noteable } from '../../discussions/index.ts'

/** The kinds of issuables: they have the same metadata and discussions. */
export type IssuableName = 'Issue' | 'MergeRequest'

/** The columns that both tables have. */
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
  /** Only issues can be confidential. */
  readonly confidential?: boolean
}

/** An issue or a merge request, with the columns that both have. */
export interface Issuable extends IssuableColumns {
  readonly kind: IssuableName
}

/** Adds the kind to a row. */
export function issuableOf<Row extends IssuableColumns>(
  kind: IssuableName,
  row: Row,
): Row & { readonly kind: IssuableName } {
  return { ...row, kind }
}

/** Returns the issue or merge request as a noteable. */
export function noteableOf({ kind, id, iid, project_id }: Issuable): Noteable {
  return { type: kind, project_id, id, sha: null, iid }
}

/** The tables and columns of issues or of merge requests. */
export interface IssuableTables {
  readonly table: 'issues' | 'merge_requests'
  /** The column with the ID in other tables. */
  readonly key: 'issue_id' | 'merge_request_id'
  readonly labels: 'issue_labels' | 'merge_request_labels'
  readonly assignees: 'issue_assignees' | 'merge_request_assignees'
  readonly fts: 'issues_fts' | 'merge_requests_fts'
  /** The counter of IIDs. The feature of the project has the same name. */
  readonly usage: 'issues' | 'merge_requests'
  /** The character before the IID in texts. */
  readonly mark: '#' | '!'
  /** The name in sentences. */
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

export function tablesOf(kind: IssuableName): IssuableTables {
  return TABLES[kind]
}

/** The names of an issue or merge request in texts (spec core 5.1). */
interface References {
  readonly short: string
  readonly relative: string
  readonly full: string
}

/** Returns the references to an issuable. `relative` is relative to the project or group with the path `relativeTo`. */
export function references(
  kind: IssuableName,
  iid: number,
  fullPath: string,
  relativeTo?: string,
): References {
  const short = `${tablesOf(kind).mark}${iid}`
  return { short, relative: `${pathFrom(fullPath, relativeTo)}${short}`, full: `${fullPath}${short}` }
}

/**
 * Returns the path of a project relative to another one: empty for the same project, only the last segment within the
 * same group.
 */
export function pathFrom(fullPath: string, relativeTo: string | undefined): string {
  if (relativeTo === undefined) return fullPath
  if (relativeTo === fullPath) return ''
  if (fullPath.startsWith(`${relativeTo}/`)) return fullPath.slice(relativeTo.length + 1)
  // Projects of the same group need only their last path segment.
  return namespaceOf(relativeTo) === namespaceOf(fullPath) ? fullPath.split('/').at(-1)! : fullPath
}

function namespaceOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}
