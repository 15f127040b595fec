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

/** A database on which each statement has run, because the tables of a statement are known from its second run on. */
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
  const isStillCached = (name: keyof typeof READS, work: (db: Database) => void): boolean => {
    const db = ready()
    const { reads, since } = watched(db, READS[name])
    work(db)
    return db.isUnchanged(reads, since)
  }

  it('does not invalidate values computed from other tables', () => {
    expect(isStillCached('items', (db) => db.exec(WRITES['add a pair']))).toBe(true)
    expect(isStillCached('words', (db) => db.exec(WRITES['add a part']))).toBe(true)
  })

  it('counts for tables that triggers and foreign keys change, too', () => {
    expect(isStillCached('counts', (db) => db.exec(WRITES['add a pair']))).toBe(false)
    expect(isStillCached('parts', (db) => db.exec(WRITES['remove all items']))).toBe(false)
  })

  it('takes effect at the end of its transaction, unless no cached value depends on it', () => {
    const add = (db: Database) => () => db.exec(WRITES['add an item'])
    expect(isStillCached('items', (db) => db.transaction(add(db)))).toBe(false)
    expect(isStillCached('items', (db) => db.transaction(add(db), { unnoticed: true }))).toBe(true)
    expect(isStillCached('pairs', (db) => db.transaction(add(db)))).toBe(true)
  })

  it('counts for every table while its statement runs for the first time', () => {
    expect(isStillCached('pairs', (db) => db.exec("UPDATE items SET name = 'first'"))).toBe(false)
  })

  it('is never missed, in any order of reads and writes', () => {
    const step = fc.oneof(
      fc.constantFrom(...Object.values(READS)).map((sql) => ({ sql, writes: false })),
      fc.constantFrom(...Object.values(WRITES)).map((sql) => ({ sql, writes: true })),
    )
    const db = ready()
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const cached = new Map<string, ReturnType<typeof watched>>()
        for (const { sql, writes } of steps) {
          if (writes) db.exec(sql)
          else if (!cached.has(sql)) cached.set(sql, watched(db, sql))
          for (const [name, { value, reads, since }] of cached)
            expect(db.isUnchanged(reads, since) ? read(db, name) : value).toBe(value)
        }
      }),
    )
  })
})

describe('a change of a project', () => {
  const PROJECTS = `
    CREATE TABLE projects (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
      name TEXT NOT NULL DEFAULT '', star_count INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE INDEX projects_stars ON projects (star_count);
    CREATE TABLE stars (project_id INTEGER NOT NULL) STRICT;
    CREATE TRIGGER star AFTER INSERT ON stars BEGIN
      UPDATE projects SET star_count = star_count + 1 WHERE id = new.project_id; END;
    INSERT INTO projects (id, parent_id) VALUES (1, NULL), (2, 1), (3, NULL);`
  const WRITES = {
    star: 'INSERT INTO stars VALUES (?)',
    count: 'UPDATE projects SET star_count = star_count + 1 WHERE id > ?',
    rename: "UPDATE projects SET name = name || 'a' WHERE id > ?",
    create: "INSERT INTO projects (parent_id, name) VALUES (?, 'new')",
    delete: 'DELETE FROM projects WHERE id = ?',
  }
  const READS = {
    one: { sql: 'SELECT * FROM projects WHERE id = ?', reads: ['projects:2'] },
    names: {
      sql: 'SELECT group_concat(name) FROM projects WHERE id > ?',
      reads: ['projects without counts'],
    },
    stars: { sql: 'SELECT sum(star_count) FROM projects WHERE id > ?', reads: ['projects'] },
    'sequence by stars': {
      sql: 'SELECT group_concat(id) FROM (SELECT id FROM projects WHERE id > ? ORDER BY star_count)',
      reads: ['projects'],
    },
  }

  const reading = (db: Database, sql: string) => {
    const watch = db.watchReads()
    const row = JSON.stringify(db.one(sql, 2))
    return { row, reads: watch.end(), since: watch.since }
  }
  /** A database with known statements. */
  function prepared(): Database {
    const { db } = blank(PROJECTS)
    for (let turn = 0; turn < 2; turn++) {
      db.exec('INSERT INTO projects (id) VALUES (99)')
      db.exec(WRITES.star, 99)
      db.exec(WRITES.count, 98)
      db.exec(WRITES.rename, 98)
      db.exec(WRITES.delete, 99)
      db.exec(WRITES.create, 3)
      for (const { sql } of Object.values(READS)) reading(db, sql)
    }
    return db
  }

  it.each([
    ['a star of it', 'star', 2, ['one']],
    ['a star of another', 'star', 1, []],
    ['counts of all', 'count', 0, ['one', 'stars', 'sequence by stars']],
    ['counts of others', 'count', 2, ['stars', 'sequence by stars']],
    ['counts of none', 'count', 999, []],
    ['names of all', 'rename', 0, ['one', 'names', 'stars', 'sequence by stars']],
    ['names of others', 'rename', 2, ['names', 'stars', 'sequence by stars']],
    ['a new one', 'create', 1, ['names', 'stars', 'sequence by stars']],
    ['its deletion', 'delete', 2, ['one', 'names', 'stars', 'sequence by stars']],
    ['the deletion of its parent', 'delete', 1, ['one', 'names', 'stars', 'sequence by stars']],
    ['the deletion of another', 'delete', 3, ['names', 'stars', 'sequence by stars']],
  ] as const)('invalidates what was computed from it: %s', (_name, write, parameter, invalid) => {
    const wide = write === 'star' ? ['stars', 'sequence by stars'] : []
    const changed: string[] = []
    for (const [name, { sql, reads }] of Object.entries(READS)) {
      const db = prepared()
      const before = reading(db, sql)
      expect(before.reads).toEqual(reads)
      db.exec(WRITES[write], parameter)
      const isValid = db.isUnchanged(before.reads, before.since)
      if (!isValid) changed.push(name)
      expect(isValid ? reading(db, sql).row : before.row).toBe(before.row)
    }
    expect(changed).toEqual([...invalid, ...wide])
  })

  it('invalidates all values of every project while its statement runs for the first time', () => {
    const db = prepared()
    const { reads, since } = reading(db, READS.one.sql)
    db.exec('UPDATE projects SET star_count = 5 WHERE id = 3')
    expect(db.isUnchanged(reads, since)).toBe(false)
  })

  it('is never missed, in any order of reads and writes', () => {
    const step = fc.oneof(
      fc.constantFrom(...Object.values(READS)).map(({ sql }) => ({ sql, id: null })),
      fc.record({ sql: fc.constantFrom(...Object.values(WRITES)), id: fc.integer({ min: 1, max: 5 }) }),
    )
    const db = prepared()
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const cached = new Map<string, ReturnType<typeof reading>>()
        for (const { sql, id } of steps) {
          // The parent of a new project exists.
          if (id !== null) db.exec(sql, sql === WRITES.create ? null : id)
          else if (!cached.has(sql)) cached.set(sql, reading(db, sql))
          for (const [name, { row, reads, since }] of cached)
            expect(db.isUnchanged(reads, since) ? reading(db, name).row : row).toBe(row)
        }
      }),
    )
  })
})

it('JSON functions do not count as tables', () => {
  const db = ready()
  const sql = "SELECT count(*) AS n FROM parts WHERE id IN (SELECT value FROM json_each('[1]'))"
  watched(db, sql)
  expect(watched(db, sql).reads).toEqual(['parts'])
})
