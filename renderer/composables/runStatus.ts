import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CirclePlay,
  CircleSlash2,
  CircleX,
  Clock,
  Hourglass,
} from '@lucide/vue'
import type { Component } from 'vue'

/** How a pipeline or a job fares, for the eye and in a word. */
export type RunLook = { icon: Component | null; tone: 'ok' | 'bad' | 'run' | 'warn' | 'idle'; word: string }

const LOOKS: Readonly<Record<string, RunLook>> = {
  created: { icon: CircleDashed, tone: 'idle', word: 'created' },
  waiting_for_resource: { icon: Hourglass, tone: 'warn', word: 'waits for its resource' },
  preparing: { icon: CircleDashed, tone: 'idle', word: 'preparing' },
  pending: { icon: CirclePause, tone: 'warn', word: 'pending' },
  running: { icon: null, tone: 'run', word: 'running' },
  canceling: { icon: null, tone: 'idle', word: 'being cancelled' },
  success: { icon: CircleCheck, tone: 'ok', word: 'passed' },
  failed: { icon: CircleX, tone: 'bad', word: 'failed' },
  canceled: { icon: Ban, tone: 'idle', word: 'cancelled' },
  skipped: { icon: CircleSlash2, tone: 'idle', word: 'skipped' },
  manual: { icon: CirclePlay, tone: 'idle', word: 'waits to be started' },
  scheduled: { icon: Clock, tone: 'idle', word: 'delayed' },
}
const WARNING: RunLook = { icon: CircleAlert, tone: 'warn', word: 'passed with warnings' }
const ALLOWED: RunLook = { icon: CircleAlert, tone: 'warn', word: 'failed, allowed to' }

/** The look of a status. `warnings`: something failed that was allowed to. */
export const runLook = (status: string, warnings = false): RunLook => {
  if (warnings && status === 'success') return WARNING
  if (warnings && status === 'failed') return ALLOWED
  return LOOKS[status] ?? { icon: CircleDashed, tone: 'idle', word: status.replaceAll('_', ' ') }
}

/** Statuses in which something still happens by itself. */
export const isUnderWay = (status: string) =>
  ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'canceling', 'scheduled'].includes(
    status,
  )
