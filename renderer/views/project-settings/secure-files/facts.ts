import { t } from '../../../locales/t.ts'
/** One property of a certificate or profile. */
export type Fact = { label: string; value: string }

const LABELS: Readonly<Record<string, string>> = {
  id: t('project_settings.number'),
  subject: t('project_settings.source'),
  issuer: t('project_settings.issued_by'),
  app_name: t('common.application'),
  app_id: t('common.profile'),
  app_id_prefix: t('project_settings.prefix'),
  team_name: t('project_settings.team'),
  team_id: t('project_settings.team_id'),
  platforms: t('project_settings.platforms'),
  devices: t('project_settings.devices'),
  certificate_ids: t('project_settings.certificates'),
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, inner]) => `${name}=${textOf(inner)}`)
      .join(', ')
  return String(value ?? '')
}

/** The metadata of a file in a useful sequence. */
export const factsOf = (metadata: Readonly<Record<string, unknown>> | null): Fact[] =>
  Object.entries(LABELS).flatMap(([name, label]) => {
    const value = textOf(metadata?.[name])
    return value ? [{ label, value }] : []
  })

/** Whose it is, in a few words. */
export const shortly = (metadata: Readonly<Record<string, unknown>> | null): string => {
  const subject = metadata?.['subject'] as Record<string, string> | undefined
  return subject?.['CN'] ?? textOf(metadata?.['app_id'])
}
