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

describe('a change of a project', () => {
  const PROJECTS = `
    CREATE TABLE projects (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
      stars INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE stars (project_id INTEGER NOT NULL) STRICT;
    CREATE TRIGGER star AFTER INSERT ON stars BEGIN
      UPDATE projects SET stars = stars + 1 WHERE id = new.project_id; END;
    INSERT INTO projects (id, parent_id) VALUES (1, NULL), (2, 1), (3, NULL);`
  const ONE = 'SELECT id, stars FROM projects WHERE id = ?'
  const STAR = 'INSERT INTO stars VALUES (?)'
  const UPDATE = 'UPDATE projects SET stars = stars + ? WHERE id > ?'
  const DELETE = 'DELETE FROM projects WHERE id = ?'

  const reading = (db: Database, sql: string, ...parameters: number[]) => {
    const watch = db.watchReads()
    const row = db.one(sql, ...parameters)
    return { row, reads: watch.end(), since: watch.since }
  }

  /** A database whose statements are known. */
  function prepared(): Database {
    const { db } = blank(PROJECTS)
    for (let turn = 0; turn < 2; turn++) {
      db.exec('INSERT INTO projects (id) VALUES (99)')
      db.exec(STAR, 99)
      db.exec(UPDATE, 0, 98)
      db.exec(DELETE, 99)
      reading(db, ONE, 99)
      reading(db, 'SELECT count(*) AS n FROM projects')
    }
    return db
  }
  it.each([
    ['a star', STAR, [1]],
    ['an update', UPDATE, [1, 2]],
    ['an update of all', UPDATE, [1, 0]],
    ['an update of none', UPDATE, [1, 9]],
    ['a deletion', DELETE, [3]],
    ['a deletion with the projects below it', DELETE, [1]],
  ] as const)('invalidates what was read from it: %s', (_name, sql, parameters) => {
    for (const id of [1, 2, 3]) {
      const db = prepared()
      const { row, reads, since } = reading(db, ONE, id)
      expect(reads).toEqual([`projects:${id}`])
      const list = reading(db, 'SELECT count(*) AS n FROM projects')
      expect(list.reads).toEqual(['projects'])
      const { changes } = db.exec(sql, ...parameters)
      const hasChanged = JSON.stringify(db.one(ONE, id)) !== JSON.stringify(row)
      expect(db.isUnchanged(reads, since)).toBe(!hasChanged)
      expect(db.isUnchanged(list.reads, list.since)).toBe(changes === 0)
    }
  })

  it('counts for every project while its statement runs for the first time', () => {
    const db = prepared()
    const { reads, since } = reading(db, ONE, 2)
    db.exec('UPDATE projects SET stars = 5 WHERE id = 3')
    expect(db.isUnchanged(reads, since)).toBe(false)
  })
})

it('the functions that read JSON count as no table', () => {
  const db = ready()
  const sql = "SELECT count(*) AS n FROM parts WHERE id IN (SELECT value FROM json_each('[1]'))"
  watched(db, sql)
  expect(watched(db, sql).reads).toEqual(['parts'])
})
