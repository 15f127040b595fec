import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../../ctx.ts'
import { HOST_A_GHOST } from '../../../lib/aliases.ts'
import type { OptionalPerson } from '../hosts/landing/index.ts'
import { recordIn, record, text, integer, type Fields, HostError } from '../hosts/answers.ts'
import { currentTime } from '../../import_export/index.ts'
import type { Work } from './work.ts'

interface CachedEmail {
  readonly email: string | null
  readonly etag: string | null
  /** The time of the request, ISO 8601. */
  readonly requestedAt: string
}

const CACHE_MS = 24 * 3600_000
const MAX_EMAILS = 20_000

/** The cache of email addresses, by host and user name. */
function emailCache({ db }: Ctx): LRUCache<string, CachedEmail> {
  return db.instance('importers.github_emails', () => new LRUCache<string, CachedEmail>({ max: MAX_EMAILS }))
}

/** A user of GitHub with their email address; null for a deleted user. */
export async function personOf(work: Work, user: Fields | null): Promise<OptionalPerson> {
  const login = text(user, 'login')
  if (login === null || login === '' || login === HOST_A_GHOST) return null
  const id = integer(user, 'id')
  const person = { login: login.slice(0, 255), uid: id === null ? null : String(id) }
  if (work.landing.account(person).isMatched) return person
  const isPerson = (text(user, 'type') ?? 'User') === 'User' && !login.endsWith(']')
  return { ...person, email: isPerson ? await emailOf(work, login) : null }
}

/** The user in a field of a record. */
export function personIn(work: Work, fields: Fields | null, name: string): Promise<OptionalPerson> {
  return personOf(work, recordIn(fields, name))
}

/** The users in a list. */
export async function peopleOf(work: Work, list: readonly Fields[]): Promise<OptionalPerson[]> {
  const people: OptionalPerson[] = []
  for (const item of list) people.push(await personOf(work, item))
  return people
}

/**
 * Returns the email address in the profile of a user. Requests the profile at most once a day, with the ETag of the
 * last answer.
 */
async function emailOf(work: Work, login: string): Promise<string | null> {
  const emails = emailCache(work.ctx)
  const key = `${work.client.address.api} ${login.toLowerCase()}`
  const cached = emails.get(key)
  const now = currentTime(work.ctx)
  if (cached && Date.parse(now) - Date.parse(cached.requestedAt) < CACHE_MS) return cached.email
  const response = await requestEmail(work, login, cached)
  emails.set(key, { ...response, requestedAt: now })
  return response.email
}

async function requestEmail(
  work: Work,
  login: string,
  cached: CachedEmail | undefined,
): Promise<Omit<CachedEmail, 'requestedAt'>> {
  try {
    const url = work.client.url(`/users/${encodeURIComponent(login)}`)
    const { value, etag } = await work.client.fetchUrl(url, { etag: cached?.etag ?? undefined })
    return value === undefined && cached ? cached : { email: text(record(value), 'email'), etag }
  } catch (error) {
    if (!(error instanceof HostError) || error.isTemporary || error.status === 401) throw error
    return { email: null, etag: null }
  }
}
