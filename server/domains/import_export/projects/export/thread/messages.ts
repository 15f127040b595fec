/** A repository and the git executable that reads it. */
export interface RepositorySource {
  readonly binary: string
  readonly home: string
  readonly gitDir: string
}

/** A project to export. The thread waits for the bundles and then packs everything in `folder`. */
export interface ArchiveTask {
  readonly database: string
  readonly projectId: number
  /** Base URL of this instance, without a trailing slash. */
  readonly url: string
  readonly includesGroupMembers: boolean
  /** The repository of the project; null if there is none. */
  readonly code: RepositorySource | null
  /** The folder with the content of the archive. Empty at the start. */
  readonly folder: string
  /** Path of the new archive, outside `folder`. */
  readonly target: string
  /** Replaces the description of the project. */
  readonly description: string | null
  readonly avatar: { readonly name: string; readonly file: string } | null
  /** Folders of the project's uploads and of LFS objects. */
  readonly uploads: string
  readonly lfs: string
  /** The version and revision of this instance. */
  readonly version: string
  readonly revision: string
  readonly now: string
}

/** The current step and its progress. */
export interface ExportProgress {
  readonly step: 'tree' | 'repositories' | 'packing'
  readonly done: number
  readonly total: number
}

export interface ExportWork {
  readonly task: ArchiveTask
  readonly result: { readonly size: number; readonly records: number }
  readonly report: ExportProgress
  /** The database snapshot is open. The thread packs after the main thread has written the bundles. */
  readonly question: 'pinned'
  readonly answer: void
}
