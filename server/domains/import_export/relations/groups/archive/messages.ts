/** What a thread is to write down: groups with their relations, as a tree or packed. */
export interface GroupsOrder {
  readonly database: string
  /** Base address of this instance, without a slash at its end. */
  readonly url: string
  /** Ids of the groups, those above before those below. */
  readonly groups: readonly number[]
  /** A folder that is there and empty, for what is not packed yet; the caller's to remove. */
  readonly folder: string
  /** The archive to be written. */
  readonly target: string
  /** What else it holds: names in it, and where they lie. */
  readonly files: readonly { readonly name: string; readonly file: string }[]
  /** The release that writes it, and its revision. */
  readonly version: string
  readonly revision: string
  readonly now: string
}

export type GroupsReport =
  | {
      readonly kind: 'progress'
      readonly step: 'relations' | 'packing'
      readonly done: number
      readonly total: number
    }
  | { readonly kind: 'done'; readonly size: number }
  | { readonly kind: 'failed'; readonly sentence: string; readonly stack: string; readonly expected: boolean }
