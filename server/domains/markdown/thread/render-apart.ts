import { MarkupThread, Unreadable, type FindLinks } from './markup-thread.ts'
import type { Order } from './messages.ts'

/** Threads at work at a time; each takes a processor and some 40 MB. */
const MAX_THREADS = 2
/** Texts that people write take a small part of this. */
const DEADLINE_MS = 8000
/** The same while others wait: nobody holds both threads for long. */
const SHARE_MS = 2500
const LOOK_MS = 250
/** A thread that has nothing to do waits so long for another text: whoever writes wants to see what they wrote. */
const IDLE_MS = 20_000
/** Where more than these wait for a thread, no other text is made to. */
const MAX_WAITING = 40

let running = 0
const waiting: (() => void)[] = []
const idle: { readonly thread: MarkupThread; readonly timer: NodeJS.Timeout }[] = []

/** What became of a text: `late` is one that takes too long or cannot be read, `busy` one that nobody had time for. */
export type Rendered = { readonly html: string } | 'late' | 'busy'

/**
 * A text as safe HTML, rendered in a thread of its own. The links of a Markdown text are looked up here, between reading and
 * rendering.
 */
export async function renderApart(order: Order, links: FindLinks): Promise<Rendered> {
  if (waiting.length > MAX_WAITING) return 'busy'
  await enter()
  try {
    return await inThread(order, links)
  } finally {
    leave()
  }
}

async function enter(): Promise<void> {
  if (running < MAX_THREADS) running += 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
}

function leave(): void {
  const next = waiting.shift()
  if (next === undefined) running -= 1
  else next()
}

async function inThread(order: Order, links: FindLinks): Promise<Rendered> {
  const thread = takeThread()
  const begun = performance.now()
  let gaveWay = false
  const timer = setInterval(() => {
    const spent = performance.now() - begun
    if (spent < DEADLINE_MS) gaveWay ||= spent > SHARE_MS && waiting.length > 0
    if (gaveWay || spent >= DEADLINE_MS) void thread.end()
  }, LOOK_MS)
  try {
    const html = await thread.render(order, links)
    keepThread(thread)
    return { html }
  } catch (error) {
    await thread.end()
    // What gave way may be read when there is more time.
    if (error instanceof Unreadable) return gaveWay ? 'busy' : 'late'
    throw error
  } finally {
    clearInterval(timer)
  }
}

function takeThread(): MarkupThread {
  for (let kept = idle.pop(); kept; kept = idle.pop()) {
    clearTimeout(kept.timer)
    if (!kept.thread.isOver) return kept.thread
  }
  return new MarkupThread()
}

function keepThread(thread: MarkupThread): void {
  const end = (): void => {
    const at = idle.findIndex((one) => one.thread === thread)
    if (at >= 0) idle.splice(at, 1)
    void thread.end()
  }
  idle.push({ thread, timer: setTimeout(end, IDLE_MS).unref() })
}
