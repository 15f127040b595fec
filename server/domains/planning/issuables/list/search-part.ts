import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { likePattern } from '../../../../db/lists.ts'
import type { IssuableTables } from '../issuable.ts'
import { never, type Part } from './part.ts'

/** The index holds trigrams; shorter words are looked for row by row. */
const TRIGRAM = 3
/** More words than this say nothing more. */
const MAX_WORDS = 20

/** Words of a search; what stands in double quotes is one. */
function wordsOf(search: string): string[] {
  const words = [...search.matchAll(/"([^"]+)"|(\S+)/g)].map((found) => (found[1] ?? found[2]!).trim())
  return words.filter((word) => word !== '' && word !== '"').slice(0, MAX_WORDS)
}

/** Title and description, or only one of them. */
function columnsOf(places: readonly string[] | undefined): ('title' | 'description')[] {
  const both = ['title', 'description'] as const
  const wanted = both.filter((column) => places?.includes(column))
  return wanted.length === 0 ? [...both] : wanted
}

/** Every word of a search somewhere in the title or description, in any case. */
export function searched(
  tables: IssuableTables,
  search: string,
  places: readonly string[] | undefined,
): Part[] {
  const words = wordsOf(search)
  if (words.length === 0) return [never]
  const columns = columnsOf(places)
  return words.map((word) => ({ check: like(columns, word), ...byIndex(tables, columns, word) }))
}

function like(columns: readonly string[], word: string): RawBuilder<SqlBool> {
  const pattern = likePattern(word)
  const tests = columns.map((column) => sql`${sql.ref(`i.${column}`)} LIKE ${pattern} ESCAPE '\\'`)
  return sql<SqlBool>`(${sql.join(tests, sql` OR `)})`
}

function byIndex({ fts }: IssuableTables, columns: readonly string[], word: string): Partial<Part> {
  if ([...word].length < TRIGRAM) return {}
  const phrase = `{${columns.join(' ')}} : "${word.replaceAll('"', '""')}"`
  const rows = sql`FROM ${sql.ref(fts)} WHERE ${sql.ref(fts)} MATCH ${phrase}`
  return {
    find: sql<SqlBool>`i.id IN (SELECT rowid ${rows})`,
    probe: sql`SELECT 1 ${rows}`,
  }
}
