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

/** A URL with one of the given schemes. */
const address =
  (...schemes: readonly string[]): Check =>
  (text) => {
    const scheme = schemeOf(text)
    if (scheme === undefined) return 'is blocked: URI is invalid'
    return schemes.includes(scheme) ? undefined : `is blocked: Only allowed schemes are ${schemes.join(', ')}`
  }

const web = address('http', 'https')

/** A URL, or a path of this instance. */
const webOrPath: Check = (text) => (/^\/(?!\/)\S*$/.test(text) ? undefined : web(text))

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

/** IP addresses and ranges, separated by commas. */
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
  email_from: eMail('is not a valid email address'),
  email_reply_to: eMail('is not a valid email address'),
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
  after_sign_out_path: webOrPath,
  help_page_support_url: webOrPath,
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
  grafana_url: webOrPath,
  error_tracking_api_url: web,
  sentry_dsn: web,
  sentry_clientside_dsn: web,
  tracker_connect_proxy_url: web,
  secret_detection_token_revocation_url: web,
  secret_detection_revocation_token_types_url: web,
  spam_check_endpoint_url: address('grpc', 'tls'),
}

/** Checks the format of changed texts; empty ones are valid. */
export function wellFormed(changes: Partial<Settings>): Problem[] {
  return Object.entries(formats).flatMap(([name, check]): Problem[] => {
    const value = changes[name as keyof Settings]
    const text = typeof value === 'string' && value !== '' ? check(value) : undefined
    return text === undefined ? [] : [[name, text]]
  })
}

/** A problem: the name of the setting, and the contract's message. */
export type Problem = readonly [setting: string, text: string]
const switches = Object.entries(catalogue as Readonly<Record<string, Setting>>)
  .map(([name, { about }]) => ({ name, needs: about.needs ?? [], sentWith: about.sentWith ?? [] }))
  .filter(({ needs, sentWith }) => needs.length + sentWith.length > 0)

/**
 * The missing settings that must be sent together with a switch when it is switched on (spec administration 1.1). Newer
 * clients send one period of housekeeping instead of three.
 */
export function missing(input: Readonly<Record<string, unknown>>): string[] {
  const isNewer = input['housekeeping_optimize_repository_period'] !== undefined
  return switches
    .filter(({ name }) => input[name] === true && !(name === 'housekeeping_enabled' && isNewer))
    .flatMap(({ needs, sentWith }) => [...needs, ...sentWith])
    .filter((name) => input[name] === undefined)
}

/** Settings that a switch requires. `isSecretSet` reports encrypted ones. */
export function blanks(
  settings: Settings,
  changed: (name: string) => boolean,
  isSecretSet: (name: string) => boolean,
): Problem[] {
  const values = settings as Readonly<Record<string, unknown>>
  return switches
    .filter(({ name, needs }) => values[name] === true && [name, ...needs].some(changed))
    .flatMap(({ needs }) => needs)
    .filter((name) => (name in values ? isBlank(values[name]) : !isSecretSet(name)))
    .map((name) => [name, "can't be blank"] as const)
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}

/** Names of storages; the domain of storages depends on settings. */
function namesOf(ctx: Pick<Ctx, 'config' | 'db'>): ReadonlySet<string> {
  return new Set(['default', ...Object.keys(ctx.config.storages), ...storageNames(ctx.db)])
}

/** The weights of storages: whole numbers from 0 to 100, for existing storages. */
export function storageWeights(ctx: Pick<Ctx, 'config' | 'db'>, changes: Partial<Settings>): Problem[] {
  const weights = changes.repository_storages_weighted
  if (!weights) return []
  const field = 'repository_storages_weighted'
  const knownNames = namesOf(ctx)
  const unknown = Object.keys(weights).filter((name) => !knownNames.has(name))
  const outOfRange = Object.entries(weights).filter(([, weight]) => weight < 0 || weight > 100)
  return [
    ...(unknown.length > 0 ? [[field, `can't include: ${unknown.join(', ')}`] as const] : []),
    ...outOfRange.map(([name]) => [field, `value for '${name}' must be between 0 and 100`] as const),
  ]
}
type Input = Readonly<Record<string, unknown>>
const PATH = 'performance_bar_allowed_group_path'
const ID = 'performance_bar_allowed_group_id'

/**
 * The group that can view the performance bar: requests send its path; the id is stored and returned. Reads the table here,
 * because groups depend on settings.
 */
export function performanceBar(ctx: Pick<Ctx, 'db'>, input: Input): { rest: Input; problems: Problem[] } {
  const { [PATH]: path, [ID]: older, performance_bar_enabled: enabled, ...rest } = input
  if (enabled === false) return { rest: { ...rest, [ID]: null }, problems: [] }
  const wanted = path === undefined ? older : path
  if (wanted === undefined) return { rest, problems: [] }
  if (wanted === null || wanted === '') return { rest: { ...rest, [ID]: null }, problems: [] }
  const id = groupIdFor(
    ctx.db,
    String(wanted),
    path === undefined && /^\d{1,15}$/.test(String(wanted)) ? Number(wanted) : -1,
  )
  return id === undefined
    ? { rest, problems: [[PATH, 'not found']] }
    : { rest: { ...rest, [ID]: id }, problems: [] }
}
