import { Ban, CircleCheck, CircleX, LoaderCircle } from '@lucide/vue'
import type { Component } from 'vue'
import { isUnderWay } from '../../../composables/runStatus.ts'
import { t } from '../../../locales/t.ts'

type Look = { icon: Component; meaning?: 'ok' | 'bad' | 'run' }

/** All checks in one word: a failure counts first, then what is still going on. Null without any that count. */
export const sumUp = (
  statuses: readonly { status: string; allow_failure: boolean }[],
): { words: string; look: Look } | null => {
  // Manual and skipped jobs do not count for the state of the commit.
  const counted = statuses.filter((one) => one.status !== 'manual' && one.status !== 'skipped')
  if (counted.length === 0) return null
  const failed = counted.filter((one) => one.status === 'failed' && !one.allow_failure).length
  const open = counted.filter((one) => isUnderWay(one.status)).length
  const canceled = counted.filter((one) => one.status === 'canceled').length
  if (failed > 0)
    return {
      words: t('repository.checks_failed', { checks: t('count.checks', { count: failed }) }),
      look: { icon: CircleX, meaning: 'bad' },
    }
  if (open > 0)
    return {
      words: t('repository.checks_running', { checks: t('count.checks', { count: open }) }),
      look: { icon: LoaderCircle, meaning: 'run' },
    }
  if (canceled > 0)
    return {
      words: t('repository.checks_canceled', { checks: t('count.checks', { count: canceled }) }),
      look: { icon: Ban },
    }
  return {
    words: t('repository.checks_passed', { checks: t('count.checks', { count: counted.length }) }),
    look: { icon: CircleCheck, meaning: 'ok' },
  }
}
