import { Worker } from 'node:worker_threads'

import type { Database } from '../../../db/database.ts'
import type { Mark, ReferenceLink } from '../../../lib/markdown.ts'
import type { FromThread, RenderTask, ToThread } from './read.ts'

/** Threads that render at the same time; each takes a processor and some 40 MB. */
const MAX_THREADS = 2

/** A text gets this long. What people write takes a small part of it. */
const DEADLINE_MS = 8000

/** While other texts wait, a text gets only this long, so that no text holds both threads. */
const SHARE_MS = 2500
const CHECK_MS = 250

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
export function renderInThread(db: Database, task: RenderTask, links: FindLinks): Promise<Rendered> {
  return db.instance('markdown.threads', () => new MarkupPool()).render(task, links)
}

/** The worker threads of one instance. */
class MarkupPool {
  #running = 0
  readonly #waiting: (() => void)[] = []
  readonly #idle: { readonly thread: MarkupThread; readonly timer: NodeJS.Timeout }[] = []

  async render(task: RenderTask, links: FindLinks): Promise<Rendered> {
    if (this.#waiting.length > MAX_WAITING) return 'busy'
    await this.#enter()
    try {
      return await this.#renderNow(task, links)
    } finally {
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < MAX_THREADS) this.#running += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }

  async #renderNow(task: RenderTask, links: FindLinks): Promise<Rendered> {
    const thread = this.#take()
    const begun = performance.now()
    let gaveWay = false
    const timer = setInterval(() => {
      const spent = performance.now() - begun
      if (spent < DEADLINE_MS) gaveWay ||= spent > SHARE_MS && this.#waiting.length > 0
      if (gaveWay || spent >= DEADLINE_MS) void thread.end()
    }, CHECK_MS)
    try {
      const html = await thread.render(task, links)
      this.#keep(thread)
      return { html }
    } catch (error) {
      await thread.end()
      // A text that gave way to others may succeed later.
      if (error instanceof Unreadable) return gaveWay ? 'busy' : 'late'
      throw error
    } finally {
      clearInterval(timer)
    }
  }

  #take(): MarkupThread {
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      clearTimeout(kept.timer)
      if (!kept.thread.isOver) return kept.thread
    }
    return new MarkupThread()
  }

  #keep(thread: MarkupThread): void {
    const end = (): void => {
      const at = this.#idle.findIndex((one) => one.thread === thread)
      if (at >= 0) this.#idle.splice(at, 1)
      void thread.end()
    }
    this.#idle.push({ thread, timer: setTimeout(end, IDLE_MS).unref() })
  }
}

/** The text could not be rendered: too slow, too much memory, or the reader of its format failed. */
class Unreadable extends Error {}

interface Exchange {
  readonly links: FindLinks
  resolve(html: string): void
  reject(error: Error): void
}

/** A thread that renders one text at a time. */
class MarkupThread {
  readonly #worker: Worker
  #exchange: Exchange | undefined
  /** The thread has ended and takes no further text. */
  isOver = false

  constructor() {
    // The worker is next to this file in the sources, and next to the bundle once it is built.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    this.#worker = new Worker(new URL(`./markup.worker.${extension}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 384 },
    })
    this.#worker.unref()
    this.#worker.on('error', () => this.#fail())
    this.#worker.on('exit', () => this.#fail())
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
  }

  /** Returns safe HTML. Rejects with `Unreadable` or the error of `links`; the caller ends the thread then. */
  render(task: RenderTask, links: FindLinks): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#exchange = { links, resolve, reject }
      if (this.isOver) reject(new Unreadable())
      else this.#send({ kind: 'task', task })
    })
  }

  /** Ends the thread, also while it renders. */
  async end(): Promise<void> {
    this.isOver = true
    await this.#worker.terminate()
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #receive(message: FromThread): void {
    const exchange = this.#exchange
    if (!exchange) return
    if (message.kind === 'html') exchange.resolve(message.html)
    else if (message.kind === 'failed') exchange.reject(new Unreadable(message.stack))
    else
      exchange
        .links(message.marks)
        .then((links) => this.#send({ kind: 'links', links }))
        .catch(exchange.reject)
  }

  #fail(): void {
    this.isOver = true
    this.#exchange?.reject(new Unreadable())
  }
}
