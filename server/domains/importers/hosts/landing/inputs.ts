/*
 * What other hosts have, in plain words. Every thing carries a `source_key`: its id there, as text. What was landed under a
 * key once is not made again.
 */

/** Somebody of the other host; null stands for one who was deleted there. */
export type Somebody = Person | null

export interface Person {
  /** How they are called there; texts name them so when nobody here is them. */
  readonly login: string
  /** Their id at the identity provider that `landingOf` was told. */
  readonly uid?: string | null | undefined
  /** An address that the other host has for them. */
  readonly email?: string | null | undefined
}

interface Keyed {
  readonly source_key: string
}

/** Which issue or merge request something belongs to, by its number. */
export interface IssuableRef {
  readonly kind: 'Issue' | 'MergeRequest'
  readonly iid: number
}

export interface NewLabel extends Keyed {
  readonly title: string
  /** `#rrggbb` with or without its sign; a color that is none becomes the default one. */
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

interface Planned extends Keyed {
  readonly iid: number
  readonly title: string
  readonly description?: string | null | undefined
  readonly author: Somebody
  readonly assignees?: readonly Somebody[] | undefined
  /** Number of the milestone. */
  readonly milestone_iid?: number | null | undefined
  /** Titles; labels that are not there yet are made. */
  readonly labels?: readonly string[] | undefined
  readonly discussion_locked?: boolean | undefined
  readonly created_at: string
  readonly updated_at?: string | null | undefined
  readonly closed_at?: string | null | undefined
  readonly closed_by?: Somebody | undefined
}

export interface NewIssue extends Planned {
  readonly state: 'opened' | 'closed'
}

export interface NewMergeRequest extends Planned {
  readonly state: 'opened' | 'closed' | 'merged'
  readonly draft?: boolean | undefined
  readonly reviewers?: readonly Somebody[] | undefined
  /** Of a fork: a name that no branch of the project has. */
  readonly source_branch: string
  readonly target_branch: string
  /** Full ids. A head that is not in the repository gives way to `refs/merge-requests/<iid>/head`. */
  readonly head_sha: string | null
  /** The target as it was when the head was pushed. */
  readonly base_sha: string | null
  /** Makes the source branch of an open one where it is missing. */
  readonly restore_source_branch?: boolean | undefined
  readonly merged_at?: string | null | undefined
  readonly merge_commit_sha?: string | null | undefined
}

export interface NewNote extends Keyed {
  readonly on: IssuableRef
  readonly body: string
  readonly author: Somebody
  readonly created_at: string
  readonly updated_at?: string | null | undefined
  /** The note (its `source_key`) that this one answers; the two and what else answers it are one discussion. */
  readonly reply_to?: string | null | undefined
  readonly resolved?: { readonly by: Somebody; readonly at: string } | null | undefined
}

/** A line as a diff shows it, by its number on one side. */
export interface Line {
  readonly side: 'old' | 'new'
  readonly line: number
}

export interface NewDiffNote extends NewNote {
  /** The file, as it is called after the change, or before it. */
  readonly path: string
  /** The last of the lines that are meant; null for the file as a whole. */
  readonly line: Line | null
  /** The first of them, where they are more. */
  readonly first_line?: Line | null | undefined
  /** The head that was looked at; the newest one without it. What is not in the newest diff is outdated. */
  readonly head_sha?: string | null | undefined
  /** The lines around as the other host shows them, for when they cannot be found any more. */
  readonly hunk?: string | null | undefined
}

export interface NewReview extends Keyed {
  readonly iid: number
  readonly reviewer: Somebody
  readonly verdict: 'approved' | 'changes_requested' | 'commented' | 'dismissed'
  readonly body: string
  readonly submitted_at: string
}

export interface Merging extends Keyed {
  readonly iid: number
  readonly by: Somebody
  readonly merged_at: string
}

interface Happened extends Keyed {
  readonly on: IssuableRef
  readonly actor: Somebody
  readonly created_at: string
}

export interface NewStateEvent extends Happened {
  readonly event: 'closed' | 'reopened' | 'merged'
  /** The commit that did it. */
  readonly commit?: string | null | undefined
}

export interface NewLabelEvent extends Happened {
  readonly event: 'labeled' | 'unlabeled'
  readonly label: string
}

export interface NewMilestoneEvent extends Happened {
  readonly event: 'milestoned' | 'demilestoned'
  /** Its title. */
  readonly milestone: string
}

export interface NewLine extends Happened {
  readonly event: 'system'
  /** The word for its picture, as `title`, `assignee`, `cross_reference`. */
  readonly action: string
  /** What stands behind the name of who did it, as `changed title from …`. */
  readonly body: string
}

/** What happened to an issue or merge request. */
export type NewEvent = NewStateEvent | NewLabelEvent | NewMilestoneEvent | NewLine

export interface NewRelease extends Keyed {
  readonly tag: string
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly author: Somebody
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

/** A file that was fetched, to be attached to the project. */
export interface FetchedFile extends Keyed {
  readonly name: string
  /** Where it lies now; it is moved away. */
  readonly path: string
  readonly size: number
}

/** Texts among the next of a table. */
export interface FoundTexts {
  readonly texts: readonly { readonly id: number; readonly text: string }[]
  /** From behind which to go on; null where there are no more. */
  readonly next: number | null
}

/** A text of the project that may name attachments. */
export interface TextTarget {
  readonly table: 'issues' | 'merge_requests' | 'notes' | 'releases'
  readonly id: number
}
