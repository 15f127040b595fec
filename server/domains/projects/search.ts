import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Database } from '../../db/database.ts'
import { boundedCount, likePattern } from '../../db/lists.ts'

/** The index holds trigrams; shorter texts are looked for row by row. */
const TRIGRAM = 3

/** The text as one phrase of the index; undefined for one that is too short for it. */
function phraseOf(search: string): string | undefined {
  return [...search].length < TRIGRAM ? undefined : `"${search.replaceAll('"', '""')}"`
}

/** True when the index finds few enough projects with that text to begin with them. */
export function isRare(db: Database, search: string, limit: number): boolean {
  const phrase = phraseOf(search)
  return (
    phrase !== undefined &&
    boundedCount(db, sql`SELECT 1 FROM projects_fts WHERE projects_fts MATCH ${phrase}`) <= limit
  )
}

/**
 * Projects (alias `p`) whose name, path or description contains a text; with `namespaces` also those in a namespace
 * that does. By the index, or row by row for what some other filter found.
 */
export function matches(search: string, how: { namespaces: boolean; byIndex: boolean }): RawBuilder<SqlBool> {
  const like = likePattern(search)
  const own = how.byIndex
    ? sql`p.id IN (SELECT rowid FROM projects_fts WHERE projects_fts MATCH ${phraseOf(search)})`
    : sql`p.name LIKE ${like} ESCAPE '\\' OR p.path LIKE ${like} ESCAPE '\\' OR p.description LIKE ${like} ESCAPE '\\'`
  if (!how.namespaces) return sql<SqlBool>`(${own})`
  return sql<SqlBool>`(${own} OR p.namespace_id IN (
    SELECT s.id FROM namespaces s WHERE s.full_path LIKE ${like} ESCAPE '\\' OR s.full_name LIKE ${like} ESCAPE '\\'))`
}

/** Best match first: the path itself, then paths and names that begin so, then the rest. */
export function bySimilarity(search: string | undefined): RawBuilder<unknown> {
  if (!search) return sql`p.name COLLATE NOCASE, p.id`
  const like = likePattern(search)
  const begins = like.slice(1)
  return sql`CASE WHEN p.path = ${search} OR p.name = ${search} COLLATE NOCASE THEN 0
    WHEN p.path LIKE ${begins} ESCAPE '\\' OR p.name LIKE ${begins} ESCAPE '\\' THEN 1
    WHEN p.name LIKE ${like} ESCAPE '\\' OR p.path LIKE ${like} ESCAPE '\\' THEN 2 ELSE 3 END, p.name COLLATE NOCASE, p.id`
}
