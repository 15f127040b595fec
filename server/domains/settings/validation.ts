import { RE2JS } from 're2js'

import { secondsOf } from '../../lib/text/durations.ts'
import { catalogue, type Settings } from './catalogue/settings.ts'
import type { Setting } from './catalogue/types.ts'
import type { Ctx } from '../../ctx.ts'
import { groupIdFor, storageNames } from './store.ts'

const BRANCH_NAME = /^(?!-)(?!.*(\.\.|@\{|\/\/|\.lock(\/|$)))[^\s~^:?*[\\\x00-\x1f\x7f]+(?<![./])$/
const DAY = 86_400

/** Returns the problem with a text, or undefined. */
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

/** Returns a check for a URL with one of the schemes. */
const urlWithScheme =
  (...schemes: readonly string[]): Check =>
  (text) => {
    const scheme = schemeOf(text)
    if (scheme === undefined) return 'is blocked: URI is invalid'
    return schemes.includes(scheme) ? undefined : `is blocked: Only allowed schemes are ${schemes.join(', ')}`
  }

const webUrl = urlWithScheme('http', 'https')

/** Checks a URL, or a path of this instance. */
const webUrlOrPath: Check = (text) => (/^\/(?!\/)\S*$/.test(text) ? undefined : webUrl(text))

const emailAddress = (problem: string) => matches(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, problem)

const re2Pattern: Check = (text) => {
  try {
    RE2JS.compile(text)
    return undefined
  } catch {
    return 'is not a valid RE2 syntax'
  }
}

const durationOrNever: Check = (text) =>
  text === '' || text === 'never' || secondsOf(text) !== null ? undefined : 'is not a correct duration'

const dayOrLonger: Check = (text) => {
  const seconds = secondsOf(text)
  if (seconds === null) return 'is not a correct duration'
  return seconds >= DAY ? undefined : 'must be at least 1 day'
}

/** Checks IP addresses and ranges, separated by commas. */
const ipRanges: Check = (text) => {
  const isValid = text.split(',').every((range) => /^[0-9a-f.:]{2,45}(\/\d{1,3})?$/i.test(range.trim()))
  return isValid ? undefined : 'contains an invalid IP address or range'
}

const formats: { readonly [Name in keyof Settings]?: Check } = {
  default_branch_name: matches(BRANCH_NAME, 'is not a valid branch name'),
  default_ci_config_path: (text) =>
    /^\/|\.\./.test(text) ? 'cannot include leading slash or directory traversal.' : undefined,
  email_restrictions: re2Pattern,
  user_default_internal_regex: re2Pattern,
  commit_email_hostname: matches(/^[^@\s]+$/, 'is invalid'),
  abuse_notification_email: emailAddress('is invalid'),
  email_from: emailAddress('is not a valid email address'),
  email_reply_to: emailAddress('is not a valid email address'),
  personal_access_token_prefix: matches(
    /^[a-zA-Z0-9_+=/@:.-]+$/,
    "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'",
  ),
  default_artifacts_expire_in: durationOrNever,
  archive_builds_in_human_readable: dayOrLonger,
  eks_account_id: matches(/^\d{12}$/, 'must be a 12-digit number'),
  eks_access_key_id: matches(/^.{16}/s, 'is too short (minimum is 16 characters)'),
  geo_node_allowed_ips: ipRanges,
  globally_allowed_ips: ipRanges,
  home_page_url: webUrl,
  after_sign_out_path: webUrlOrPath,
  help_page_support_url: webUrlOrPath,
  help_page_documentation_base_url: webUrl,
  custom_http_clone_url_root: webUrl,
  asset_proxy_url: webUrl,
  static_objects_external_storage_url: webUrl,
  external_authorization_service_url: webUrl,
  external_pipeline_validation_service_url: webUrl,
  diagramA_url: webUrl,
  diagramB_url: webUrl,
  kroki_url: webUrl,
  gitpod_url: webUrl,
  sourcegraph_url: webUrl,
  grafana_url: webUrlOrPath,
  error_tracking_api_url: webUrl,
  sentry_dsn: webUrl,
  sentry_clientside_dsn: webUrl,
  tracker_connect_proxy_url: webUrl,
  secret_detection_token_revocation_url: webUrl,
  secret_detection_revocation_token_types_url: webUrl,
  spam_check_endpoint_url: urlWithScheme('grpc', 'tls'),
}

/** Returns the problems with the formats of changed texts. Empty texts are valid. */
export function formatProblems(changes: Partial<Settings>): Problem[] {
  return Object.entries(formats).flatMap(([name, check]): Problem[] => {
    const value = changes[name as keyof Settings]
    const text = typeof value === 'string' && value !== '' ? check(value) : undefined
    return text === undefined ? [] : [[name, text]]
  })
}

/** An invalid setting: its name, and the contract's message. */
export type Problem = readonly [setting: string, text: string]
const switches = Object.entries(catalogue as Readonly<Record<string, Setting>>)
  .map(([name, { about }]) => ({ name, needs: about.needs ?? [], sentWith: about.sentWith ?? [] }))
  .filter(({ needs, sentWith }) => needs.length + sentWith.length > 0)

/**
 * Returns the settings that a request must include, but does not, because it turns on a switch (spec administration
 * 1.1). Newer clients send one period of housekeeping instead of three.
 */
export function missingSettings(input: Readonly<Record<string, unknown>>): string[] {
  const isNewer = input['housekeeping_optimize_repository_period'] !== undefined
  return switches
    .filter(({ name }) => input[name] === true && !(name === 'housekeeping_enabled' && isNewer))
    .flatMap(({ needs, sentWith }) => [...needs, ...sentWith])
    .filter((name) => input[name] === undefined)
}

/** Returns the blank settings that a switch requires, if the request changes the switch or one of them. */
export function blankProblems(
  settings: Settings,
  isChanged: (name: string) => boolean,
  isSecretSet: (name: string) => boolean,
): Problem[] {
  const values = settings as Readonly<Record<string, unknown>>
  return switches
    .filter(({ name, needs }) => values[name] === true && [name, ...needs].some(isChanged))
    .flatMap(({ needs }) => needs)
    .filter((name) => (name in values ? isBlank(values[name]) : !isSecretSet(name)))
    .map((name) => [name, "can't be blank"] as const)
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}

/** Returns the names of all storages. This domain reads them itself, because storages depend on settings. */
function storageNamesOf(ctx: Pick<Ctx, 'config' | 'db'>): ReadonlySet<string> {
  return new Set(['default', ...Object.keys(ctx.config.storages), ...storageNames(ctx.db)])
}

/** Returns the problems with storage weights: they must be from 0 to 100, for existing storages. */
export function weightProblems(ctx: Pick<Ctx, 'config' | 'db'>, changes: Partial<Settings>): Problem[] {
  const weights = changes.repository_storages_weighted
  if (!weights) return []
  const field = 'repository_storages_weighted'
  const knownNames = storageNamesOf(ctx)
  const unknown = Object.keys(weights).filter((name) => !knownNames.has(name))
  const outOfRange = Object.entries(weights).filter(([, weight]) => weight < 0 || weight > 100)
  return [
    ...(unknown.length > 0 ? [[field, `can't include: ${unknown.join(', ')}`] as const] : []),
    ...outOfRange.map(([name]) => [field, `value for '${name}' must be between 0 and 100`] as const),
  ]
}
type Input = Readonly<Record<string, unknown>>
const GROUP_PATH = 'performance_bar_allowed_group_path'
const GROUP_ID = 'performance_bar_allowed_group_id'

/**
 * Replaces the path of the group that can view the performance bar by its id, which is stored and returned. This
 * domain reads the table itself, because groups depend on settings.
 */
export function resolvePerformanceBarGroup(
  ctx: Pick<Ctx, 'db'>,
  input: Input,
): { rest: Input; problems: Problem[] } {
  const { [GROUP_PATH]: path, [GROUP_ID]: pathOrId, performance_bar_enabled: enabled, ...rest } = input
  if (enabled === false) return { rest: { ...rest, [GROUP_ID]: null }, problems: [] }
  const reference = path === undefined ? pathOrId : path
  if (reference === undefined) return { rest, problems: [] }
  if (reference === null || reference === '') return { rest: { ...rest, [GROUP_ID]: null }, problems: [] }
  const id = groupIdFor(
    ctx.db,
    String(reference),
    path === undefined && /^\d{1,15}$/.test(String(reference)) ? Number(reference) : -1,
  )
  return id === undefined
    ? { rest, problems: [[GROUP_PATH, 'not found']] }
    : { rest: { ...rest, [GROUP_ID]: id }, problems: [] }
}
