/** What notes are written under: an issue, a merge request or a snippet by its id, a commit by its full id. */
export type NoteSubject =
  | { readonly type: 'Issue' | 'MergeRequest' | 'Snippet'; readonly id: number }
  | { readonly type: 'Commit'; readonly sha: string }

/** An issue or a merge request, as the rows that hang from it name it. */
export interface IssuableSubject {
  readonly type: 'Issue' | 'MergeRequest'
  readonly id: number
}

/** The same where rows are made: they name the project, too. */
export type InProject<Subject> = Subject & { readonly project_id: number }

/** The column of other tables that names one. */
export function keyOf({ type }: IssuableSubject): 'issue_id' | 'merge_request_id' {
  return type === 'Issue' ? 'issue_id' : 'merge_request_id'
}
