import { ref } from 'vue'

/** The clock of the instance: its state, and when this window learned of it. */
type Known = { mode: 'real' | 'frozen' | 'moved'; at: number; heard: number }

const known = ref<Known>({ mode: 'real', at: 0, heard: 0 })

/** Whether the time of the instance is that of the computer. */
export const clockMode = () => known.value.mode

/** Keeps what the instance says about its clock. */
export const keepClock = ({ mode, now }: { mode: Known['mode']; now: string }) => {
  known.value = { mode, at: Date.parse(now), heard: Date.now() }
}

/** The time of the instance in milliseconds, for everything that is shown next to now. */
export const instanceNow = (): number => {
  const { mode, at, heard } = known.value
  if (mode === 'real') return Date.now()
  return mode === 'frozen' ? at : at + Date.now() - heard
}
