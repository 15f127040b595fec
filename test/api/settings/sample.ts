import type { SettingDescription } from '../../../server/domains/settings/entity.ts'

/** Values for settings with a special format. */
const FITTING: Readonly<Record<string, unknown>> = {
  archive_builds_in_human_readable: '40 days',
  default_artifacts_expire_in: '3 weeks',
  default_branch_name: 'trunk',
  default_ci_config_path: 'ci/main.yml',
  abuse_notification_email: 'abuse@example.test',
  email_from: 'from@example.test',
  email_reply_to: 'reply@example.test',
  email_restrictions: '@spam\\.test$',
  user_default_internal_regex: '@example\\.test$',
  geo_node_allowed_ips: '10.0.0.0/8, ::1',
  globally_allowed_ips: '10.0.0.0/8',
  ed25519_key_restriction: 256,
  eks_account_id: '123456789012',
  eks_access_key_id: 'A'.repeat(20),
  spam_check_endpoint_url: 'grpc://spam.example.test:8001',
  personal_access_token_prefix: 'tok-',
  commit_email_hostname: 'mail.example.test',
  // The storages must exist.
  repository_storages_weighted: { default: 40 },
  // There are no sign-in providers.
  disabled_oauth_sign_in_sources: [],
  // The group must exist, and the certificate must be valid.
  performance_bar_allowed_group_id: null,
  external_auth_client_cert: null,
  external_auth_client_key: null,
  // Settings that depend on other settings, or must be less or greater than they are.
  send_user_confirmation_email: true,
  email_confirmation_setting: 'hard',
  gitaly_timeout_fast: 11,
  gitaly_timeout_medium: 31,
  gitaly_timeout_default: 56,
  housekeeping_incremental_repack_period: 11,
  housekeeping_full_repack_period: 51,
  housekeeping_gc_period: 201,
  inactive_projects_delete_after_months: 9,
  inactive_projects_send_warning_email_after_months: 3,
  mirror_capacity_threshold: 60,
  mirror_max_capacity: 120,
  // These settings would refuse the requests of the test.
  admin_mode: false,
  maintenance_mode: false,
  unique_ips_limit_enabled: false,
  enforce_terms: false,
  disable_personal_access_tokens: false,
}

const isAddress = (name: string): boolean => /_(url|dsn|root)$|_path$|_url_/.test(name)

/** Returns a valid value of a setting, which differs from the default if possible. */
export function sampleOf(setting: SettingDescription): unknown {
  if (setting.name in FITTING) return FITTING[setting.name]
  // Throttles stay disabled, because the test sends many requests.
  if (setting.name.startsWith('throttle_') && setting.kind === 'switch') return false
  switch (setting.kind) {
    case 'switch':
      return !setting.default
    case 'number':
    case 'decimal':
      return setting.default === setting.minimum || setting.default === null
        ? (setting.minimum ?? 0) + 1
        : Math.max(setting.minimum ?? 0, Number(setting.default) - 1) === setting.default
          ? Number(setting.default)
          : (setting.minimum ?? 0) + 1
    case 'choice':
      return setting.choices!.find(({ value }) => value !== setting.default && value !== 'nil')!.value
    case 'choices':
      return [setting.choices![0]!.value]
    case 'list':
      return ['one.example.test', 'two.example.test']
    case 'numbers':
      return [3, 5]
    case 'switches':
      return Object.fromEntries(setting.choices!.map(({ value }) => [value, true]))
    case 'object':
      return { some: 'value' }
    case 'weights':
      return { default: 50 }
    case 'markdown':
      return `Text of **${setting.name}**`
    case 'text':
      return isAddress(setting.name)
        ? `https://example.test/${setting.name}`
        : `text-of-${setting.name}`.slice(0, setting.maximum ?? 20)
  }
}
