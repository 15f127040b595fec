/** A repository, and the git that reads it. */
export interface RepositorySource {
  readonly binary: string
  readonly home: string
  readonly gitDir: string
}

/** A project to be written. The thread waits until the bundles are there, and packs everything that lies in `folder` then. */
export interface ArchiveOrder {
  readonly database: string
  readonly projectId: number
  /** Base address of this instance, without a slash at its end. */
  readonly url: string
  readonly includesGroupMembers: boolean
  /** Where the code lies; null where there is none. */
  readonly code: RepositorySource | null
  /** Laid out as the archive is; empty in the beginning. */
  readonly folder: string
  /** The archive to be written; not below `folder`. */
  readonly target: string
  /** Said instead of the description that the project has. */
  readonly description: string | null
  readonly avatar: { readonly name: string; readonly file: string } | null
  /** Folder of the project's uploads, and of large files. */
  readonly uploads: string
  readonly lfs: string
  /** The release that writes it, and its revision. */
  readonly version: string
  readonly revision: string
  readonly now: string
}

/** What is being done, and how much of it. */
export interface ExportProgress {
  readonly step: 'tree' | 'repositories' | 'packing'
  readonly done: number
  readonly total: number
}

export type ExportReport =
  /** From now on the database is read as it was. */
  | { readonly kind: 'pinned' }
  | ({ readonly kind: 'progress' } & ExportProgress)
  | { readonly kind: 'done'; readonly size: number; readonly records: number }
  | { readonly kind: 'failed'; readonly sentence: string; readonly stack: string; readonly expected: boolean }
