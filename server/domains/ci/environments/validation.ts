import { createHash } from 'node:crypto'

import { SERVICE_NAME } from '../../../lib/aliases.ts'

/** The tiers of environments, production first (spec ci 5.2). */
export const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const
/** One of the tiers. */
export type Tier = (typeof TIERS)[number]

const MAX_NAME = 255
const NAME = /^[\w\-/${}. ]+$/
/** The contract's message for names with other characters. */
const NAME_RULE =
  "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'"

/** The errors of an environment's name. Empty if it is valid. */
export function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"]
  const problems: string[] = []
  if (name.length > MAX_NAME) problems.push(`is too long (maximum is ${MAX_NAME} characters)`)
  if (!NAME.test(name) || name.startsWith('/') || name.endsWith('/')) problems.push(NAME_RULE)
  return problems
}

/** The folder of an environment: the part of its name before the first slash. Null without a slash. */
export function folderOf(name: string): string | null {
  const [folder, ...rest] = name.split('/')
  return rest.length > 0 ? folder! : null
}

/** The lengths of a slug: its maximum, and the parts of a slug with a suffix. */
const MAX_SLUG = 24
const PREFIX_LENGTH = 17
const SUFFIX_LENGTH = 6

/**
 * Turns a name into a slug for host names and labels (spec ci 5.2). If characters are replaced or cut off, a suffix keeps
 * the slug unique.
 */
export function environmentSlug(name: string): string {
  const dashed = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')
  const slug = (/^[a-z]/.test(dashed) ? dashed : `env-${dashed}`).replaceAll(/-+/g, '-')
  if (slug.length <= MAX_SLUG && slug === name) return slug.replace(/-$/, '')
  const start = slug.slice(0, PREFIX_LENGTH)
  return `${start}${start.endsWith('-') ? '' : '-'}${suffixOf(name)}`
}

function suffixOf(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex')
  return BigInt(`0x${digest}`).toString(36).slice(-SUFFIX_LENGTH)
}

/** The tiers with a pattern for names. The first matching pattern decides. */
const PATTERNS: readonly (readonly [Tier, RegExp])[] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|ac(?:ce|)pt|qa|qc|control|quality/i],
  ['staging', /st(?:a|)g|mod(?:e|)l|pre|demo|non/i],
  ['production', /pr(?:o|)d|live/i],
]

/** Derives the tier from a name (spec ci 5.2). */
export function tierOf(name: string): Tier {
  return PATTERNS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other'
}

const MAX_URL = 255
const UNSAFE = /^\s*(javascript|data|vbscript):/i

/** The errors of the external URL of an environment. Empty if it is valid. */
export function urlProblems(url: string): string[] {
  const problems: string[] = []
  const scheme = UNSAFE.exec(url)?.[1]
  if (scheme) problems.push(`${scheme.toLowerCase()} scheme is not allowed`)
  else if (!isWebAddress(url)) problems.push('is blocked: Only allowed schemes are http, https')
  if (url.length > MAX_URL) problems.push(`is too long (maximum is ${MAX_URL} characters)`)
  return problems
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

/** The contract's message for a deployment of a CI job, which only its job updates. */
export const DEPLOYMENT_OF_JOB = `403 Forbidden - Deployments created using ${SERVICE_NAME} CI can not be updated using the API`
