import type { Param } from '../../../http/param.ts'
import { text } from '../../../http/params.ts'
import type { About } from './setting.ts'

/** A setting that is sealed in the database. */
export interface SecretSetting {
  readonly param: Param<unknown>
  readonly label: string
  readonly help: string
  /** Characters that it may have. */
  readonly max: number
  /** True where the contract answers it to administrators in clear; of others answers say `<name>_set` alone. */
  readonly shown: boolean
  /** The group of settings that it belongs to in the window. */
  readonly group: string
  readonly about: About
}

type Options = About & { group: string; max?: number; shown?: boolean }

function secret(
  label: string,
  help: string,
  { group, max = 4096, shown = false, ...about }: Options,
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
    group,
    about: { empty: 'none', ...about },
  }
}

const told = (group: string, label: string, help: string, max?: number) =>
  secret(label, help, { group, shown: true, effect: 'echo', ...(max ? { max } : {}) })

/** Settings that are sealed in the database. `secretSetting()` opens one for the code that needs it. */
export const secretSettings = {
  smtp_password: secret('Password', 'At the mail server.', { group: 'mail' }),
  asset_proxy_secret_key: secret('Secret shared with the proxy', 'Addresses are signed with it.', {
    group: 'network',
  }),
  external_pipeline_validation_service_token: secret('Token for that service', 'Sent as a header.', {
    group: 'ci',
    shown: true,
  }),
  external_auth_client_key: told('services', 'Private key of that certificate', 'PEM.', 100_000),
  external_auth_client_key_pass: told('services', 'Password of that key', 'Where it has one.'),
  spamcheck_api_key: told('visitors', 'Key of the service', 'For the check of issues and comments.'),
  spam_check_api_key: told('visitors', 'Key of the other service', 'For the newer check of spam.', 2000),
  recaptcha_site_key: told('visitors', 'Site key', 'Of the service of captchas.'),
  recaptcha_private_key: told('visitors', 'Private key', 'Of the service of captchas.'),
  mailgun_signing_key: told(
    'mail',
    'Signing key of the mail service',
    'Its messages are signed with it.',
    255,
  ),
  slack_app_id: told('tools', 'Number of the chat application', 'At the chat.'),
  slack_app_secret: told('tools', 'Secret of the chat application', 'At the chat.'),
  slack_app_signing_secret: told('tools', 'Signing secret of the chat application', 'At the chat.'),
  slack_app_verification_token: told('tools', 'Verification token of the chat application', 'At the chat.'),
  eks_secret_access_key: secret('Secret access key', 'Of the account below.', {
    group: 'tools',
    effect: 'echo',
  }),
  elasticsearch_password: told('search', 'Password of the search engine', 'With its user name.'),
  elasticsearch_aws_secret_access_key: told(
    'search',
    'Secret access key of the search engine',
    'In the cloud.',
  ),
  static_objects_external_storage_auth_token: told(
    'network',
    'Token of that address',
    'It shows it when it asks.',
  ),
  secret_detection_token_revocation_token: told('tools', 'Token of the service of revocation', 'Sent to it.'),
} satisfies Record<string, SecretSetting>

/** Name of a secret setting. */
export type SecretName = keyof typeof secretSettings
export const secretNames = Object.keys(secretSettings) as SecretName[]

/** Those that administrators see in clear, and those that nobody reads back. */
export const shownNames = secretNames.filter((name) => secretSettings[name].shown)
export const hiddenNames = secretNames.filter((name) => !secretSettings[name].shown)
