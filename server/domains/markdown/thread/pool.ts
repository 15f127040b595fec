import type { Database } from '../../../db/database.ts'
import type { Mark, ReferenceLink } from '../../../lib/markdown.ts'
import { ThreadPool } from '../../../threads/pool.ts'
import { ThreadError, workerFile } from '../../../threads/thread.ts'
import type { RenderTask, RenderWork } from './read.ts'

/** Threads that render at the same time; each takes a processor and some 40 MB. */
const MAX_THREADS = 2

/** A text gets this long. What people write takes a small part of it. */
const DEADLINE_MS = 8000

/** While other texts wait, a text gets only this long, so that no text holds both threads. */
const SHARE_MS = 2500

/** An idle thread waits this long for the next text: writers look at previews again and again. */
const IDLE_MS = 20_000

/** With more texts waiting than this, further ones are not rendered. */
const MAX_WAITING = 40

/** The result of rendering: `late` means too slow or unreadable, `busy` means that no thread had time. */
export type Rendered = { readonly html: string } | 'late' | 'busy'

/** Finds the links of a text's marks, in the order of the marks. */
export type FindLinks = (marks: readonly Mark[]) => Promise<(ReferenceLink | undefined)[]>

/**
 * Renders a text as safe HTML in a worker thread. `links` runs on the calling thread, between reading and rendering a
 * Markdown text.
 */
export async function renderInThread(db: Database, task: RenderTask, links: FindLinks): Promise<Rendered> {
  const threads = db.instance('markdown.threads', () => {
    const file = workerFile(import.meta.url, './markup')
    return new ThreadPool<RenderWork>(file, {
      threads: MAX_THREADS,
      memoryMb: 384,
      idleMs: IDLE_MS,
      maxWaiting: MAX_WAITING,
      timeoutMs: DEADLINE_MS,
      shareMs: SHARE_MS,
    })
  })
  try {
    return { html: await threads.run(task, { onQuestion: links }) }
  } catch (error) {
    if (!(error instanceof ThreadError)) throw error
    // A text that gave way to others may succeed later; every other failure is the text's own.
    return error.why === 'busy' ? 'busy' : 'late'
  }
}
