import { computed, ref } from 'vue'
import { useRoute } from 'vue-router'
import { useApi } from '../../api/useApi.ts'
import { canPutAway, isShown, type Broadcast } from './broadcasts.ts'
import { roleInSight } from '../roleInSight.ts'
import { useClock } from '../useClock.ts'

const KEY = 'deskforge.dismissed'
const FRESH_MS = 60_000

/** Dismissed messages of this browser with their end times. Expired entries are removed. */
const read = (): Record<string, string> => {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, string>
    const now = Date.now()
    return Object.fromEntries(Object.entries(saved).filter(([, end]) => Date.parse(end) > now))
  } catch {
    return {}
  }
}
const dismissed = ref(read())

/** The current broadcast messages for this page: banners above it, notifications in its corner. */
export const useBroadcasts = () => {
  const route = useRoute()
  const clock = useClock()
  const known = useApi('GET /-/broadcast_messages', {}, { staleTime: FRESH_MS })
  const shown = computed(() =>
    (known.data.value ?? []).filter(
      (one) =>
        isShown(one, {
          // A new message starts now, even if the clock of the window is not updated yet.
          now: Math.max(clock.value, heardAt(known.data.value)),
          path: route.path,
          level: roleInSight(),
        }) && !(canPutAway(one) && dismissed.value[one.id]),
    ),
  )
  const of = (type: Broadcast['broadcast_type']) =>
    computed(() => shown.value.filter((one) => one.broadcast_type === type))

  /** Puts a message away in this browser. */
  const dismiss = ({ id, ends_at }: Broadcast) => {
    dismissed.value = { ...read(), [id]: ends_at }
    localStorage.setItem(KEY, JSON.stringify(dismissed.value))
  }
  return { banners: of('banner'), notifications: of('notification'), dismiss }
}

const times = new WeakMap<object, number>()
/** When an answer was first looked at. */
const heardAt = (answer: object | undefined): number => {
  if (!answer) return 0
  const at = times.get(answer) ?? Date.now()
  times.set(answer, at)
  return at
}
