import type { Param } from '../../../http/param.ts'
import { text } from '../../../http/params.ts'
import type { SettingName } from './settings.ts'
import type { About } from './types.ts'

/** A setting that is sealed in the database. */
export interface SecretSetting {
  readonly param: Param<unknown>
  readonly label: string
  readonly help: string
  /** Characters that it may have. */
  readonly max: number
  /** True where the contract answers it to administrators in clear; of others answers say `<name>_set` alone. */
  readonly shown: boolean
  /** The setting that it stands behind in the window. */
  readonly after: SettingName
  readonly about: About
}

type Options = About & { after: SettingName; max?: number; shown?: boolean }

function secret(
  label: string,
  help: string,
  { after, max = 4096, shown = false, ...about }: Options,
): SecretSetting {
  const what = shown ? 'sealed in the database' : 'no answer shows it'
  return {
    param: text()
      .nullable()
      .optional()
      .describe(`${label}. ${help} ${what[0]!.toUpperCase()}${what.slice(1)}; \`null\` forgets it`),
    label,
    help,
    max,
    shown,
    after,
    about: { empty: 'none', ...about },
  }
}

/** One that only other tools read; it stands below the same switch as the setting before it. */
const echoed = (
  after: SettingName,
  label: string,
  help: string,
  more: { max?: number; below?: SettingName } = {},
) => secret(label, help, { after, shown: true, effect: 'echo', ...more })

/** Settings that are sealed in the database. `secretSetting()` opens one for the code that needs it. */
export const secretSettings = {
  smtp_password: secret('Password', 'At the mail server.', { after: 'smtp_user_name' }),
  asset_proxy_secret_key: secret('Secret shared with the proxy', 'Addresses are signed with it.', {
    after: 'asset_proxy_url',
    below: 'asset_proxy_enabled',
  }),
  external_pipeline_validation_service_token: secret('Token for that service', 'Sent as a header.', {
    after: 'external_pipeline_validation_service_url',
    shown: true,
  }),
  external_auth_client_key: echoed('external_auth_client_cert', 'Private key of that certificate', 'PEM.', {
    max: 100_000,
    below: 'external_authorization_service_enabled',
  }),
  external_auth_client_key_pass: echoed(
    'external_auth_client_cert',
    'Password of that key',
    'Where it has one.',
    { below: 'external_authorization_service_enabled' },
  ),
  spamcheck_api_key: echoed(
    'spamcheck_enabled',
    'Key of the service',
    'For the check of issues and comments.',
  ),
  spam_check_api_key: echoed(
    'spam_check_endpoint_url',
    'Key of the other service',
    'For the newer check of spam.',
    { max: 2000 },
  ),
  recaptcha_site_key: echoed('recaptcha_enabled', 'Site key', 'Of the service of captchas.'),
  recaptcha_private_key: echoed('recaptcha_enabled', 'Private key', 'Of the service of captchas.'),
  mailgun_signing_key: echoed(
    'mailgun_events_enabled',
    'Signing key of the mail service',
    'Its messages are signed with it.',
    { max: 255 },
  ),
  slack_app_id: echoed('slack_app_enabled', 'Number of the chat application', 'At the chat.'),
  slack_app_secret: echoed('slack_app_enabled', 'Secret of the chat application', 'At the chat.'),
  slack_app_signing_secret: echoed(
    'slack_app_enabled',
    'Signing secret of the chat application',
    'At the chat.',
    { below: 'slack_app_enabled' },
  ),
  slack_app_verification_token: echoed(
    'slack_app_enabled',
    'Verification token of the chat application',
    'At the chat.',
  ),
  eks_secret_access_key: secret('Secret access key', 'Of the account below.', {
    after: 'eks_access_key_id',
    effect: 'echo',
  }),
  elasticsearch_password: echoed(
    'elasticsearch_username',
    'Password of the search engine',
    'With its user name.',
  ),
  elasticsearch_aws_secret_access_key: echoed(
    'elasticsearch_aws_access_key',
    'Secret access key of the search engine',
    'In the cloud.',
  ),
  static_objects_external_storage_auth_token: echoed(
    'static_objects_external_storage_url',
    'Token of that address',
    'It shows it when it asks.',
  ),
  secret_detection_token_revocation_token: echoed(
    'secret_detection_token_revocation_url',
    'Token of the service of revocation',
    'Sent to it.',
  ),
} satisfies Record<string, SecretSetting>

/** Name of a secret setting. */
export type SecretName = keyof typeof secretSettings
export const secretNames = Object.keys(secretSettings) as SecretName[]

/** Those that administrators see in clear, and those that nobody reads back. */
export const shownNames = secretNames.filter((name) => secretSettings[name].shown)
export const hiddenNames = secretNames.filter((name) => !secretSettings[name].shown)
