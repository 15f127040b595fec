import { RE2JS } from 're2js'
import type { Ctx } from '../../ctx.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { isValidPath, PATH_RULE } from '../../lib/text/slug.ts'
import { settingsOf } from '../settings/index.ts'
import * as emails from './emails/store.ts'
import * as store from './store.ts'

function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return "can't be blank"
  return name.length > 255 ? 'is too long (maximum is 255 characters)' : undefined
}

/**
 * Returns the problem with a website. Only http and https are allowed, because a link with another scheme could run
 * code.
 */
function websiteProblem(address: string): string | undefined {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase()
  const isValidScheme =
    scheme === undefined || scheme === 'http' || scheme === 'https' || /^[^/]*\.[^/]*:\d/.test(address)
  return isValidScheme && URL.canParse(scheme === undefined ? `http://${address}` : address)
    ? undefined
    : 'is not a valid URL'
}

/** Throws 400 with every invalid field. */
export function checkIdentity(user: {
  username?: string | undefined
  name?: string | undefined
  email?: string | undefined
  website_url?: string | null | undefined
}): void {
  const { username, name, email, website_url } = user
  const problems = {
    username: username !== undefined && !isValidPath(username, 'top') ? PATH_RULE : undefined,
    email: email === undefined ? undefined : emailProblem(email),
    name: name === undefined ? undefined : nameProblem(name),
    website_url: website_url ? websiteProblem(website_url) : undefined,
  }
  const messages = Object.entries(problems).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  if (messages.length > 0) throw invalid(Object.fromEntries(messages))
}

/** Throws 409 if the user name, or the email address as a primary or secondary one, belongs to another user. */
export function checkFree(
  ctx: Ctx,
  user: { username?: string | undefined; email?: string | undefined },
  exceptId?: number,
): void {
  const owner = user.email === undefined ? undefined : emails.ownerOf(ctx.db, user.email)
  if (owner !== undefined && owner !== exceptId) throw fail('conflict', 'Email has already been taken')
  const existingUser = user.username === undefined ? undefined : store.userByUsername(ctx.db, user.username)
  if (existingUser !== undefined && existingUser.id !== exceptId)
    throw fail('conflict', 'Username has already been taken')
}

/**
 * Throws 400 for a public or commit email address that is not a confirmed address of the user. Empty ones are
 * allowed.
 */
export function checkOwnAddresses(
  ctx: Ctx,
  userId: number,
  changes: { public_email?: string | null | undefined; commit_email?: string | null | undefined },
): void {
  const problems = Object.entries(changes)
    .filter(([, email]) => email && !emails.isVerified(ctx.db, userId, email))
    .map(([field]) => [field, 'must be an email you have verified'])
  if (problems.length > 0) throw invalid(Object.fromEntries(problems) as Record<string, string>)
}

const EMAIL = /^[^\s@<>"(),:;[\\\]]+@[^\s@<>"(),:;[\\\]]+$/
const MAX_EMAIL_LENGTH = 254
const NOT_ALLOWED = 'is not allowed for sign-up. Please use another address.'

/** Returns the contract's message for an invalid email address; undefined for a valid one. */
export function emailProblem(email: string): string | undefined {
  return EMAIL.test(email) && email.length <= MAX_EMAIL_LENGTH ? undefined : 'is invalid'
}

/** Returns true if the domain of an email address matches one of the patterns. `*` matches any text. */
function matchesDomain(email: string, patterns: readonly string[]): boolean {
  const domain = email.split('@').at(-1)!.toLowerCase()
  return patterns.some((pattern) => matchesPattern(domain, pattern.toLowerCase()))
}

/**
 * Returns true if a domain matches a pattern with `*`. The texts between the stars are searched in order, because a
 * regular expression could take exponential time.
 */
function matchesPattern(domain: string, pattern: string): boolean {
  const [head, ...rest] = pattern.split('*') as [string, ...string[]]
  if (rest.length === 0) return domain === pattern
  const tail = rest.pop()!
  if (!domain.startsWith(head)) return false
  let position = head.length
  for (const text of rest) {
    const index = domain.indexOf(text, position)
    if (index < 0) return false
    position = index + text.length
  }
  return domain.length - tail.length >= position && domain.endsWith(tail)
}

/** Compiled patterns by their source; null for an invalid pattern. */
type Patterns = Map<string, RE2JS | null>

/** The maximum number of cached patterns. The settings have two; the cache removes earlier ones. */
const MAX_PATTERNS = 20

function patternOf(db: Ctx['db'], source: string): RE2JS | null {
  const compiled = db.instance('users.email_patterns', (): Patterns => new Map())
  const cached = compiled.get(source)
  if (cached !== undefined) return cached
  if (compiled.size >= MAX_PATTERNS) compiled.clear()
  const pattern = compile(source)
  compiled.set(source, pattern)
  return pattern
}

/** Compiles a pattern with RE2, which takes linear time; null for an invalid pattern. */
function compile(source: string): RE2JS | null {
  try {
    return RE2JS.compile(source)
  } catch {
    return null
  }
}

/** Returns true if an email address matches a pattern in the settings. An invalid pattern matches nothing. */
export function matchesRegex(db: Ctx['db'], email: string, source: string): boolean {
  return patternOf(db, source)?.matcher(email).find() ?? false
}

/**
 * Throws 400 for an email address that may not sign up, by the allowed and denied domains and the restriction by
 * pattern (spec administration 1.3). Addresses that administrators enter are not checked.
 */
export function checkEmailAllowed(ctx: Ctx, email: string): void {
  const settings = settingsOf(ctx)
  const allowed = settings.domain_allowlist.length === 0 || matchesDomain(email, settings.domain_allowlist)
  const denied = settings.domain_denylist_enabled && matchesDomain(email, settings.domain_denylist)
  const restricted =
    settings.email_restrictions_enabled &&
    settings.email_restrictions !== null &&
    matchesRegex(ctx.db, email, settings.email_restrictions)
  if (!allowed || denied || restricted) throw invalid({ email: NOT_ALLOWED })
}
