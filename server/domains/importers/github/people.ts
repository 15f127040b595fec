import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../../ctx.ts'
import { HOST_A_GHOST } from '../../../lib/aliases.ts'
import type { OptionalPerson } from '../hosts/landing/index.ts'
import { inner, record, text, integer, type Fields, HostProblem } from '../hosts/answers.ts'
import { currentTime } from '../../import_export/index.ts'
import type { Work } from './work.ts'

interface KnownEmail {
  readonly email: string | null
  readonly etag: string | null
  /** When it was requested, ISO 8601. */
  readonly at: string
}

const KEPT_MS = 24 * 3600_000
const MAX_EMAILS = 20_000

/** Email addresses of users by host and name. */
function knownEmails({ db }: Ctx): LRUCache<string, KnownEmail> {
  return db.instance('importers.github_emails', () => new LRUCache<string, KnownEmail>({ max: MAX_EMAILS }))
}

/** A user of GitHub with their email address; null for a deleted one. */
export async function personOf(work: Work, user: Fields | null): Promise<OptionalPerson> {
  const login = text(user, 'login')
  if (login === null || login === '' || login === HOST_A_GHOST) return null
  const id = integer(user, 'id')
  const person = { login: login.slice(0, 255), uid: id === null ? null : String(id) }
  if (work.landing.account(person).known) return person
  const isPerson = (text(user, 'type') ?? 'User') === 'User' && !login.endsWith(']')
  return { ...person, email: isPerson ? await emailOf(work, login) : null }
}

/** The user in a field of a record. */
export function personIn(work: Work, of: Fields | null, name: string): Promise<OptionalPerson> {
  return personOf(work, inner(of, name))
}

/** All users of a list. */
export async function peopleOf(work: Work, list: readonly Fields[]): Promise<OptionalPerson[]> {
  const people: OptionalPerson[] = []
  for (const item of list) people.push(await personOf(work, item))
  return people
}

/** Requests the profile of a user once a day; then only whether it has changed. */
async function emailOf(work: Work, login: string): Promise<string | null> {
  const emails = knownEmails(work.ctx)
  const key = `${work.client.address.api} ${login.toLowerCase()}`
  const cached = emails.get(key)
  const now = currentTime(work.ctx)
  if (cached && Date.parse(now) - Date.parse(cached.at) < KEPT_MS) return cached.email
  const requested = await requestEmail(work, login, cached)
  emails.set(key, { ...requested, at: now })
  return requested.email
}

async function requestEmail(
  work: Work,
  login: string,
  cached: KnownEmail | undefined,
): Promise<Omit<KnownEmail, 'at'>> {
  try {
    const url = work.client.url(`/users/${encodeURIComponent(login)}`)
    const { value, etag } = await work.client.get(url, { etag: cached?.etag ?? undefined })
    return value === undefined && cached ? cached : { email: text(record(value), 'email'), etag }
  } catch (error) {
    if (!(error instanceof HostProblem) || error.isPassing || error.status === 401) throw error
    return { email: null, etag: null }
  }
}
