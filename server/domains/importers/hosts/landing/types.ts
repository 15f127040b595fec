/*
 * Records of other hosts. Each has a `source_key`, its id there as text; a record is imported once per key.
 */

/** A person of the other host; null for a deleted one. */
export type OptionalPerson = Person | null

export interface Person {
  /** User name there; texts show it for people without an account here. */
  readonly login: string
  /** Id at the identity provider of `landingOf`. */
  readonly uid?: string | null | undefined
  /** Email address there. */
  readonly email?: string | null | undefined
}

interface Keyed {
  readonly source_key: string
}

/** An issue or merge request, by its number. */
export interface IssuableRef {
  readonly kind: 'Issue' | 'MergeRequest'
  readonly iid: number
}

export interface NewLabel extends Keyed {
  readonly title: string
  /** `#rrggbb`, with or without `#`; anything else becomes the default color. */
  readonly color?: string | null | undefined
  readonly description?: string | null | undefined
}

export interface NewMilestone extends Keyed {
  readonly iid: number
  readonly title: string
  readonly description?: string | null | undefined
  readonly state: 'active' | 'closed'
  /** A calendar day. */
  readonly due_date?: string | null | undefined
  readonly created_at: string
  readonly updated_at?: string | null | undefined
}

interface NewIssuable extends Keyed {
  readonly iid: number
  readonly title: string
  readonly description?: string | null | undefined
  readonly author: OptionalPerson
  readonly assignees?: readonly OptionalPerson[] | undefined
  /** Number of the milestone. */
  readonly milestone_iid?: number | null | undefined
  /** Titles; missing labels are created. */
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
  /** For a fork: a name that no branch of the project has. */
  readonly source_branch: string
  readonly target_branch: string
  /** Full ids. `refs/merge-requests/<iid>/head` replaces a head that is not in the repository. */
  readonly head_sha: string | null
  /** The tip of the target branch when the head was pushed. */
  readonly base_sha: string | null
  /** Creates the missing source branch of an open merge request. */
  readonly restore_source_branch?: boolean | undefined
  readonly merged_at?: string | null | undefined
  readonly merge_commit_sha?: string | null | undefined
}

export interface NewNote extends Keyed {
  readonly on: IssuableRef
  readonly body: string
  readonly author: OptionalPerson
  readonly created_at: string
  readonly updated_at?: string | null | undefined
  /** `source_key` of the note that this one answers; all answers to a note are one discussion. */
  readonly reply_to?: string | null | undefined
  readonly resolved?: { readonly by: OptionalPerson; readonly at: string } | null | undefined
}

/** A line of a diff, by its number on one side. */
export interface Line {
  readonly side: 'old' | 'new'
  readonly line: number
}

export interface NewDiffNote extends NewNote {
  /** Path of the file after the change, or before it. */
  readonly path: string
  /** The last commented line; null for the whole file. */
  readonly line: Line | null
  /** The first of several commented lines. */
  readonly first_line?: Line | null | undefined
  /** The head that the note was written for; the newest one by default. */
  readonly head_sha?: string | null | undefined
  /** The surrounding lines, for a note about lines outside all diffs. */
  readonly hunk?: string | null | undefined
}

export interface NewReview extends Keyed {
  readonly iid: number
  readonly reviewer: OptionalPerson
  readonly verdict: 'approved' | 'changes_requested' | 'commented' | 'dismissed'
  readonly body: string
  readonly submitted_at: string
}

export interface Merging extends Keyed {
  readonly iid: number
  readonly by: OptionalPerson
  readonly merged_at: string
}

interface EventOf extends Keyed {
  readonly on: IssuableRef
  readonly actor: OptionalPerson
  readonly created_at: string
}

export interface NewStateEvent extends EventOf {
  readonly event: 'closed' | 'reopened' | 'merged'
  /** The commit that caused it. */
  readonly commit?: string | null | undefined
}

export interface NewLabelEvent extends EventOf {
  readonly event: 'labeled' | 'unlabeled'
  readonly label: string
}

export interface NewMilestoneEvent extends EventOf {
  readonly event: 'milestoned' | 'demilestoned'
  /** Its title. */
  readonly milestone: string
}

export interface NewLine extends EventOf {
  readonly event: 'system'
  /** Name of its icon, such as `title`, `assignee`, `cross_reference`. */
  readonly action: string
  /** The text after the actor's name, such as `changed title from …`. */
  readonly body: string
}

/** An event of an issue or merge request. */
export type NewEvent = NewStateEvent | NewLabelEvent | NewMilestoneEvent | NewLine

export interface NewRelease extends Keyed {
  readonly tag: string
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly author: OptionalPerson
  readonly created_at: string
  readonly released_at: string
  readonly links?: readonly { readonly name: string; readonly url: string }[] | undefined
}

export interface NewProtection extends Keyed {
  readonly name: string
  /** Access levels: 0 nobody, 30 developers, 40 maintainers. */
  readonly push: 0 | 30 | 40
  readonly merge: 0 | 30 | 40
  readonly allow_force_push?: boolean | undefined
}

/** A downloaded file that is to be attached to the project. */
export interface FetchedFile extends Keyed {
  readonly name: string
  /** Its present path; the file is moved. */
  readonly path: string
  readonly size: number
}

/** Matching texts among the next rows of a table. */
export interface MatchingTexts {
  readonly texts: readonly { readonly id: number; readonly text: string }[]
  /** The id after which to continue; null at the end. */
  readonly next: number | null
}

/** A text of the project that may name attachments. */
export interface TextTarget {
  readonly table: 'issues' | 'merge_requests' | 'notes' | 'releases'
  readonly id: number
}
