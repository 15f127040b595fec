import { readonly, ref } from 'vue'

const TICK_MS = 20_000
const now = ref(Date.now())
let timer: ReturnType<typeof setInterval> | undefined

/** The time, renewed every few seconds for everything on the screen at once. */
export const useClock = () => {
  timer ??= setInterval(() => {
    now.value = Date.now()
  }, TICK_MS)
  return readonly(now)
}
