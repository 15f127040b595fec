/*
 * Records of other hosts. The `source_key` of a record is its ID at the other host, as text. A record is imported once per
 * key.
 */

/** A person of the other host; null for a deleted account. */
export type OptionalPerson = Person | null

export interface Person {
  /** User name at the other host. Texts contain it for people without an account here. */
  readonly login: string
  /** ID at the identity provider in `ImportTargetOptions`. */
  readonly uid?: string | null | undefined
  /** Email address at the other host. */
  readonly email?: string | null | undefined
}

interface SourceRecord {
  readonly source_key: string
}

/** An issue or merge request, by its number. */
export interface IssuableRef {
  readonly kind: 'Issue' | 'MergeRequest'
  readonly iid: number
}

export interface NewLabel extends SourceRecord {
  readonly title: string
  /** `#rrggbb` or `#rgb`, with or without `#`. Anything else becomes the default color. */
  readonly color?: string | null | undefined
  readonly description?: string | null | undefined
}

export interface NewMilestone extends SourceRecord {
  readonly iid: number
  readonly title: string
  readonly description?: string | null | undefined
  readonly state: 'active' | 'closed'
  /** A date or time, of which the UTC date is stored. */
  readonly due_date?: string | null | undefined
  readonly created_at: string
  readonly updated_at?: string | null | undefined
}

interface NewIssuable extends SourceRecord {
  readonly iid: number
  readonly title: string
  readonly description?: string | null | undefined
  readonly author: OptionalPerson
  readonly assignees?: readonly OptionalPerson[] | undefined
  /** Number of the milestone. */
  readonly milestone_iid?: number | null | undefined
  /** Titles of labels. Missing labels are created. */
  readonly labels?: readonly string[] | undefined
  readonly discussion_locked?: boolean | undefined
  readonly created_at: string
  readonly updated_at?: string | null | undefined
  readonly closed_at?: string | null | undefined
  readonly closed_by?: OptionalPerson | undefined
}

export interface NewIssue extends NewIssuable {
  readonly state: 'opened' | 'closed'
}

export interface NewMergeRequest extends NewIssuable {
  readonly state: 'opened' | 'closed' | 'merged'
  readonly draft?: boolean | undefined
  readonly reviewers?: readonly OptionalPerson[] | undefined
  /** For a branch of a fork: a name that no branch of the project has. */
  readonly source_branch: string
  readonly target_branch: string
  /** Full SHA. A head that is not in the repository is replaced by `refs/merge-requests/<iid>/head`. */
  readonly head_sha: string | null
  /** The tip of the target branch when the head was pushed. */
  readonly base_sha: string | null
  /** Whether a missing source branch of an open merge request is created. */
  readonly restore_source_branch?: boolean | undefined
  readonly merged_at?: string | null | undefined
  readonly merge_commit_sha?: string | null | undefined
}

export interface NewNote extends SourceRecord {
  readonly issuable: IssuableRef
  readonly body: string
  readonly author: OptionalPerson
  readonly created_at: string
  readonly updated_at?: string | null | undefined
  /** `source_key` of the note to which this one is a reply. A note and its replies are one discussion. */
  readonly reply_to?: string | null | undefined
  readonly resolved?: { readonly by: OptionalPerson; readonly at: string } | null | undefined
}

/** A line of a diff, by its number on one side. */
export interface Line {
  readonly side: 'old' | 'new'
  readonly line: number
}

export interface NewDiffNote extends NewNote {
  /** Path of the file, after or before the change. */
  readonly path: string
  /** The last commented line; null for the whole file. */
  readonly line: Line | null
  /** The first of several commented lines. */
  readonly first_line?: Line | null | undefined
  /** The head commit of the diff in which the note was written. Default is the newest head. */
  readonly head_sha?: string | null | undefined
  /** The surrounding lines, for a note about lines outside all diffs. */
  readonly hunk?: string | null | undefined
}

export interface NewReview extends SourceRecord {
  readonly iid: number
  readonly reviewer: OptionalPerson
  readonly verdict: 'approved' | 'changes_requested' | 'commented' | 'dismissed'
  readonly body: string
  readonly submitted_at: string
}

export interface NewMerge extends SourceRecord {
  readonly iid: number
  readonly by: OptionalPerson
  readonly merged_at: string
}

interface IssuableEvent extends SourceRecord {
  readonly issuable: IssuableRef
  readonly actor: OptionalPerson
  readonly created_at: string
}

export interface NewStateEvent extends IssuableEvent {
  readonly event: 'closed' | 'reopened' | 'merged'
  /** The commit that caused the event. */
  readonly commit?: string | null | undefined
}

export interface NewLabelEvent extends IssuableEvent {
  readonly event: 'labeled' | 'unlabeled'
  readonly label: string
}

export interface NewMilestoneEvent extends IssuableEvent {
  readonly event: 'milestoned' | 'demilestoned'
  /** Title of the milestone. */
  readonly milestone: string
}

export interface NewSystemEvent extends IssuableEvent {
  readonly event: 'system'
  /** Action of the system note, which decides its icon, such as `title`, `assignee`, `cross_reference`. */
  readonly action: string
  /** The text after the actor's name, such as `changed title from …`. */
  readonly body: string
}

/** An event of an issue or merge request. */
export type NewEvent = NewStateEvent | NewLabelEvent | NewMilestoneEvent | NewSystemEvent

export interface NewRelease extends SourceRecord {
  readonly tag: string
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly author: OptionalPerson
  readonly created_at: string
  readonly released_at: string
  readonly links?: readonly { readonly name: string; readonly url: string }[] | undefined
}

export interface NewProtection extends SourceRecord {
  readonly name: string
  /** Access levels: 0 nobody, 30 developers, 40 maintainers. */
  readonly push: 0 | 30 | 40
  readonly merge: 0 | 30 | 40
  readonly allow_force_push?: boolean | undefined
}

/** A downloaded file to attach to the project. */
export interface DownloadedFile extends SourceRecord {
  readonly name: string
  /** Current path of the file, from which it is moved. */
  readonly path: string
  readonly size: number
}

/** Matching texts among the next rows of a table. */
export interface MatchingTexts {
  readonly texts: readonly { readonly id: number; readonly text: string }[]
  /** The ID after which the next call continues; null after the last row. */
  readonly next: number | null
}

/** A text of the project that may link to attachments. */
export interface TextTarget {
  readonly table: 'issues' | 'merge_requests' | 'notes' | 'releases'
  readonly id: number
}
