import { useLocalStorage } from '@vueuse/core'

/** How diffs are read in this window, whichever they are. */
export const useDiffOptions = () => ({
  /** Long lines go on below; else both sides scroll sideways together. */
  wrap: useLocalStorage('deskforge.diff_wrap', true),
  /** Lines that differ in blanks only count as unchanged. */
  ignoreSpace: useLocalStorage('deskforge.diff_ignore_space', false),
})
