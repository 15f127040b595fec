import type { Head } from '../archive/format.ts'
import type { BackupSources } from '../snapshot/take.ts'

/** What a thread is to do. */
export type Order = BackupOrder | RestoreOrder | VerifyOrder

/** Makes a backup. The thread says when it is ready and takes its snapshot when told to, while everybody waits. */
export interface BackupOrder {
  readonly kind: 'backup'
  readonly places: BackupSources
  readonly database: string
  /** The file to be written; it gets its name once it is complete and was read again. */
  readonly file: string
  readonly passphrase?: string | undefined
  readonly app_version: string
  readonly created_at: string
}

/** Reads a backup into folders beside what is there; nothing is replaced. */
export interface RestoreOrder {
  readonly kind: 'restore'
  readonly file: string
  readonly passphrase?: string | undefined
  /** Where the data folder is put together. */
  readonly staging: string
  /** Where the storages are put together that do not lie in the data folder, by name. */
  readonly storages: Readonly<Record<string, string>>
  /** The data folder, which storages of unknown places move into. */
  readonly dataDir: string
  /** Steps of the schema that this release knows. */
  readonly known: readonly string[]
}

/** Only reads a backup. */
export interface VerifyOrder {
  readonly kind: 'verify'
  readonly file: string
  readonly passphrase?: string | undefined
}

/** What is being done. */
export type Step = 'waiting' | 'linking' | 'database' | 'writing' | 'verifying' | 'unpacking' | 'checking'

/** What a thread says. */
export type Report =
  | { readonly kind: 'ready' }
  /** The moment is held: everybody may go on. */
  | { readonly kind: 'pinned' }
  /** Everything is linked: files may be removed again. */
  | { readonly kind: 'linked'; readonly copied: number }
  | { readonly kind: 'progress'; readonly step: Step; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly sentence: string; readonly stack: string; readonly expected: boolean }

/** What came of it. `size` and `sha256` are those of the file, where one was written. */
export interface Outcome {
  readonly head: Head
  readonly size: number
  readonly sha256: string
}
