import { createHash } from 'node:crypto'

import type { Database } from '../../db/database.ts'
import type { Order } from './thread/messages.ts'

/** Characters of HTML that are kept. */
const MAX_KEPT = 8 * 1024 * 1024
/** What one text takes beside its HTML. */
const ENTRY = 200

/** HTML by the text it is made of, newest last; null for a text that takes too long. */
interface Shelf {
  readonly html: Map<string, string | null>
  size: number
}

const shelves = new WeakMap<Database, Shelf>()

function shelfOf(db: Database): Shelf {
  const known = shelves.get(db) ?? { html: new Map(), size: 0 }
  shelves.set(db, known)
  return known
}

/** Names what a text becomes when nothing but the text, and the version of what renders it, decides that. */
export function nameOf(order: Order, version: number): string {
  const { format, wiki, text } = order
  return createHash('sha256')
    .update(`${version}\0${format}\0${wiki?.base}\0${wiki?.slug}\0${text}`)
    .digest('base64')
}

/** What became of a text; null for one that took too long, undefined where it is not known. */
export function recall(db: Database, name: string): string | null | undefined {
  const { html } = shelfOf(db)
  const known = html.get(name)
  if (known === undefined) return undefined
  html.delete(name)
  html.set(name, known)
  return known
}

/** Keeps what became of a text, for as long as there is room. */
export function remember(db: Database, name: string, made: string | null): void {
  const shelf = shelfOf(db)
  const cost = (one: string | null): number => (one?.length ?? 0) + ENTRY
  if (cost(made) > MAX_KEPT / 4 || shelf.html.has(name)) return
  shelf.html.set(name, made)
  shelf.size += cost(made)
  for (const [oldest, one] of shelf.html) {
    if (shelf.size <= MAX_KEPT) return
    shelf.html.delete(oldest)
    shelf.size -= cost(one)
  }
}
