/** The policy of a new project for old images (spec core 1.2). */
const EXPIRATION = {
  cadence: '1d',
  enabled: false,
  keep_n: 10 as number | null,
  older_than: '90d' as string | null,
  name_regex: '.*' as string | null,
  name_regex_keep: null as string | null,
}

/** The policy of a project: what it changed, over the defaults. */
export function expirationPolicy(stored: string): typeof EXPIRATION {
  return stored === '{}'
    ? EXPIRATION
    : { ...EXPIRATION, ...(JSON.parse(stored) as Partial<typeof EXPIRATION>) }
}
