import { RE2JS } from 're2js'

import type { Ctx } from '../../ctx.ts'
import { invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'

const EMAIL = /^[^\s@<>"(),:;[\\\]]+@[^\s@<>"(),:;[\\\]]+$/
const MAX_LENGTH = 254
const NOT_ALLOWED = 'is not allowed for sign-up. Please use another address.'

/** What keeps an address from being one, in the contract's words; undefined when it can stand. */
export function emailProblem(email: string): string | undefined {
  return EMAIL.test(email) && email.length <= MAX_LENGTH ? undefined : 'is invalid'
}

/** True when the domain of the address is one of the patterns; `*` stands for any part. */
function matchesDomain(email: string, patterns: readonly string[]): boolean {
  const domain = email.split('@').at(-1)!.toLowerCase()
  return patterns.some((pattern) => matchesPattern(domain, pattern.toLowerCase()))
}

/** Plain pieces in order; no pattern language, so nothing to abuse. */
function matchesPattern(domain: string, pattern: string): boolean {
  const [head, ...rest] = pattern.split('*') as [string, ...string[]]
  if (rest.length === 0) return domain === pattern
  const tail = rest.pop()!
  if (!domain.startsWith(head)) return false
  let at = head.length
  for (const piece of rest) {
    const found = domain.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return domain.length - tail.length >= at && domain.endsWith(tail)
}

/** Patterns of the settings, compiled once each; the engine takes linear time whatever they say. */
const compiled = new Map<string, RE2JS | null>()

function patternOf(source: string): RE2JS | null {
  const known = compiled.get(source)
  if (known !== undefined) return known
  let pattern: RE2JS | null
  try {
    pattern = RE2JS.compile(source)
  } catch {
    pattern = null
  }
  // There are two of them; what an administrator tried before is not worth keeping.
  if (compiled.size > 20) compiled.clear()
  compiled.set(source, pattern)
  return pattern
}

/** True when the address matches a pattern of the settings; a broken pattern matches nothing. */
export function matchesRegex(email: string, source: string): boolean {
  return patternOf(source)?.matcher(email).find() ?? false
}

/**
 * Throws 400 for an address that the settings do not let sign up: allowed and refused domains, and the restriction by
 * pattern (spec administration 1.3). What administrators enter is not asked.
 */
export function checkEmailAllowed(ctx: Ctx, email: string): void {
  const settings = settingsOf(ctx)
  const allowed = settings.domain_allowlist.length === 0 || matchesDomain(email, settings.domain_allowlist)
  const denied = settings.domain_denylist_enabled && matchesDomain(email, settings.domain_denylist)
  const restricted =
    settings.email_restrictions_enabled &&
    settings.email_restrictions !== null &&
    matchesRegex(email, settings.email_restrictions)
  if (!allowed || denied || restricted) throw invalid({ email: NOT_ALLOWED })
}
