import { jsonList, type Database } from '../../../db/database.ts'
import { withoutEnd } from '../../../lib/text/trim.ts'
import { withoutCode } from './plain-text.ts'

/** Somebody whom a text names. */
export interface Mention {
  readonly user_id: number
  /** The text begins with them: it is addressed to them. */
  readonly directly: boolean
}

const NAME = /(?<![\w@/.-])@([A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*)/g

/** At most so many names of one text are looked up. */
const MAX_NAMES = 100

/** Names after an `@`, in lower case and without the dot or dash that ends a sentence, and which of them begin the text. */
export function namesIn(text: string): Map<string, boolean> {
  const names = new Map<string, boolean>()
  if (!text.includes('@')) return names
  const plain = withoutCode(text)
  const opening = /^\s*(?:@[\w./-]+[\s,;:]*(?:and\s+)?)+/.exec(plain)?.[0].length ?? 0
  for (const found of plain.matchAll(NAME)) {
    const name = withoutEnd(found[1]!, '.-').toLowerCase()
    if (names.size >= MAX_NAMES && !names.has(name)) break
    names.set(name, (names.get(name) ?? false) || found.index < opening)
  }
  return names
}

/**
 * Users whom a text names with `@name`, outside of code. The name of a group stands for its direct members. Whether they
 * may see what the text is about is the caller's to decide.
 */
export function mentionedIn(db: Database, text: string): Mention[] {
  const names = namesIn(text)
  if (names.size === 0) return []
  const wanted = jsonList([...names.keys()])
  const rows = db.many<{ user_id: number; name: string }>(
    `SELECT u.id AS user_id, lower(u.username) AS name FROM json_each(?) w
       JOIN users u ON u.username = w.value COLLATE NOCASE WHERE u.state = 'active'
     UNION SELECT m.user_id, lower(n.full_path) FROM json_each(?) w
       JOIN namespaces n ON n.full_path = w.value COLLATE NOCASE AND n.kind = 'group'
       JOIN members m ON m.namespace_id = n.id JOIN users u ON u.id = m.user_id WHERE u.state = 'active'`,
    wanted,
    wanted,
  )
  const found = new Map<number, boolean>()
  for (const { user_id, name } of rows)
    found.set(user_id, (found.get(user_id) ?? false) || (names.get(name) ?? false))
  return [...found].map(([user_id, directly]) => ({ user_id, directly }))
}
