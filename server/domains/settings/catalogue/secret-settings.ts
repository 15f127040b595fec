import type { Param } from '../../../http/param.ts'
import { text } from '../../../http/params.ts'
import { helpOf } from './params-kinds.ts'
import type { SettingName } from './settings.ts'
import type { SettingOptions } from './types.ts'

/** A setting that is encrypted in the database. */
export interface SecretSetting {
  readonly param: Param<unknown>
  readonly label: string
  readonly help: string
  /** The maximum length of the value in characters. */
  readonly max: number
  /**
   * Whether responses to administrators contain the value in clear text. For other secrets, they contain only
   * `<name>_set`.
   */
  readonly shown: boolean
  /** The setting that precedes this one in the window. */
  readonly after: SettingName
  readonly about: SettingOptions
}

type Options = SettingOptions & { after: SettingName; max?: number; shown?: boolean }

function secret(
  label: string,
  help: string,
  { after, max = 4096, shown = false, ...about }: Options,
): SecretSetting {
  const explanation = helpOf(help, about)
  const storage = shown ? 'Encrypted in the database' : 'Never returned'
  return {
    param: text().nullable().optional().describe(`${label}. ${explanation} ${storage}; \`null\` removes it`),
    label,
    help: explanation,
    max,
    shown,
    after,
    about: { empty: 'none', ...about },
  }
}

/** Declares a secret setting that is only stored and has no effect. */
const storedSecret = (
  after: SettingName,
  label: string,
  help: string,
  options: { max?: number; below?: SettingName } = {},
) => secret(label, help, { after, shown: true, effect: 'echo', ...options })

/** Settings that are encrypted in the database. `secretSetting()` decrypts one for the code that needs it. */
export const secretSettings = {
  smtp_password: secret('SMTP password', 'Password of the account on the SMTP server.', {
    after: 'smtp_user_name',
  }),
  asset_proxy_secret_key: secret('Asset proxy secret key', 'Signs the image URLs.', {
    after: 'asset_proxy_url',
    below: 'asset_proxy_enabled',
  }),
  external_pipeline_validation_service_token: secret(
    'External pipeline validation token',
    'Sent to the service in a header.',
    {
      after: 'external_pipeline_validation_service_url',
      shown: true,
    },
  ),
  external_auth_client_key: storedSecret(
    'external_auth_client_cert',
    'Client authentication key',
    'Private key of the certificate in PEM format.',
    {
      max: 100_000,
      below: 'external_authorization_service_enabled',
    },
  ),
  external_auth_client_key_pass: storedSecret(
    'external_auth_client_cert',
    'Client authentication key password',
    'Required if the private key is encrypted.',
    { below: 'external_authorization_service_enabled' },
  ),
  spamcheck_api_key: storedSecret('spamcheck_enabled', 'Akismet API key', ''),
  spam_check_api_key: storedSecret('spam_check_endpoint_url', 'Spam Check API key', '', { max: 2000 }),
  recaptcha_site_key: storedSecret('recaptcha_enabled', 'reCAPTCHA site key', ''),
  recaptcha_private_key: storedSecret('recaptcha_enabled', 'reCAPTCHA private key', ''),
  mailgun_signing_key: storedSecret(
    'mailgun_events_enabled',
    'Mailgun HTTP webhook signing key',
    'Verifies messages from Mailgun.',
    { max: 255 },
  ),
  slack_app_id: storedSecret('slack_app_enabled', 'Slack app client ID', ''),
  slack_app_secret: storedSecret('slack_app_enabled', 'Slack app client secret', ''),
  slack_app_signing_secret: storedSecret('slack_app_enabled', 'Slack app signing secret', '', {
    below: 'slack_app_enabled',
  }),
  slack_app_verification_token: storedSecret('slack_app_enabled', 'Slack app verification token', ''),
  eks_secret_access_key: secret('AWS secret access key', '', {
    after: 'eks_access_key_id',
    effect: 'echo',
  }),
  elasticsearch_password: storedSecret('elasticsearch_username', 'Elasticsearch password', ''),
  elasticsearch_aws_secret_access_key: storedSecret(
    'elasticsearch_aws_access_key',
    'Elasticsearch AWS secret access key',
    '',
  ),
  static_objects_external_storage_auth_token: storedSecret(
    'static_objects_external_storage_url',
    'External storage authentication token',
    'The CDN sends it with its requests.',
  ),
  secret_detection_token_revocation_token: storedSecret(
    'secret_detection_token_revocation_url',
    'Token revocation service token',
    '',
  ),
} satisfies Record<string, SecretSetting>

/** Name of a secret setting. */
export type SecretName = keyof typeof secretSettings
export const secretNames = Object.keys(secretSettings) as SecretName[]

/** Secrets that administrators can read in clear text. */
export const readableSecretNames = secretNames.filter((name) => secretSettings[name].shown)

/** Secrets that are never returned. */
export const writeOnlySecretNames = secretNames.filter((name) => !secretSettings[name].shown)
