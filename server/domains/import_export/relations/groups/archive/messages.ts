/** The groups and relations that a thread writes, as a tree or packed. */
export interface GroupsTask {
  readonly database: string
  /** Base address of this instance, without a trailing slash. */
  readonly url: string
  /** Ids of the groups, parents before their subgroups. */
  readonly groups: readonly number[]
  /** An existing empty folder for unpacked files; the caller removes it. */
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
  /** Bytes of the archive. */
  readonly result: number
  readonly report: GroupsProgress
}
