import type { RepositorySource } from '../projects/export/thread/messages.ts'
import type { Owner } from '../relations/relation.ts'

/** Some relations of one project or group, each to be written into a file. */
export interface RelationFilesOrder {
  readonly database: string
  /** Base address of this instance, without a slash at its end. */
  readonly url: string
  readonly includesGroupMembers: boolean
  /** Where the code lies; null where there is none. */
  readonly code: RepositorySource | null
  readonly owner: Owner
  /** Names of relations, and where they go. `self` is what the owner itself is. */
  readonly files: readonly { readonly relation: string; readonly target: string }[]
}

export type RelationFileReport =
  | { readonly kind: 'written'; readonly relation: string; readonly records: number }
  | { readonly kind: 'failed'; readonly relation: string; readonly sentence: string; readonly stack: string }
  | { readonly kind: 'done' }
