import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle } from '@lucide/vue'
import type { Component } from 'vue'
import { plural } from '../../../composables/time.ts'

type Look = { icon: Component; meaning?: 'ok' | 'bad' | 'warn' | 'run' }

export const STATUS_LOOKS: Record<string, Look> = {
  success: { icon: CircleCheck, meaning: 'ok' },
  failed: { icon: CircleX, meaning: 'bad' },
  canceled: { icon: Ban },
  running: { icon: LoaderCircle, meaning: 'run' },
  pending: { icon: CircleDashed, meaning: 'run' },
}

/** All checks in one word: a failure counts first, then what is still going on. Null without any. */
export const sumUp = (
  statuses: readonly { status: string; allow_failure: boolean }[],
): { words: string; look: Look } | null => {
  if (statuses.length === 0) return null
  const failed = statuses.filter((one) => one.status === 'failed' && !one.allow_failure).length
  const open = statuses.filter((one) => one.status === 'running' || one.status === 'pending').length
  const canceled = statuses.filter((one) => one.status === 'canceled').length
  if (failed > 0) return { words: `${plural(failed, 'check')} failed`, look: STATUS_LOOKS.failed! }
  if (open > 0) return { words: `${plural(open, 'check')} running`, look: STATUS_LOOKS.running! }
  if (canceled > 0) return { words: `${plural(canceled, 'check')} canceled`, look: STATUS_LOOKS.canceled! }
  return { words: `${plural(statuses.length, 'check')} passed`, look: STATUS_LOOKS.success! }
}
