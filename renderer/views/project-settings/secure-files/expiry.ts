import { dayText } from '../../../composables/time.ts'
import { t } from '../../../locales/t.ts'

const SOON_MS = 30 * 24 * 3600 * 1000

/** The expiration text of a certificate or profile; null for files without expiration. */
export const expiryOf = (
  expires_at: string | null,
  now: number,
): { text: string; state: 'bad' | 'warn' | null } | null => {
  if (expires_at === null) return null
  const left = Date.parse(expires_at) - now
  const day = dayText(expires_at)
  if (left <= 0) return { text: t('project_settings.expired_on_day', { day }), state: 'bad' }
  return { text: t('project_settings.expires_day', { day }), state: left < SOON_MS ? 'warn' : null }
}
