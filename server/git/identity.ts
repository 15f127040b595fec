import { GitInputError } from './errors.ts'

/** Who wrote or committed something, and when. */
export interface Identity {
  readonly name: string
  readonly email: string
  readonly date: Date
  /** Offset from UTC in minutes; default 0. */
  readonly offset_minutes?: number
}

/** The identity as it stands in commits and tags. Characters that would end the field are left out, as git does. */
export function identityLine(identity: Identity): string {
  const seconds = Math.floor(identity.date.getTime() / 1000)
  if (!Number.isSafeInteger(seconds) || seconds < 0) throw new GitInputError('The date is out of range.')
  const email = clean(identity.email)
  // Git refuses an empty name; the address says more than a placeholder.
  const name = clean(identity.name) || email || 'unknown'
  return `${name} <${email}> ${seconds} ${offset(identity.offset_minutes ?? 0)}`
}

function offset(minutes: number): string {
  const size = Math.abs(minutes)
  const digits = (amount: number) => String(Math.floor(amount)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${digits(size / 60)}${digits(size % 60)}`
}

function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f<>]/g, '')
    .replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, '')
}
