import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'

import { hideParameters } from '../../server/db/bind.ts'
import { UniqueViolation } from '../../server/db/constraints.ts'
import { Database, jsonList, q, tx } from '../../server/db/database.ts'
import { likePattern } from '../../server/db/lists.ts'
import { Failure } from '../../server/lib/fail.ts'
import { blank, folder, migrated, silent } from '../support/database.ts'

const ITEMS = `
  CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER, CHECK (size > 0)) STRICT;
  CREATE TABLE pairs (a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID;
  CREATE TABLE parts (item_id INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE) STRICT;`
const items = (): Database => blank(ITEMS).db
const add = (db: Database, name: string) => db.exec('INSERT INTO items (name) VALUES (?)', name)
const names = (db: Database): string[] =>
  db.many<{ name: string }>('SELECT name FROM items ORDER BY id').map((row) => row.name)

describe('queries', () => {
  it('return rows, the number of changes and the new id', () => {
    const db = items()
    expect(add(db, 'a')).toEqual({ changes: 1, id: 1 })
    expect(add(db, 'b')).toEqual({ changes: 1, id: 2 })
    expect(db.exec('UPDATE items SET size = 1').changes).toBe(2)
    expect(db.one('SELECT name FROM items WHERE id = ?', 2)).toEqual({ name: 'b' })
    expect(db.one('SELECT name FROM items WHERE id = ?', 3)).toBeUndefined()
    expect(db.one('INSERT INTO items (name) VALUES (?) RETURNING id', 'c')).toEqual({ id: 3 })
    expect(db.exec('DELETE FROM items WHERE id = 9').changes).toBe(0)
  })

  it.each([
    ['SELECT a FROM t WHERE a = ? ORDER BY b LIMIT ?', 'SELECT a FROM t WHERE a = +? ORDER BY b LIMIT +?'],
    ['SELECT a FROM t WHERE a IN (?, ?2)', 'SELECT a FROM t WHERE a IN (+?, +?2)'],
    ['SELECT \'?\', "a?" FROM t -- ?\nWHERE a > ?', 'SELECT \'?\', "a?" FROM t -- ?\nWHERE a > +?'],
    // The planner has to see patterns, and columns that a partial index compares with a value.
    ['SELECT a FROM t WHERE b LIKE ?', 'SELECT a FROM t WHERE b LIKE ?'],
    ['SELECT a FROM t WHERE t."state" = ? AND a = ?', 'SELECT a FROM t WHERE t."state" = ? AND a = +?'],
    ['SELECT a FROM u WHERE state = ?', 'SELECT a FROM u WHERE state = +?'],
  ])('hide parameters from the planner: %s', (sql, hidden) => {
    expect(hideParameters(sql, [{ table: 't', column: 'state' }])).toBe(hidden)
  })

  it('use a partial index when the parameter has its value', () => {
    const { db } = blank(`${ITEMS} CREATE INDEX large ON items (name) WHERE size = 9;`)
    const planOf = (size: number) =>
      db.many<{ detail: string }>('EXPLAIN QUERY PLAN SELECT name FROM items WHERE size = ?', size)
    expect(planOf(9)).toMatchObject([{ detail: expect.stringContaining('INDEX large') as string }])
    expect(planOf(8)).toMatchObject([{ detail: 'SCAN items' }])
  })

  it('store booleans, null and dates as the schema defines them', () => {
    const db = items()
    const row = db.one(
      'SELECT ? AS yes, ? AS no, ? AS empty, ? AS moment',
      true,
      false,
      undefined,
      new Date(0),
    )
    expect(row).toEqual({ yes: 1, no: 0, empty: null, moment: '1970-01-01T00:00:00.000Z' })
  })

  it('are built with the query builder, which cannot run them itself', async () => {
    const db = migrated()
    expect(db.get(q.selectFrom('cron_runs').selectAll().where('name', '=', 'x'))).toBeUndefined()
    db.run(q.insertInto('cron_runs').values({ name: 'x', last_run_at: 'now' }))
    expect(db.all(q.selectFrom('cron_runs').select('name'))).toEqual([{ name: 'x' }])
    const { length } = await q.selectFrom('cron_runs').selectAll().execute()
    expect(length).toBe(0)
  })

  it('accept a list of any length and content as one parameter', () => {
    const db = items()
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.integer(),
            fc.string().map((text) => text.toWellFormed().replaceAll('\0', '')),
          ),
        ),
        (values) => {
          const rows = db.many<{ value: unknown }>('SELECT value FROM json_each(?)', jsonList(values))
          expect(rows.map((row) => row.value)).toEqual(values)
        },
      ),
    )
  })

  it('treat every character of a search text literally', () => {
    const db = items()
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab%_\\é') }),
        fc.string({ unit: fc.constantFrom(...'ab%_\\é') }),
        (inside, search) => {
          const found = db.one<{ hit: number }>(
            "SELECT ? LIKE ? ESCAPE '\\' AS hit",
            inside,
            likePattern(search),
          )!.hit
          expect(found === 1).toBe(inside.includes(search))
        },
      ),
    )
  })
})

