import type { WorldUser } from '../model/schema.ts'
import { type Entry, type WorldWriter, text, time } from './world-writer.ts'
import type { UserRow } from './store.ts'

/** The administrator that the first run of every instance creates. */
const FIRST_ADMIN = 'root'

/** The users of a world: all, or only those that it names. */
export function usersOf(writer: WorldWriter, only: 'all' | 'named'): Entry<WorldUser>[] {
  return [...writer.people.values()].flatMap((row): Entry<WorldUser>[] => {
    if (only === 'named' && !writer.referencedUsers.has(row.id)) return []
    if (row.kind === 'ghost' && !writer.referencedUsers.has(row.id)) return []
    return row.username === FIRST_ADMIN ? [] : [userOf(writer, row)]
  })
}

function userOf(writer: WorldWriter, row: UserRow): Entry<WorldUser> {
  const { username, name, email, is_admin, state, bio, location, organization, job_title } = row
  if (state !== 'active' && state !== 'blocked')
    writer.omissions.add('states of users other than active and blocked', `${username} is ${state}`)
  if (row.external) writer.omissions.add('users who are external', username)
  return {
    username,
    name: name === username ? undefined : name,
    email: email === `${username}@example.com` ? undefined : text(email),
    admin: is_admin || undefined,
    state: state === 'blocked' ? state : undefined,
    bio: text(bio),
    location: text(location),
    organization: text(organization),
    job_title: text(job_title),
    at: time(row.created_at),
  }
}

/** Finds the author of a commit: the username of a user with this name and address, otherwise `Name <address>`. */
export class Authors {
  readonly #writer: WorldWriter
  readonly #byIdentity: ReadonlyMap<string, UserRow>

  constructor(writer: WorldWriter) {
    this.#writer = writer
    const rows = [...writer.people.values()].filter((row) => row.username !== FIRST_ADMIN)
    this.#byIdentity = new Map(rows.map((row) => [`${row.name} <${row.email}>`, row]))
  }

  userOf(name: string, email: string): UserRow | undefined {
    return this.#byIdentity.get(`${name} <${email}>`)
  }

  of(name: string, email: string): string {
    const row = this.userOf(name, email)
    return row ? this.#writer.name(row.id)! : `${name.slice(0, 100)} <${email.slice(0, 150) || 'unknown'}>`
  }
}
