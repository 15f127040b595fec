import type { RepositorySource } from '../projects/export/thread/messages.ts'
import type { Owner } from '../relations/relation.ts'

/** Relations of one project or group. Each is written into its own file. */
export interface RelationFilesTask {
  readonly database: string
  /** Base URL of this instance, without a trailing slash. */
  readonly url: string
  readonly includesGroupMembers: boolean
  /** The repository of the project; null if there is none. */
  readonly code: RepositorySource | null
  readonly owner: Owner
  /** Names of relations and the paths of their files. The relation `self` has the attributes of the owner. */
  readonly files: readonly { readonly relation: string; readonly target: string }[]
}

/** A written file, or the reason of a failure. */
export type RelationFileReport =
  | { readonly kind: 'written'; readonly relation: string; readonly records: number }
  | { readonly kind: 'failed'; readonly relation: string; readonly sentence: string; readonly stack: string }

export interface RelationFilesWork {
  readonly task: RelationFilesTask
  readonly result: void
  readonly report: RelationFileReport
}
