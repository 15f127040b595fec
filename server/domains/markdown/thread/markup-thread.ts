import { Worker } from 'node:worker_threads'

import type { Mark, ReferenceLink } from '../../../lib/markdown.ts'
import type { FromThread, Order, ToThread } from './messages.ts'

/** Says where the marks of a text lead, in their order. */
export type FindLinks = (marks: readonly Mark[]) => Promise<(ReferenceLink | undefined)[]>

/** The text could not be rendered: it took too long, too much memory, or what reads its format failed. */
export class Unreadable extends Error {}

interface Talk {
  readonly links: FindLinks
  resolve(html: string): void
  reject(error: Error): void
}

/** A thread that renders one text after the other. */
export class MarkupThread {
  readonly #worker: Worker
  #talk: Talk | undefined
  /** It has ended, and takes no text any more. */
  isOver = false

  constructor() {
    // Beside this file in the sources, beside the bundle once it is built.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    this.#worker = new Worker(new URL(`./markup.worker.${extension}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 384 },
    })
    this.#worker.unref()
    this.#worker.on('error', () => this.#lose())
    this.#worker.on('exit', () => this.#lose())
    this.#worker.on('message', (message: FromThread) => this.#hear(message))
  }

  /** Safe HTML. Rejects with `Unreadable`, or with what `links` fails with; the thread is to be ended then. */
  render(order: Order, links: FindLinks): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#talk = { links, resolve, reject }
      if (this.isOver) reject(new Unreadable())
      else this.#say({ kind: 'order', order })
    })
  }

  /** Ends it, in the middle of a text too. */
  async end(): Promise<void> {
    this.isOver = true
    await this.#worker.terminate()
  }

  #say(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #hear(message: FromThread): void {
    const talk = this.#talk
    if (!talk) return
    if (message.kind === 'html') talk.resolve(message.html)
    else if (message.kind === 'failed') talk.reject(new Unreadable(message.stack))
    else
      talk
        .links(message.marks)
        .then((links) => this.#say({ kind: 'links', links }))
        .catch(talk.reject)
  }

  #lose(): void {
    this.isOver = true
    this.#talk?.reject(new Unreadable())
  }
}
