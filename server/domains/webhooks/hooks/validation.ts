import { RE2JS } from 're2js'

import type { Ctx } from '../../../ctx.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { linearPattern } from '../../../lib/text/linear-pattern.ts'
import { ForbiddenDestination, type Purpose } from '../../../lib/outbound.ts'
import { checkTemplate } from '../deliveries/template.ts'
import type { HookSecrets } from './hook.ts'
import type { HookRow } from './store.ts'

const MAX_LENGTH = 2048

/** The time limit of the DNS lookup in milliseconds. A name that is not resolved by then is accepted. */
const LOOKUP_MS = 2000

/** Returns the URL with its variables replaced. Undefined if one is missing. */
export function fullUrl({
  url,
  url_variables,
}: Pick<HookSecrets, 'url' | 'url_variables'>): string | undefined {
  let isComplete = true
  const full = url.replace(/\{([A-Za-z0-9._-]+)\}/g, (_, name: string) => {
    if (Object.hasOwn(url_variables, name)) return url_variables[name]!
    isComplete = false
    return ''
  })
  return isComplete ? full : undefined
}

/** Returns the scheme, host and port of the URL. Null for an invalid one. */
export function originOf(secrets: Pick<HookSecrets, 'url' | 'url_variables'>): string | null {
  const full = fullUrl(secrets)
  return full !== undefined && URL.canParse(full) ? new URL(full).origin : null
}

/**
 * True if a URL is valid for webhooks: http or https, and not an address that the settings block. A name is checked
 * only if it can be resolved now. The delivery checks the address again.
 */
export async function isValidTarget(
  ctx: Pick<Ctx, 'outbound'>,
  secrets: Pick<HookSecrets, 'url' | 'url_variables'>,
  purpose: Purpose,
): Promise<boolean> {
  const full = fullUrl(secrets)
  // The URL parser would silently remove white space.
  if (full === undefined || full.length > MAX_LENGTH || /[\p{Cc}\s]/u.test(full) || !URL.canParse(full))
    return false
  const { protocol, hostname } = new URL(full)
  if (!/^https?:$/.test(protocol) || hostname === '') return false
  return isReachable(ctx, full, purpose)
}

async function isReachable(ctx: Pick<Ctx, 'outbound'>, url: string, purpose: Purpose): Promise<boolean> {
  const lookup = ctx.outbound.addressOfUrl(url, purpose).then(
    () => true,
    (error: unknown) => !(error instanceof ForbiddenDestination),
  )
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), LOOKUP_MS)
  })
  return Promise.race([lookup, timeout]).finally(() => clearTimeout(timer))
}

/** Names of variables and headers: words, joined by single dots, dashes or underscores. */
const NAME = /^[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*$/
const MAX_NAME = 255
const MAX_VALUE = 2048
const MAX_VARIABLES = 20
const MAX_TEMPLATE = 4096

/** Headers of the connection, which owners cannot set. */
const RESERVED_HEADERS =
  /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** The values to check, without the URL. */
export type CheckedHook = Pick<HookSecrets, 'token' | 'url_variables' | 'custom_headers'> &
  Pick<
    HookRow,
    | 'name'
    | 'description'
    | 'custom_webhook_template'
    | 'branch_filter_strategy'
    | 'push_events_branch_filter'
  >

/** Throws 422 `{"error": "…"}`, the form of errors about webhooks (spec administration 3.6). */
export function refuse(error: string): never {
  throw new Failure('unprocessable', undefined, { body: { error } })
}

/** Throws 422 with one sentence for the branch filter, or with problems by field. */
export function checkHook(hook: CheckedHook): void {
  if (!isValidFilter(hook)) refuse('Invalid branch filter given')
  const problems: Record<string, string[]> = {
    name: lengthProblems(hook.name, 255),
    description: lengthProblems(hook.description, MAX_VALUE),
    token: lengthProblems(hook.token, MAX_VALUE),
    url_variables: mapProblems(hook.url_variables),
    custom_headers: [...mapProblems(hook.custom_headers), ...reservedProblems(hook.custom_headers)],
    custom_webhook_template: templateProblems(hook.custom_webhook_template),
  }
  const entries = Object.entries(problems).filter(([, texts]) => texts.length > 0)
  if (entries.length > 0) throw fail('unprocessable', Object.fromEntries(entries))
}

function mapProblems(values: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(values)
  const isValidEntry = ([name, value]: [string, string]) =>
    NAME.test(name) && name.length <= MAX_NAME && value.length <= MAX_VALUE
  const empty = entries.filter(([, value]) => value === '').map(([name]) => `${name} has no value`)
  return [
    ...empty,
    ...(entries.every(isValidEntry) ? [] : ['must be a valid json schema']),
    ...(entries.length > MAX_VARIABLES ? [`is too long (maximum is ${MAX_VARIABLES} entries)`] : []),
  ]
}

function reservedProblems(headers: Readonly<Record<string, string>>): string[] {
  return Object.keys(headers)
    .filter((name) => RESERVED_HEADERS.test(name))
    .map((name) => `${name} is reserved`)
}

function templateProblems(template: string | null): string[] {
  if (template === null) return []
  const length = lengthProblems(template, MAX_TEMPLATE)
  // Parsing a long template would take too long.
  if (length.length > 0) return length
  const problem = checkTemplate(template)
  return problem === undefined ? [] : [problem]
}

function lengthProblems(text: string | null, max: number): string[] {
  return text !== null && text.length > max ? [`is too long (maximum is ${max} characters)`] : []
}

const MAX_FILTER_LENGTH = 4000
type Filter = Pick<HookRow, 'branch_filter_strategy' | 'push_events_branch_filter'>

/** True for a valid branch filter: an RE2 regular expression, or a branch name with wildcards. */
export function isValidFilter(filter: Filter): boolean {
  const { branch_filter_strategy: strategy, push_events_branch_filter: text } = filter
  if (!text || strategy === 'all_branches') return true
  if (text.length > MAX_FILTER_LENGTH) return false
  if (strategy === 'regex') return compile(text) !== undefined
  return isBranchName(text.replaceAll('*', 'a'))
}

/** True if pushes to a branch trigger the webhook (spec administration 3.7). */
export function matchesBranch(filter: Filter, branch: string | null): boolean {
  const { branch_filter_strategy: strategy, push_events_branch_filter: text } = filter
  if (!text || strategy === 'all_branches') return true
  if (branch === null) return false
  if (strategy === 'regex') return compile(text)?.matcher(branch).find() ?? false
  return wildcard(text).matches(branch)
}

function compile(text: string): RE2JS | undefined {
  try {
    return linearPattern(text)
  } catch {
    return undefined
  }
}

function wildcard(text: string): RE2JS {
  return RE2JS.compile(
    text
      .split(/\*+/)
      .map((part) => RE2JS.quote(part))
      .join('.*'),
    RE2JS.DOTALL,
  )
}

/** True if git accepts a branch name (git-check-ref-format). */
function isBranchName(name: string): boolean {
  const isInvalid = /[\p{Cc} ~^:?[\\]|\.\.|@\{|\/\/|^[/-]|[/.]$|^@$/u.test(name)
  return !isInvalid && name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
}
