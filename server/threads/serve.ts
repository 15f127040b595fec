import { parentPort, type Transferable } from 'node:worker_threads'

import { errorCode } from '../lib/files/error-code.ts'
import type { Failed, FromThread, ToThread, Work } from './messages.ts'

/** The main thread, as the code in a thread sees it. */
export interface MainThread<W extends Work> {
  report(report: W['report']): void
  ask(question: W['question']): Promise<W['answer']>
}

interface ServeOptions<W extends Work> {
  /** Errors with a message for users. The main thread receives them as `refused`. */
  readonly problems?: readonly (abstract new (...args: never[]) => Error)[]
  /** Returns the parts of a result that are transferred to the main thread instead of copied. */
  transfer?(result: W['result']): readonly Transferable[]
}

/** Makes a `*.worker.ts` file a thread. `work` runs one task at a time, until the main thread ends the thread. */
export function serve<W extends Work>(
  work: (task: W['task'], main: MainThread<W>) => W['result'] | Promise<W['result']>,
  { problems = [], transfer }: ServeOptions<W> = {},
): void {
  const waiting = new Map<number, (answer: W['answer']) => void>()
  let lastId = 0
  const send = (message: FromThread<W>, transferred: readonly Transferable[] = []): void =>
    parentPort?.postMessage(message, transferred)
  const main: MainThread<W> = {
    report: (report) => send({ kind: 'report', report }),
    ask: (question) =>
      new Promise((resolve) => {
        const id = ++lastId
        waiting.set(id, resolve)
        send({ kind: 'question', id, question })
      }),
  }
  const failure = (error: unknown): Failed => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    const code = errorCode(error) || undefined
    const why = problems.some((problem) => error instanceof problem) ? 'refused' : 'failed'
    return { why, message, stack: stack ?? '', code }
  }
  const perform = async (task: W['task']): Promise<void> => {
    try {
      const result = await work(task, main)
      send({ kind: 'done', result }, transfer?.(result))
    } catch (error) {
      send({ kind: 'failed', ...failure(error) })
    }
  }
  parentPort?.on('message', (message: ToThread<W>) => {
    if (message.kind === 'task') void perform(message.task)
    else {
      waiting.get(message.id)?.(message.answer)
      waiting.delete(message.id)
    }
  })
}

/** Milliseconds between two reports of progress. */
const REPORT_MS = 250

interface Progress {
  readonly step?: string
  readonly done: number
  readonly total: number
}

/** Reports progress at most every 250 ms, and when a step begins or ends. */
export function progressReporter<P extends Progress>(report: (progress: P) => void): (progress: P) => void {
  let reportedAt = -Infinity
  let step: string | undefined
  return (progress) => {
    const now = performance.now()
    if (progress.step === step && now - reportedAt < REPORT_MS && progress.done < progress.total) return
    reportedAt = now
    step = progress.step
    report(progress)
  }
}