describe('a transaction', () => {
  it('stores all of its changes or none', () => {
    const db = items()
    tx(db, () => {
      add(db, 'a')
      add(db, 'b')
    })
    expect(() =>
      tx(db, () => {
        add(db, 'c')
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(names(db)).toEqual(['a', 'b'])
    expect(db.inTransaction).toBe(false)
  })

  it('includes nested transactions: the outermost one commits or rolls back', () => {
    const db = items()
    expect(() =>
      tx(db, () => {
        tx(db, () => add(db, 'inner'))
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(names(db)).toEqual([])
    expect(tx(db, () => tx(db, () => tx(db, () => add(db, 'a').id)))).toBe(1)
    expect(names(db)).toEqual(['a'])
  })

  it('refuses a promise at any depth, and rolls back', async () => {
    const db = items()
    const work = async (): Promise<void> => void add(db, 'too early')
    expect(() => tx(db, work)).toThrow('A transaction must be synchronous; it returned a promise.')
    expect(() => tx(db, () => tx(db, work))).toThrow(TypeError)
    await Promise.resolve()
    expect(names(db)).toEqual([])
    add(db, 'a')
    expect(names(db)).toEqual(['a'])
  })

  it('continues after a caught error of a refused row', () => {
    const db = items()
    add(db, 'a')
    tx(db, () => {
      expect(() => add(db, 'a')).toThrow(UniqueViolation)
      add(db, 'b')
    })
    expect(names(db)).toEqual(['a', 'b'])
  })

  it('fails when SQLite itself has rolled it back', () => {
    const db = items()
    add(db, 'a')
    expect(() =>
      tx(db, () => {
        add(db, 'b')
        db.exec("INSERT OR ROLLBACK INTO items (name) VALUES ('a')")
      }),
    ).toThrow(UniqueViolation)
    expect(names(db)).toEqual(['a'])
    tx(db, () => add(db, 'c'))
    expect(names(db)).toEqual(['a', 'c'])
  })
})

describe('a callback after the commit', () => {
  it('runs in order after the commit of the outermost transaction', () => {
    const db = items()
    const seen: unknown[] = []
    tx(db, () => {
      db.afterCommit(() => seen.push(['first', db.inTransaction, names(db)]))
      tx(db, () => db.afterCommit(() => seen.push('second')))
      add(db, 'a')
      expect(seen).toEqual([])
    })
    expect(seen).toEqual([['first', false, ['a']], 'second'])
  })

  it('does not run after a rollback', () => {
    const db = items()
    let count = 0
    expect(() =>
      tx(db, () => {
        db.afterCommit(() => count++)
        throw new Error('no')
      }),
    ).toThrow('no')
    tx(db, () => add(db, 'a'))
    expect(count).toBe(0)
  })

  it('runs at once outside a transaction, and may write', () => {
    const db = items()
    db.afterCommit(() => void add(db, 'a'))
    tx(db, () => db.afterCommit(() => tx(db, () => db.afterCommit(() => void add(db, 'b')))))
    expect(names(db)).toEqual(['a', 'b'])
  })

  it('does not fail the transaction or stop other callbacks when it throws', () => {
    const db = items()
    const seen: string[] = []
    const result = tx(db, () => {
      db.afterCommit(() => {
        throw new Error('a listener of the window fell over')
      })
      db.afterCommit(() => seen.push('second'))
      return add(db, 'a').changes
    })
    expect(result).toBe(1)
    expect(seen).toEqual(['second'])
  })
})

describe('cached values', () => {
  const count = (db: Database): number =>
    db.remember('count', () => db.one<{ n: number }>('SELECT count(*) AS n FROM items')!.n)

  const countByRows = (db: Database): number =>
    db.rememberRows('rows', () => db.one<{ n: number }>('SELECT count(*) AS n FROM items')!.n)

  it('stay valid while other tables change, if they depend only on rows', () => {
    const db = items()
    let computed = 0
    const read = (): number =>
      db.rememberRows('x', () => (computed++, db.one<{ n: number }>('SELECT count(*) AS n FROM items')!.n))
    // The tables of a statement are known from its second run on.
    read()
    add(db, 'a')
    read()
    const addPair = (b: number) => db.exec('INSERT INTO pairs VALUES (1, ?)', b)
    for (const b of [1, 2, 3]) addPair(b)
    read()
    computed = 0
    addPair(4)
    expect([read(), computed]).toEqual([1, 0])
    add(db, 'b')
    expect([read(), computed]).toEqual([2, 1])
  })

  it('are computed once while nothing is written', () => {
    const db = items()
    let computed = 0
    const read = (): number => db.remember('x', () => ++computed)
    expect([read(), read(), read()]).toEqual([1, 1, 1])
    add(db, 'a')
    expect([read(), read()]).toEqual([2, 2])
    db.exec("DELETE FROM items WHERE name = 'nobody'")
    expect(read()).toBe(2)
  })

  it('are never stale, in any order of reads and writes', () => {
    const action = fc.constantFrom(
      'add',
      'remove',
      'update',
      'returning',
      'read',
      'commit',
      'rollback',
      'nested',
      'refused',
    )
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const { db, sqlite } = blank(ITEMS)
        let next = 0
        const truth = (): number =>
          sqlite.prepare<[], { n: number }>('SELECT count(*) AS n FROM items').get()!.n
        const fresh = (): void => expect([count(db), countByRows(db)]).toEqual([truth(), truth()])
        const change = (): void => void add(db, `t${++next}`)
        const steps: Record<string, () => void> = {
          add: change,
          remove: () => void db.exec('DELETE FROM items WHERE id = (SELECT max(id) FROM items)'),
          update: () => void db.exec('UPDATE items SET size = 1'),
          returning: () => void db.one('DELETE FROM items RETURNING id'),
          read: () => undefined,
          refused: () => {
            add(db, `same${++next}`)
            expect(() => add(db, `same${next}`)).toThrow(UniqueViolation)
          },
          commit: () => tx(db, () => (fresh(), change(), fresh())),
          nested: () => tx(db, () => tx(db, () => (change(), fresh()))),
          rollback: () => {
            const work = (): void => {
              change()
              fresh()
              throw new Error('no')
            }
            expect(() => tx(db, work)).toThrow('no')
          },
        }
        for (const name of actions) {
          steps[name]!()
          fresh()
          fresh()
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('refused rows', () => {
  it('name the columns that must be unique', () => {
    const db = items()
    add(db, 'a')
    db.exec('INSERT INTO pairs VALUES (1, 2)')
    const columns = (work: () => unknown): unknown => {
      try {
        return work()
      } catch (error) {
        return error instanceof UniqueViolation ? error.columns : error
      }
    }
    expect(columns(() => add(db, 'a'))).toEqual(['items.name'])
    expect(columns(() => db.exec("INSERT INTO items (id, name) VALUES (1, 'b')"))).toEqual(['items.id'])
    expect(columns(() => db.exec('INSERT INTO pairs VALUES (1, 2)'))).toEqual(['pairs.a', 'pairs.b'])
  })

  it('remain programming errors if they break another rule', () => {
    const db = items()
    for (const sql of [
      "INSERT INTO items (name, size) VALUES ('x', 0)",
      'INSERT INTO items (name) VALUES (NULL)',
    ])
      expect(() => db.exec(sql)).toThrow(expect.not.objectContaining({ name: 'Failure' }))
  })
})

describe('a full or failing disk', () => {
  it('is an expected failure, for a row and for a commit', () => {
    const { db, sqlite } = blank(ITEMS)
    add(db, 'a')
    sqlite.pragma(`max_page_count = ${String(sqlite.pragma('page_count', { simple: true }))}`)
    const fill = (): unknown => tx(db, () => add(db, 'x'.repeat(100_000)))
    expect(fill).toThrow(Failure)
    expect(fill).toThrow('There is no space left on the disk; nothing was changed.')
    expect(names(db)).toEqual(['a'])
    sqlite.pragma('max_page_count = 100000')
    fill()
    expect(names(db)).toHaveLength(2)
  })

  it('is reported for a read-only database', () => {
    const { db, sqlite } = blank(ITEMS)
    sqlite.pragma('query_only = ON')
    expect(() => add(db, 'a')).toThrow('The disk cannot be written at the moment; nothing was changed.')
    expect(() => tx(db, () => add(db, 'a'))).toThrow(Failure)
  })

  it('is reported as in use for a database that another program has locked', () => {
    const file = join(folder(), 'a.db')
    const [first, other] = [new BetterSqlite3(file), new BetterSqlite3(file)]
    onTestFinished(() => [first, other].forEach((each) => void each.close()))
    first.exec(ITEMS)
    first.pragma('busy_timeout = 0')
    other.exec('BEGIN IMMEDIATE')
    const db = new Database(first, silent)
    expect(() => add(db, 'a')).toThrow('The database is in use by another program; nothing was changed.')
    expect(() => tx(db, () => add(db, 'a'))).toThrow(Failure)
    expect(db.inTransaction).toBe(false)
    other.exec('ROLLBACK')
    expect(tx(db, () => add(db, 'a')).changes).toBe(1)
  })
})
