import type { RelationOrder } from '../exports/thread/messages.ts'

/** Some relations of one project or group, each to be written into a file. */
export interface RelationFilesOrder extends Omit<RelationOrder, 'kind' | 'relation' | 'target'> {
  readonly files: readonly { readonly relation: string; readonly target: string }[]
}

export type RelationFileReport =
  | { readonly kind: 'written'; readonly relation: string; readonly records: number }
  | { readonly kind: 'failed'; readonly relation: string; readonly sentence: string; readonly stack: string }
  | { readonly kind: 'done' }
