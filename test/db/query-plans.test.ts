import { beforeAll, describe, expect, it, vi } from 'vitest'

import { domains } from '../../server/domains.ts'
import type { Endpoint } from '../../server/http/endpoint.ts'
import { addressOf, ask, leastParams } from '../support/samples.ts'
import { world, type TestUser, type World } from '../support/world.ts'

/** Reads of a whole table that are fine, by what they read and why. */
const EXPLAINED: readonly (readonly [RegExp, string])[] = [
  [
    /ORDER BY \(n\.owner_id IS NOT NULL AND n\.owner_id = \?\) DESC/,
    "an administrator's own namespace comes first of all",
  ],
  [/FROM cron_runs$/, 'the clock looks once a minute at what is due, whatever is asked meanwhile'],
]

/**
 * What SQLite says it would do: the steps that read a whole table from end to end. Results of parts of the query itself
 * are no tables, and walking a table in the order of the answer ends with the page.
 */
function scans(w: World, sql: string, parameters: readonly unknown[]): string[] {
  const rows = w.ctx().db.many<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...parameters)
  const steps = rows.map((row) => row.detail)
  const isPaged =
    /\bLIMIT\b/i.test(sql) && !steps.some((step) => step.startsWith('USE TEMP B-TREE FOR ORDER BY'))
  const own = [
    ...sql.matchAll(/\bWITH RECURSIVE (\w+)/gi),
    ...steps.flatMap((step) => [...step.matchAll(/^(?:CO-ROUTINE|MATERIALIZE) (\w+)/g)]),
  ].map(([, name]) => name)
  const found = steps.flatMap((step) => /^SCAN (\w+)$/.exec(step)?.[1] ?? [])
  return isPaged ? [] : found.filter((name) => !own.includes(name))
}

let w: World
let user: TestUser
let owners: Record<string, { id: number }>
beforeAll(async () => {
  w = await world()
  user = w.make.user()
  owners = {
    project: await w.make.project({ owner: user, with: 'readme' }),
    group: await w.make.group({ owner: user }),
  }
  await w.make.member('projects', owners['project']!.id, w.make.user(), 30)
  await w.drain()
})

/** Reads that write the whole instance out, for whoever asks for just that. */
const WHOLE = new Set(['GET /-/workbench/worlds/current'])

const lists = domains
  .flatMap((one) => one.endpoints)
  .filter((one) => one.method === 'GET' && !WHOLE.has(one.route))

/** The least parameters, and a search for a word that is common and for one that is not. Lists count what they find, too. */
function wordings(one: Endpoint): Record<string, unknown>[] {
  const least = leastParams(one)
  const searches = 'search' in one.params ? ['a common word', 'readme'] : []
  return [least, ...searches.map((search) => ({ ...least, search }))]
}

describe('the queries of every read', () => {
  it('are recognized as scans by this test', () => {
    expect(scans(w, 'SELECT count(*) FROM users WHERE bio = ?', ['x'])).toEqual(['users'])
    expect(scans(w, 'SELECT * FROM users WHERE id = ?', [1])).toEqual([])
  })

  it.each(lists.map((one) => [one.route, one] as const))(
    'read no table from end to end: %s',
    async (_, one) => {
      const { db } = w.ctx()
      const seen = new Map<string, readonly unknown[]>()
      const spies = (['one', 'many'] as const).map((name) => vi.spyOn(db, name))
      const address = addressOf(
        one,
        owners[one.scope?.name ?? ''] ? { [one.scope!.param]: owners[one.scope!.name]!.id } : {},
      )
      for (const asking of [w.root, user])
        for (const params of wordings(one))
          await ask(w.url, one, { address, params, headers: { 'private-token': asking.token } })
      for (const spy of spies) {
        for (const [sql, ...parameters] of spy.mock.calls) seen.set(sql, parameters)
        spy.mockRestore()
      }
      const unexplained = [...seen]
        .filter(
          ([sql]) =>
            !/^\s*(INSERT|UPDATE|DELETE)/i.test(sql) && !EXPLAINED.some(([pattern]) => pattern.test(sql)),
        )
        .flatMap(([sql, parameters]) =>
          scans(w, sql, parameters).map((table) => `${table}: ${sql.replace(/\s+/g, ' ')}`),
        )
      expect(unexplained).toEqual([])
    },
  )
})
