import type { Reader } from '../../../../../db/reader.ts'
import { childOf } from '../../../relations/checked.ts'
import type { Fields, Json, Person } from '../../../relations/relation.ts'

/** More accounts than this are not looked up; nobody has them, and memory is bounded. */
const MAX_PEOPLE = 200_000

const BY_EMAIL = `
  SELECT id FROM users WHERE email = ? AND confirmed_at IS NOT NULL AND state = 'active' AND kind = 'human'
  UNION ALL SELECT u.id FROM user_emails e JOIN users u ON u.id = e.user_id
    WHERE e.email = ? AND e.confirmed_at IS NOT NULL AND u.state = 'active' AND u.kind = 'human'
  LIMIT 1`
const BY_NAME = "SELECT id FROM users WHERE username = ? AND state = 'active' AND kind = 'human'"

/**
 * Who the accounts of an archive are here (spec administration 6.5). An administrator's import finds them by the address that they
 * show, and by their name where they show none; everybody else speaks for all themselves.
 */
export class People {
  readonly #db: Reader
  readonly #importer: { readonly id: number; readonly is_admin: boolean }
  readonly #known = new Map<number, number>()

  constructor(db: Reader, importer: { readonly id: number; readonly is_admin: boolean }) {
    this.#db = db
    this.#importer = importer
  }

  /** A record of a member: who this is, is what the rest of the archive goes by. */
  meet(member: Fields): void {
    if (!this.#importer.is_admin || this.#known.size >= MAX_PEOPLE) return
    const user = childOf(member, 'user')
    const old = user?.['id'] ?? member['user_id']
    if (!user || typeof old !== 'number') return
    const email = user['public_email'] ?? user['email']
    const { username } = user
    if (typeof email === 'string' && email !== '') this.#note(old, BY_EMAIL, email, email)
    else if (typeof username === 'string') this.#note(old, BY_NAME, username)
  }

  /** Who an id of the archive is. */
  find(id: Json | undefined): Person {
    const found = typeof id === 'number' ? this.#known.get(id) : undefined
    return found === undefined ? { id: this.#importer.id, known: false } : { id: found, known: true }
  }

  #note(old: number, sql: string, ...values: string[]): void {
    const found = this.#db.one<{ id: number }>(sql, ...values)
    if (found) this.#known.set(old, found.id)
  }
}
