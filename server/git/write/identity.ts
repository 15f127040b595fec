import { withoutEnds } from '../../lib/text/trim.ts'
import { GitInputError } from '../errors.ts'

/** An author or committer, with the time of the commit or tag. */
export interface Identity {
  readonly name: string
  readonly email: string
  readonly date: Date
  /** Offset from UTC in minutes; default 0. */
  readonly offset_minutes?: number
}

/** The end of the year 9999 in Unix seconds. */
const LAST_SECOND = 253_402_300_799

/**
 * Converts git's raw date, such as `1704067200 +0200`, to ISO 8601 in the same time zone. An invalid date becomes
 * 1970-01-01, as in git.
 */
export function isoTime(raw: string): string {
  const [, digits, sign, hours, minutes] = /^(\d{1,15}) ([+-])(\d\d)(\d\d)$/.exec(raw) ?? []
  const seconds = Number(digits)
  if (digits === undefined || seconds > LAST_SECOND) return '1970-01-01T00:00:00+00:00'
  const isZone = Number(hours) < 24 && Number(minutes) < 60
  const offset = isZone ? (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) : 0
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19)
  return `${local}${isZone ? `${sign}${hours}:${minutes}` : '+00:00'}`
}

/** Creates an identity from an ISO 8601 time with an offset. */
export function identityAt(name: string, email: string, date: string): Identity {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(date) ?? []
  const offset = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
  return { name, email, date: new Date(date), offset_minutes: offset }
}

/** The identity as a line of a commit or tag. Like git, removes characters that would end a field. */
export function identityLine(identity: Identity): string {
  const seconds = Math.floor(identity.date.getTime() / 1000)
  const local = seconds + (identity.offset_minutes ?? 0) * 60
  // Git cannot print a time before 1970, neither in UTC nor in the time zone of the identity.
  if (!Number.isSafeInteger(local) || Math.min(seconds, local) < 0 || seconds > LAST_SECOND)
    throw new GitInputError('The date is out of range.')
  const email = clean(identity.email)
  // Git refuses an empty name, so the email address replaces it.
  const name = clean(identity.name) || email || 'unknown'
  return `${name} <${email}> ${seconds} ${formatOffset(identity.offset_minutes ?? 0)}`
}

function formatOffset(minutes: number): string {
  const size = Math.abs(minutes)
  const digits = (amount: number) => String(Math.floor(amount)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${digits(size / 60)}${digits(size % 60)}`
}

/** The characters that git strips from both ends of a name, and Unicode spaces. */
const CRUD =
  ' .,:;"\'\\\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return withoutEnds(text.toWellFormed().replace(/[\u0000-\u001f\u007f<>]/g, ''), CRUD)
}
