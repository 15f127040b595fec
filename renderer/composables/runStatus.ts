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
import { t } from '../locales/t.ts'

/** How a pipeline or a job fares, for the eye and in a word. */
export type RunLook = { icon: Component | null; tone: 'ok' | 'bad' | 'run' | 'warn' | 'idle'; word: string }

const LOOKS: Readonly<Record<string, RunLook>> = {
  created: { icon: CircleDashed, tone: 'idle', word: t('common.created') },
  waiting_for_resource: { icon: Hourglass, tone: 'warn', word: t('common.waiting_for_resource') },
  preparing: { icon: CircleDashed, tone: 'idle', word: t('common.preparing') },
  pending: { icon: CirclePause, tone: 'warn', word: t('common.pending') },
  running: { icon: null, tone: 'run', word: t('common.running') },
  canceling: { icon: null, tone: 'idle', word: t('common.canceling') },
  success: { icon: CircleCheck, tone: 'ok', word: t('common.passed') },
  failed: { icon: CircleX, tone: 'bad', word: t('common.failed_2') },
  canceled: { icon: Ban, tone: 'idle', word: t('common.canceled') },
  skipped: { icon: CircleSlash2, tone: 'idle', word: t('common.skipped') },
  manual: { icon: CirclePlay, tone: 'idle', word: t('common.manual') },
  scheduled: { icon: Clock, tone: 'idle', word: t('common.delayed') },
}
const WARNING: RunLook = { icon: CircleAlert, tone: 'warn', word: t('common.passed_with_warnings') }
const ALLOWED: RunLook = { icon: CircleAlert, tone: 'warn', word: t('common.failed_allowed_to') }

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
