import { PassThrough } from 'node:stream'

import type { Context } from 'koa'

import type { Ctx } from '../../ctx.ts'
import { fail, Failure } from '../../lib/fail.ts'

const PING_MS = 25_000
/** A client that reads this slowly is let go; it reconnects and reads afresh. */
const MAX_BUFFERED = 1024 * 1024

/**
 * What stood there before is for subscribers, which know who may read it. A window hears ids, and reads the rest as any
 * client.
 */
const WITHHELD = { previous: undefined, previous_body: undefined, changes: undefined }

/** Streams that one user may have open: windows and tabs of a person. Every event is held against every stream. */
const MAX_STREAMS = 100

/** Counts one more stream of the actor; the returned function ends it. Throws 429 for too many. */
function takePlace({ db, actor: { id } }: Ctx): () => void {
  const counts = db.instance('http.streams', () => new Map<number | null, number>())
  const count = counts.get(id) ?? 0
  if (count >= MAX_STREAMS) throw fail('too_many')
  counts.set(id, count + 1)
  return () => {
    const left = counts.get(id)! - 1
    if (left > 0) counts.set(id, left)
    else counts.delete(id)
  }
}

/**
 * `GET /-/events`: events as they happen, as server-sent events, to a signed-in window. `mayReceive` decides per event; it
 * throws once the credentials hold no longer, which ends the stream. There is no history: a window that reconnects
 * reads its views again. Throws 429 for a user with too many open streams.
 */
export function eventStream(ctx: Context, base: Ctx, mayReceive: (payload: unknown) => boolean): void {
  const leave = takePlace(base)
  const out = new PassThrough()
  const isHeard = (payload: unknown): boolean => {
    try {
      return mayReceive(payload)
    } catch (error) {
      out.end()
      if (error instanceof Failure) return false
      throw error
    }
  }
  const unwatch = base.events.watch((name, payload) => {
    if (out.writableEnded || !isHeard(payload)) return
    const data = JSON.stringify({ name, ...(payload as object), ...WITHHELD })
    out.write(`event: fact\ndata: ${data}\n\n`)
    if (out.writableLength > MAX_BUFFERED) out.destroy()
  })
  const ping = setInterval(() => out.writable && out.write(': ping\n\n'), PING_MS)
  ping.unref()
  const end = (): void => {
    clearInterval(ping)
    unwatch()
    leave()
    out.end()
  }
  ctx.res.once('close', end)
  ctx.status = 200
  ctx.set('Cache-Control', 'no-store')
  ctx.set('X-Accel-Buffering', 'no')
  ctx.body = out
  ctx.type = 'text/event-stream'
  // Says at once that the stream is open, so that proxies and tests need not wait for the first event.
  out.write(': connected\n\n')
}
