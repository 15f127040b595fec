import { PassThrough } from 'node:stream'

import type { Context } from 'koa'

import type { Ctx } from '../../ctx.ts'
import { fail, Failure } from '../../lib/fail.ts'

const PING_MS = 25_000
/** A window with more unread bytes is disconnected; it reconnects and loads its views again. */
const MAX_BUFFERED = 1024 * 1024

/** Fields of events that only subscribers use. A window gets ids and reads the rest through the API. */
const HIDDEN_FIELDS = { previous: undefined, previous_body: undefined, changes: undefined }

/** The maximum number of open streams per user. It is limited because every event is checked for every stream. */
const MAX_STREAMS = 100

/** Counts a new stream of the actor; call the returned function when the stream ends. Throws 429 for too many. */
function countStream({ db, actor: { id } }: Ctx): () => void {
  const counts = db.instance('http.streams', () => new Map<number | null, number>())
  const count = counts.get(id) ?? 0
  if (count >= MAX_STREAMS) throw fail('too_many')
  counts.set(id, count + 1)
  return () => {
    const remaining = counts.get(id)! - 1
    if (remaining > 0) counts.set(id, remaining)
    else counts.delete(id)
  }
}

/**
 * `GET /-/events`: server-sent events for a signed-in window. `mayReceive` decides per event; it throws when the
 * credentials are no longer valid, which ends the stream. Events are not stored, so a window that reconnects loads its
 * views again. Throws 429 for a user with too many open streams.
 */
export function eventStream(ctx: Context, base: Ctx, mayReceive: (payload: unknown) => boolean): void {
  const uncount = countStream(base)
  const out = new PassThrough()
  const isForClient = (payload: unknown): boolean => {
    try {
      return mayReceive(payload)
    } catch (error) {
      out.end()
      if (error instanceof Failure) return false
      throw error
    }
  }
  const unwatch = base.events.watch(
    (name, payload) => {
      if (out.writableEnded || !isForClient(payload)) return
      const data = JSON.stringify({ name, ...(payload as object), ...HIDDEN_FIELDS })
      out.write(`event: event\ndata: ${data}\n\n`)
      if (out.writableLength > MAX_BUFFERED) out.destroy()
    },
    () => out.end(),
  )
  const ping = setInterval(() => out.writable && out.write(': ping\n\n'), PING_MS)
  ping.unref()
  const end = (): void => {
    clearInterval(ping)
    unwatch()
    uncount()
    out.end()
  }
  ctx.res.once('close', end)
  ctx.status = 200
  ctx.set('Cache-Control', 'no-store')
  ctx.set('X-Accel-Buffering', 'no')
  ctx.body = out
  ctx.type = 'text/event-stream'
  // A comment is sent immediately, so that proxies and clients need not wait for the first event.
  out.write(': connected\n\n')
}
