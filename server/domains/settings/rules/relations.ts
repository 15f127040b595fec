import type { Settings } from '../catalogue.ts'
import type { Problem } from './problem.ts'

const KEY_FAMILIES = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'] as const

type Numbers = Extract<
  { [Name in keyof Settings]: Settings[Name] extends number ? Name : never }[keyof Settings],
  string
>

/** Which number may not go beyond which other one: `[smaller, larger, may they be equal, on which one it is said]`. */
const ORDER: readonly [Numbers, Numbers, boolean, 'smaller' | 'larger'][] = [
  ['gitaly_timeout_fast', 'gitaly_timeout_default', true, 'smaller'],
  ['gitaly_timeout_medium', 'gitaly_timeout_default', true, 'smaller'],
  ['gitaly_timeout_fast', 'gitaly_timeout_medium', true, 'larger'],
  ['housekeeping_incremental_repack_period', 'housekeeping_full_repack_period', true, 'larger'],
  ['housekeeping_full_repack_period', 'housekeeping_gc_period', true, 'larger'],
  ['mirror_capacity_threshold', 'mirror_max_capacity', true, 'smaller'],
  [
    'inactive_projects_send_warning_email_after_months',
    'inactive_projects_delete_after_months',
    false,
    'smaller',
  ],
]

/** Limits between settings, as they would all be after the change (spec administration 1.2). */
export function relations(settings: Settings): Problem[] {
  const problems: Problem[] = []
  for (const [smaller, larger, equal, on] of ORDER) {
    const [low, high] = [settings[smaller], settings[larger]]
    if (low < high || (equal && low === high)) continue
    const orEqual = equal ? ' or equal to' : ''
    problems.push(
      on === 'smaller'
        ? [smaller, `must be less than${orEqual || ''} ${high}`]
        : [larger, `must be greater than${orEqual} ${low}`],
    )
  }
  if (KEY_FAMILIES.every((family) => settings[`${family}_key_restriction`] < 0)) {
    problems.push(['allowed_key_types', "can't be blank"])
  }
  if (settings.domain_denylist_enabled && settings.domain_denylist.length === 0) {
    problems.push(['domain_denylist', 'Domain denylist cannot be empty if denylist is enabled.'])
  }
  if (settings.smtp_enabled && !settings.smtp_address) problems.push(['smtp_address', "can't be blank"])
  return problems
}
