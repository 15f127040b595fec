import { runInThread, ThreadError, workerFile } from '../../../threads/thread.ts'
import { BackupProblem, type Head, sentenceOf } from '../archive/format.ts'
import type { BackupSources } from '../snapshot/take.ts'

/** The callbacks of the code that starts a thread. */
export interface ThreadCallbacks {
  /** Called when the thread is ready. The thread takes its snapshot when the promise resolves. */
  readonly onReady?: () => Promise<string | undefined>
  readonly onPinned?: () => void
  readonly onLinked?: (copied: number) => void
  readonly onProgress?: (step: Step, done: number, total: number) => void
  /** Ends the thread at any point. */
  readonly signal?: AbortSignal
}

/** An unexpected error in a thread. `threadStack` is its stack, for the log. */
export class ThreadFailure extends BackupProblem {
  readonly threadStack: string

  constructor(sentence: string, inner: string) {
    super(sentence)
    this.threadStack = inner
  }
}

/**
 * Runs a thread that creates, reads or unpacks a backup. Rejects with BackupProblem for an expected problem, and with
 * the reason of the signal if that ends the thread.
 */
export async function runThread(task: Task, callbacks: ThreadCallbacks = {}): Promise<Outcome> {
  const { signal, onReady, onPinned, onLinked, onProgress } = callbacks
  try {
    return await runInThread<BackupWork>(workerFile(import.meta.url, './backup'), task, {
      signal,
      memoryMb: 1024,
      onQuestion: onReady,
      onReport: (report) => {
        if (report.kind === 'pinned') onPinned?.()
        else if (report.kind === 'linked') onLinked?.(report.copied)
        else onProgress?.(report.step, report.done, report.total)
      },
    })
  } catch (error) {
    if (!(error instanceof ThreadError)) throw error
    if (error.why === 'refused') throw new BackupProblem(error.message)
    if (error.why === 'ended') throw new BackupProblem('The work ended before it was done.')
    throw new ThreadFailure(sentenceOf(error), error.stack ?? '')
  }
}

/** The task of a thread. */
export type Task = BackupTask | RestoreTask | VerifyTask

/** Creates a backup. The thread asks when it is ready, and captures the data when it gets the answer. */
export interface BackupTask {
  readonly kind: 'backup'
  readonly sources: BackupSources
  readonly database: string
  /** The file to write. */
  readonly file: string
  readonly passphrase?: string | undefined
  readonly app_version: string
  readonly created_at: string
}

/** Unpacks a backup into folders next to the current data, without replacing anything. */
export interface RestoreTask {
  readonly kind: 'restore'
  readonly file: string
  readonly passphrase?: string | undefined
  /** The folder where the data folder is assembled. */
  readonly staging: string
  /** The folders where storages outside the data folder are assembled, by name. */
  readonly storages: Readonly<Record<string, string>>
  /** The data folder. Storages without a start option are restored into it. */
  readonly dataDir: string
  /** The migrations of this release. */
  readonly knownMigrations: readonly string[]
}

/** Only reads a backup. */
export interface VerifyTask {
  readonly kind: 'verify'
  readonly file: string
  readonly passphrase?: string | undefined
}

/** The current step. */
export type Step = 'waiting' | 'linking' | 'database' | 'writing' | 'verifying' | 'unpacking' | 'checking'

export type Report =
  /** The database and the refs are captured: refs may move again. */
  | { readonly kind: 'pinned' }
  /** Everything is linked: files may be removed again. */
  | { readonly kind: 'linked'; readonly copied: number }
  | { readonly kind: 'progress'; readonly step: Step; readonly done: number; readonly total: number }

export interface BackupWork {
  readonly task: Task
  readonly result: Outcome
  readonly report: Report
  /** The thread is ready. It captures the data when it gets the answer. */
  readonly question: 'ready'
  /** The file of the database to read; undefined for the one of the task. */
  readonly answer: string | undefined
}

/** The result. `size` and `sha256` are those of the file, if one was written. */
export interface Outcome {
  readonly head: Head
  readonly size: number
  readonly sha256: string
}
