import type { Delivery } from './hook.ts'
import { t } from '../../locales/t.ts'

/** The status of an answer or a short error, and its duration. */
export const answerOf = (entry: Pick<Delivery, 'response_status' | 'execution_duration' | 'error'>) => {
  const status = Number(entry.response_status)
  const took = t('webhooks.responded_in_execution_duration', {
    execution_duration: seconds(entry.execution_duration),
  })
  if (entry.response_status === 'ok') return { word: t('common.sent'), tone: 'ok' as const, text: took }
  if (entry.error?.startsWith('Nothing was sent'))
    return { word: t('webhooks.not_sent'), tone: 'warn' as const, text: '' }
  if (Number.isNaN(status)) return { word: t('webhooks.no_response'), tone: 'bad' as const, text: took }
  const tone = status >= 200 && status < 400 ? ('ok' as const) : ('bad' as const)
  return { word: String(status), tone, text: took }
}

/** `0.034` is "34 ms". */
export const seconds = (value: number): string =>
  value < 1 ? t('webhooks.round_ms', { round: Math.round(value * 1000) }) : `${value.toFixed(1)} s`

const SHOWN = 100_000

/** A message for people: JSON with its lines, anything else as it is, long ones cut. */
export const bodyText = (body: unknown): { text: string; isCut: boolean; language: string | null } => {
  const parsed = typeof body === 'string' ? jsonIn(body) : { value: body }
  const whole = parsed ? JSON.stringify(parsed.value, null, 2) : String(body)
  return { text: whole.slice(0, SHOWN), isCut: whole.length > SHOWN, language: parsed ? 'json' : null }
}

const jsonIn = (text: string): { value: unknown } | null => {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}
