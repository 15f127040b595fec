import { lineMap, UNCHANGED, type LineMap } from './line-map.ts'

/** A file that differs between two commits. */
export interface ChangedFile {
  readonly old_path: string
  readonly new_path: string
  readonly new_file: boolean
  readonly deleted_file: boolean
  /** Its hunks; null where they are not known: a binary or very large file. */
  readonly diff: string | null
}

/** A file on its way from one commit to another. */
export interface FileAcross {
  readonly old_path: string
  readonly new_path: string
  /** Undefined where it is not known what became of its lines. */
  readonly lines: LineMap | undefined
  /** False where the two commits have it in common. */
  readonly differs: boolean
}

/** What differs between two commits, as far as it is asked about. */
export class Files {
  readonly #byOld = new Map<string, FileAcross>()
  readonly #byNew = new Map<string, FileAcross>()

  constructor(changed: readonly ChangedFile[]) {
    for (const file of changed) {
      const { old_path, new_path, diff } = file
      const lines = diff === null ? undefined : lineMap(diff)
      const across = { old_path, new_path, lines, differs: true }
      if (!file.new_file) this.#byOld.set(old_path, across)
      if (!file.deleted_file) this.#byNew.set(new_path, across)
    }
  }

  /** The file that had this path before. */
  from(path: string): FileAcross {
    return this.#byOld.get(path) ?? same(path)
  }

  /** The file that has this path now. */
  to(path: string): FileAcross {
    return this.#byNew.get(path) ?? same(path)
  }
}

const same = (path: string): FileAcross => ({
  old_path: path,
  new_path: path,
  lines: UNCHANGED,
  differs: false,
})
