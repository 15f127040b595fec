import type { HighlightAnswer, HighlightRequest } from './highlight.worker.ts'
import { isTooLong } from './limits.ts'

const PATIENCE_MS = 4000

interface Job {
  text: string
  language: string
  signal: AbortSignal | undefined
  resolve: (lines: string[] | null) => void
}

// One worker with one job at a time, the newest first, because the latest request is for the shown content.
const waiting: Job[] = []
let worker: Worker | null = null
let running: Job | null = null
let watchdog: ReturnType<typeof setTimeout> | undefined
let lastId = 0

/**
 * Colours text in the worker: one piece of HTML for each line, spans closed at line ends. Null when
 * the text is too long, the language is unknown, the caller gave up, or a grammar takes over 4 seconds.
 */
export function highlight(text: string, language: string, signal?: AbortSignal): Promise<string[] | null> {
  if (isTooLong(text.length, language) || typeof Worker === 'undefined') return Promise.resolve(null)
  return new Promise((resolve) => {
    waiting.push({ text, language, signal, resolve })
    next()
  })
}

function next(): void {
  if (running) return
  let job = waiting.pop()
  while (job?.signal?.aborted) {
    job.resolve(null)
    job = waiting.pop()
  }
  if (!job) return
  running = job
  worker ??= start()
  const request: HighlightRequest = { id: ++lastId, text: job.text, language: job.language }
  worker.postMessage(request)
  watchdog = setTimeout(giveUp, PATIENCE_MS)
}

function start(): Worker {
  const made = new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' })
  made.addEventListener('message', (event: MessageEvent<HighlightAnswer>) => {
    if (event.data.id === lastId) finish(event.data.lines)
  })
  made.addEventListener('error', giveUp)
  return made
}

function finish(lines: string[] | null): void {
  clearTimeout(watchdog)
  running?.resolve(lines)
  running = null
  next()
}

/** A regular expression cannot be interrupted; the worker that is stuck in one is replaced. */
function giveUp(): void {
  worker?.terminate()
  worker = null
  finish(null)
}
