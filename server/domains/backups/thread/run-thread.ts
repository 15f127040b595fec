import { Worker } from 'node:worker_threads'

import { BackupProblem, type Head } from '../archive/format.ts'
import type { BackupSources } from '../snapshot/take.ts'

/** How whoever started a thread takes part. */
export interface Watch {
  /** The thread is ready; once this resolves it takes its snapshot. */
  readonly onReady?: () => Promise<void>
  readonly onPinned?: () => void
  readonly onLinked?: (copied: number) => void
  readonly onProgress?: (step: Step, done: number, total: number) => void
  /** Ends the thread wherever it is. */
  readonly signal?: AbortSignal
}

/** Why a thread that nobody expected to fail did; the stack is for the log. */
export class ThreadFailure extends BackupProblem {
  readonly inner: string

  constructor(sentence: string, inner: string) {
    super(sentence)
    this.inner = inner
  }
}

/**
 * Has a thread make, read or unpack a backup. Rejects with BackupProblem for what it could not do, and with the reason of the
 * signal when it is ended.
 */
export async function runThread(order: Task, watch: Watch = {}): Promise<Outcome> {
  watch.signal?.throwIfAborted()
  // Next to this file in the sources, next to the bundle in a build.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./backup.worker.${extension}`, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const hear = (report: Report): void => {
    if (report.kind === 'done') resolve(report.outcome)
    else if (report.kind === 'failed')
      reject(
        report.expected
          ? new BackupProblem(report.sentence)
          : new ThreadFailure(report.sentence, report.stack),
      )
    else if (report.kind === 'progress') watch.onProgress?.(report.step, report.done, report.total)
    else if (report.kind === 'pinned') watch.onPinned?.()
    else if (report.kind === 'linked') watch.onLinked?.(report.copied)
    else void (watch.onReady?.() ?? Promise.resolve()).then(() => worker.postMessage('now'), reject)
  }
  worker.on('message', hear)
  worker.on('error', reject)
  worker.on('exit', () => reject(new BackupProblem('The work ended before it was done.')))
  const end = (): void => reject(watch.signal!.reason as Error)
  watch.signal?.addEventListener('abort', end, { once: true })
  try {
    return await promise
  } finally {
    watch.signal?.removeEventListener('abort', end)
    await worker.terminate()
  }
}

/** What a thread is to do. */
export type Task = BackupTask | RestoreTask | VerifyTask

/** Makes a backup. The thread reports when it is ready and takes its snapshot on request, while all writers wait. */
export interface BackupTask {
  readonly kind: 'backup'
  readonly sources: BackupSources
  readonly database: string
  /** The file to be written; it gets its name once it is complete and was read again. */
  readonly file: string
  readonly passphrase?: string | undefined
  readonly app_version: string
  readonly created_at: string
}

/** Unpacks a backup into folders next to the present data; replaces nothing. */
export interface RestoreTask {
  readonly kind: 'restore'
  readonly file: string
  readonly passphrase?: string | undefined
  /** Where the data folder is put together. */
  readonly staging: string
  /** Where the storages are put together that do not lie in the data folder, by name. */
  readonly storages: Readonly<Record<string, string>>
  /** The data folder, which gets the storages that no start option names. */
  readonly dataDir: string
  /** Steps of the schema that this release knows. */
  readonly known: readonly string[]
}

/** Only reads a backup. */
export interface VerifyTask {
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
