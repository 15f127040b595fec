/** One property of a certificate or profile. */
export type Fact = { label: string; value: string }

const LABELS: Readonly<Record<string, string>> = {
  id: 'Number',
  subject: 'Of',
  issuer: 'Issued by',
  app_name: 'Application',
  app_id: 'Profile',
  app_id_prefix: 'Prefix',
  team_name: 'Team',
  team_id: 'Number of the team',
  platforms: 'Platforms',
  devices: 'Devices',
  certificate_ids: 'Certificates',
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
