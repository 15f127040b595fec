import { useQueryCache, type UseQueryEntry } from '@pinia/colada'
import type { Pinia } from 'pinia'
import { ref } from 'vue'
import { readKey } from './keys.ts'
import { staleAfter, type LiveEvent } from './live-reach.ts'
import { fileUrl } from './page-token.ts'

/** Whether the event stream is open. The window shows it next to the address. */
export const isLive = ref(false)

const listeners = new Set<(event: LiveEvent) => void>()

/** Subscribes to all live events, for data outside the cache. Returns a function that unsubscribes. */
export const onLiveEvent = (listener: (event: LiveEvent) => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const SETTLE_MS = 120
const REOPEN_MS = 5_000

/**
 * Opens the event stream and invalidates cached answers, so that the window shows at once what any client changes.
 * A broken stream is reopened; then everything on the screen is requested again. `renew` requests what
 * opens it. Returns how to close it.
 */
export const openLive = (pinia: Pinia, renew: () => Promise<void>) => {
  const cache = useQueryCache(pinia)
  let waiting: LiveEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let wasOpen = false

  /** A request canceled by a newer one is not an error. Other errors are shown with the response. */
  const refetch = (predicate: (entry: UseQueryEntry) => boolean) => {
    cache.invalidateQueries({ predicate }).catch(() => undefined)
  }

  const settle = () => {
    timer = undefined
    const cached = cache.getEntries().flatMap((entry) => {
      const key = readKey(entry.key)
      return key ? [{ ...key, data: entry.state.value.data, entry }] : []
    })
    const stale = new Set(waiting.flatMap((event) => staleAfter(event, cached)))
    waiting = []
    const entries = new Set(cached.filter((one) => stale.has(one)).map((one) => one.entry))
    if (entries.size > 0) refetch((entry) => entries.has(entry))
  }

  const onEvent = (message: MessageEvent<string>) => {
    const event = JSON.parse(message.data) as LiveEvent
    for (const listener of listeners) listener(event)
    // Everything may be another: users, settings, the session.
    if (event.name === 'snapshot.restored') return location.reload()
    waiting.push(event)
    timer ??= setTimeout(settle, SETTLE_MS)
  }

  let source: EventSource
  let isClosed = false
  let again: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    source = new EventSource(fileUrl('/-/events'))
    source.addEventListener('event', onEvent)
    source.addEventListener('open', () => {
      isLive.value = true
      if (wasOpen) refetch(() => true)
      wasOpen = true
    })
    source.addEventListener('error', () => {
      isLive.value = false
      // The browser tries again by itself unless it was refused: then with what opens the stream now.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(reopen, REOPEN_MS)
    })
  }
  const reopen = () => {
    const next = () => {
      if (!isClosed) again = setTimeout(reopen, REOPEN_MS)
    }
    void renew().then(() => {
      if (!isClosed) open()
    }, next)
  }
  open()

  return () => {
    isClosed = true
    source.close()
    clearTimeout(again)
    clearTimeout(timer)
    isLive.value = false
  }
}
