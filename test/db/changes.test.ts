import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { Database } from '../../server/db/database.ts'
import { blank } from '../support/database.ts'

const SCHEMA = `
  CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
  CREATE INDEX items_name ON items (name);
  CREATE TABLE parts (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES items (id) ON DELETE CASCADE) STRICT;
  CREATE TABLE pairs (a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID;
  CREATE TABLE counts (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT;
  INSERT INTO counts VALUES (1, 0);
  CREATE TRIGGER counted AFTER INSERT ON pairs BEGIN UPDATE counts SET n = n + 1; END;
  CREATE VIEW named AS SELECT name FROM items;
  CREATE VIRTUAL TABLE words USING fts5 (word);`

const READS = {
  items: "SELECT count(*) AS n FROM items WHERE name <> ''",
  view: 'SELECT count(*) AS n FROM named',
  parts: 'SELECT count(*) AS n FROM parts',
  both: 'SELECT count(*) AS n FROM items i JOIN parts p ON p.item_id = i.id',
  pairs: 'SELECT count(*) AS n FROM pairs WHERE a > 0',
  counts: 'SELECT n FROM counts WHERE id = 1',
  words: "SELECT count(*) AS n FROM words WHERE words MATCH 'one'",
} as const

const WRITES = {
  'add an item': "INSERT INTO items (name) VALUES ('a')",
  'remove an item': 'DELETE FROM items WHERE id = (SELECT max(id) FROM items)',
  'remove all items': 'DELETE FROM items',
  'add a part': 'INSERT INTO parts (item_id) SELECT max(id) FROM items',
  'remove all parts': 'DELETE FROM parts',
  'add a pair': 'INSERT INTO pairs SELECT coalesce(max(a), 0) + 1, 1 FROM pairs',
  'add a word': "INSERT INTO words VALUES ('one two')",
} as const

const read = (db: Database, sql: string): number => db.one<{ n: number }>(sql)!.n

/** Statements are known from their second run on. */
function ready(): Database {
  const { db } = blank(SCHEMA)
  for (const sql of [...Object.values(WRITES), ...Object.values(WRITES)]) db.exec(sql)
  for (const sql of [WRITES['add an item'], WRITES['add a part']]) db.exec(sql)
  for (let turn = 0; turn < 2; turn++) for (const sql of Object.values(READS)) watched(db, sql)
  return db
}

function watched(db: Database, sql: string) {
  const watch = db.watchReads()
  const value = read(db, sql)
  return { value, reads: watch.end(), since: watch.since }
}

describe('the recorded reads of a computation', () => {
  it.each([
    ['items', ['items']],
    ['view', ['items']],
    ['both', ['items', 'parts']],
    ['pairs', ['pairs']],
    ['words', ['virtual tables']],
  ] as const)('has the tables of a statement: %s', (name, tables) => {
    const { reads } = watched(ready(), READS[name])
    expect([...reads].toSorted()).toEqual(tables)
  })

  it('include the tables of cached values that it used', () => {
    const db = ready()
    const remembered = (): number => db.remember('pairs', () => read(db, READS.pairs))
    remembered()
    const watch = db.watchReads()
    remembered()
    read(db, READS.items)
    expect([...watch.end()].toSorted()).toEqual(['items', 'pairs'])
  })

  it('cover every table for a value that read none', () => {
    const watch = ready().watchReads()
    expect(watch.end()).toBe('every')
  })
})

describe('a change of a table', () => {
  const isKept = (name: keyof typeof READS, work: (db: Database) => void): boolean => {
    const db = ready()
    const { reads, since } = watched(db, READS[name])
    work(db)
    return db.isUnchanged(reads, since)
  }

  it('does not invalidate values computed from other tables', () => {
    expect(isKept('items', (db) => db.exec(WRITES['add a pair']))).toBe(true)
    expect(isKept('words', (db) => db.exec(WRITES['add a part']))).toBe(true)
  })

  it('counts for tables that triggers and foreign keys change, too', () => {
    expect(isKept('counts', (db) => db.exec(WRITES['add a pair']))).toBe(false)
    expect(isKept('parts', (db) => db.exec(WRITES['remove all items']))).toBe(false)
  })

  it('takes effect at the end of its transaction, unless no cached value depends on it', () => {
    const add = (db: Database) => () => db.exec(WRITES['add an item'])
    expect(isKept('items', (db) => db.transaction(add(db)))).toBe(false)
    expect(isKept('items', (db) => db.transaction(add(db), { unnoticed: true }))).toBe(true)
    expect(isKept('pairs', (db) => db.transaction(add(db)))).toBe(true)
  })

  it('counts for every table while its statement runs for the first time', () => {
    expect(isKept('pairs', (db) => db.exec("UPDATE items SET name = 'first'"))).toBe(false)
  })

  it('is never missed, in any order of reads and writes', () => {
    const step = fc.oneof(
      fc.constantFrom(...Object.values(READS)).map((sql) => ({ sql, writes: false })),
      fc.constantFrom(...Object.values(WRITES)).map((sql) => ({ sql, writes: true })),
    )
    const db = ready()
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const kept = new Map<string, ReturnType<typeof watched>>()
        for (const { sql, writes } of steps) {
          if (writes) db.exec(sql)
          else if (!kept.has(sql)) kept.set(sql, watched(db, sql))
          for (const [name, { value, reads, since }] of kept)
            expect(db.isUnchanged(reads, since) ? read(db, name) : value).toBe(value)
        }
      }),
    )
  })
})
