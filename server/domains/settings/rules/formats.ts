import { RE2JS } from 're2js'

import { secondsOf } from '../../../lib/durations.ts'
import type { Settings } from '../catalogue.ts'
import type { Problem } from './problem.ts'

const BRANCH_NAME = /^(?!-)(?!.*(\.\.|@\{|\/\/|\.lock(\/|$)))[^\s~^:?*[\\\x00-\x1f\x7f]+(?<![./])$/
const DAY = 86_400

/** Says what is wrong with a text, or nothing. */
type Check = (text: string) => string | undefined

const matches =
  (pattern: RegExp, problem: string): Check =>
  (text) =>
    pattern.test(text) ? undefined : problem

function schemeOf(text: string): string | undefined {
  try {
    const { protocol, hostname } = new URL(text)
    return hostname ? protocol.slice(0, -1) : undefined
  } catch {
    return undefined
  }
}

/** An address of one of some schemes. */
const address =
  (...schemes: readonly string[]): Check =>
  (text) => {
    const scheme = schemeOf(text)
    if (scheme === undefined) return 'is blocked: URI is invalid'
    return schemes.includes(scheme) ? undefined : `is blocked: Only allowed schemes are ${schemes.join(', ')}`
  }

const web = address('http', 'https')
/** An address, or a path of this instance. */
const place: Check = (text) => (/^\/(?!\/)\S*$/.test(text) ? undefined : web(text))
const eMail = (problem: string) => matches(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, problem)

const pattern: Check = (text) => {
  try {
    RE2JS.compile(text)
    return undefined
  } catch {
    return 'is not a valid RE2 syntax'
  }
}

const expiry: Check = (text) =>
  text === '' || text === 'never' || secondsOf(text) !== null ? undefined : 'is not a correct duration'

const archived: Check = (text) => {
  const seconds = secondsOf(text)
  if (seconds === null) return 'is not a correct duration'
  return seconds >= DAY ? undefined : 'must be at least 1 day'
}

/** Addresses and blocks of addresses, with commas between them. */
const networks: Check = (text) => {
  const isFine = text.split(',').every((part) => /^[0-9a-f.:]{2,45}(\/\d{1,3})?$/i.test(part.trim()))
  return isFine ? undefined : 'contains an invalid IP address or range'
}

const formats: { readonly [Name in keyof Settings]?: Check } = {
  default_branch_name: matches(BRANCH_NAME, 'is not a valid branch name'),
  default_ci_config_path: (text) =>
    /^\/|\.\./.test(text) ? 'cannot include leading slash or directory traversal.' : undefined,
  email_restrictions: pattern,
  user_default_internal_regex: pattern,
  commit_email_hostname: matches(/^[^@\s]+$/, 'is invalid'),
  abuse_notification_email: eMail('is invalid'),
  email_from: eMail('is not a valid e-mail address'),
  email_reply_to: eMail('is not a valid e-mail address'),
  personal_access_token_prefix: matches(
    /^[a-zA-Z0-9_+=/@:.-]+$/,
    "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'",
  ),
  default_artifacts_expire_in: expiry,
  archive_builds_in_human_readable: archived,
  eks_account_id: matches(/^\d{12}$/, 'must be a 12-digit number'),
  eks_access_key_id: matches(/^.{16}/s, 'is too short (minimum is 16 characters)'),
  geo_node_allowed_ips: networks,
  globally_allowed_ips: networks,
  home_page_url: web,
  after_sign_out_path: place,
  help_page_support_url: place,
  help_page_documentation_base_url: web,
  custom_http_clone_url_root: web,
  asset_proxy_url: web,
  static_objects_external_storage_url: web,
  external_authorization_service_url: web,
  external_pipeline_validation_service_url: web,
  diagramA_url: web,
  diagramB_url: web,
  kroki_url: web,
  gitpod_url: web,
  sourcegraph_url: web,
  grafana_url: place,
  error_tracking_api_url: web,
  sentry_dsn: web,
  sentry_clientside_dsn: web,
  tracker_connect_proxy_url: web,
  secret_detection_token_revocation_url: web,
  secret_detection_revocation_token_types_url: web,
  spam_check_endpoint_url: address('grpc', 'tls'),
}

/** The form of changed texts; an empty one is fine. */
export function wellFormed(changes: Partial<Settings>): Problem[] {
  return Object.entries(formats).flatMap(([name, check]): Problem[] => {
    const value = changes[name as keyof Settings]
    const text = typeof value === 'string' && value !== '' ? check(value) : undefined
    return text === undefined ? [] : [[name, text]]
  })
}
