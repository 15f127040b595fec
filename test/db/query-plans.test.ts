import { beforeAll, describe, expect, it, vi } from 'vitest'

import { endpointsOf } from '../../server/domain.ts'
import { domains } from '../../server/domains.ts'
import type { Endpoint } from '../../server/http/endpoint.ts'
import { addressOf, ask, leastParams } from '../support/samples.ts'
import { world, type TestUser, type World } from '../support/world.ts'

/** Allowed table scans: a pattern of the statement, and the reason. */
const EXPLAINED: readonly (readonly [RegExp, string])[] = [
  [
    /ORDER BY \(n\.owner_id IS NOT NULL AND n\.owner_id = \?\) DESC/,
    "an administrator's own namespace comes first of all",
  ],
  [/FROM cron_runs$/, 'the job runner looks up due crons once a minute, independently of requests'],
]

/**
 * The steps of the query plan that scan a whole table. Subqueries of the statement are not tables, and a scan in the order
 * of the result ends with the page.
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

/** Endpoints that export the whole instance, so they have to scan tables. */
const WHOLE = new Set(['GET /-/workbench/worlds/current'])

const lists = (await endpointsOf(domains)).filter(
  (endpoint) => endpoint.method === 'GET' && !WHOLE.has(endpoint.route),
)

/** Returns the parameters of several requests: the minimal ones, and these with each of two searches. */
function wordings(endpoint: Endpoint): Record<string, unknown>[] {
  const least = leastParams(endpoint)
  const searches = 'search' in endpoint.params ? ['a common word', 'readme'] : []
  return [least, ...searches.map((search) => ({ ...least, search }))]
}

describe('the queries of every read', () => {
  it('are checked by a function that finds scans', () => {
    expect(scans(w, 'SELECT count(*) FROM users WHERE bio = ?', ['x'])).toEqual(['users'])
    expect(scans(w, 'SELECT * FROM users WHERE id = ?', [1])).toEqual([])
  })

  it.each(lists.map((endpoint) => [endpoint.route, endpoint] as const))(
    'scan no table: %s',
    async (_, endpoint) => {
      const { db } = w.ctx()
      const seen = new Map<string, readonly unknown[]>()
      const spies = (['one', 'many'] as const).map((name) => vi.spyOn(db, name))
      const address = addressOf(
        endpoint,
        owners[endpoint.scope?.name ?? '']
          ? { [endpoint.scope!.param]: owners[endpoint.scope!.name]!.id }
          : {},
      )
      for (const requester of [w.root, user])
        for (const params of wordings(endpoint))
          await ask(w.url, endpoint, { address, params, headers: { 'private-token': requester.token } })
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
