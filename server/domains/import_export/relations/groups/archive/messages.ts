/** Groups to export. The thread writes their relations into `folder` and packs everything. */
export interface GroupsTask {
  readonly database: string
  /** Base URL of this instance, without a trailing slash. */
  readonly url: string
  /** IDs of the groups, parents before their subgroups. */
  readonly groups: readonly number[]
  /** An existing empty folder for unpacked files. The caller removes it. */
  readonly folder: string
  /** Path of the new archive. */
  readonly target: string
  /** Additional files: their names in the archive and their paths. */
  readonly files: readonly { readonly name: string; readonly file: string }[]
  /** The version and revision of this instance. */
  readonly version: string
  readonly revision: string
  readonly now: string
}

export interface GroupsProgress {
  readonly step: 'relations' | 'packing'
  readonly done: number
  readonly total: number
}

export interface GroupsWork {
  readonly task: GroupsTask
  /** Size of the archive in bytes. */
  readonly result: number
  readonly report: GroupsProgress
}
