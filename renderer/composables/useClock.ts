import { readonly, ref, watch } from 'vue'
import { clockMode, instanceNow } from './instanceClock.ts'

const TICK_MS = 20_000
const now = ref(instanceNow())
let timer: ReturnType<typeof setInterval> | undefined

/** The time, renewed every few seconds for everything on the screen at once. */
export const useClock = () => {
  timer ??= setInterval(() => {
    now.value = instanceNow()
  }, TICK_MS)
  return readonly(now)
}

/** Shows a moved clock at once. */
watch([clockMode, instanceNow], () => {
  now.value = instanceNow()
})
