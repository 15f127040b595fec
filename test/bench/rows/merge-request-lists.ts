import { join } from 'node:path'

import { call, startInstance, type Running } from '../support/instance.ts'
import { median, round, timed, type Result } from '../support/measure.ts'
import { AUTHORS, LABELS, seedMergeRequests, wordOf } from '../support/seed-merge-requests.ts'

const MANY = 100_000
const FEW = 1000
const ASKED = 60

/** Four orders, so that few filters result in many different queries. */
const ORDERS = ['created_at&sort=desc', 'created_at&sort=asc', 'updated_at&sort=desc', 'updated_at&sort=asc']
const order = (turn: number): string => `order_by=${ORDERS[turn % ORDERS.length]}`

/**
 * All queries differ, so that no response is cached. They also find rows in the small database, because an empty page would
 * be no baseline.
 */
const queries: readonly { work: string; query: (index: number) => string }[] = [
  {
    work: 'list by state, labels, author, search',
    query: (index) =>
      `state=opened&labels=label-${index % LABELS}&author_username=author-${index % AUTHORS}&search=${wordOf(index)}`,
  },
  {
    work: 'list by state and a common word',
    query: (index) => `state=opened&search=${wordOf(index)}&${order(Math.floor(index / 10))}`,
  },
  {
    work: 'list by state and rare words',
    query: (index) => `state=opened&search=${wordOf(index)}+${100 + index * 7}`,
  },
  {
    work: 'list by state and labels',
    query: (index) => `state=merged&labels=label-${index % LABELS}&${order(Math.floor(index / LABELS))}`,
  },
  {
    work: 'list by author',
    query: (index) => `author_username=author-${index % AUTHORS}&${order(Math.floor(index / AUTHORS))}`,
  },
  {
    work: 'list by state',
    query: (index) => `state=opened&page=${1 + (index % 16)}&${order(Math.floor(index / 16))}`,
  },
]

async function times(instance: Running, query: (index: number) => string): Promise<number> {
  const all: number[] = []
  for (let index = 0; index < ASKED; index++)
    all.push(await timed(() => call(instance.url, `/merge_requests?scope=all&${query(index)}`)))
  return median(all)
}

/** Row 5: filtered lists of merge requests, 100,000 of them against 1,000. */
export async function mergeRequestListRows(dir: string): Promise<Result[]> {
  await seedMergeRequests(join(dir, 'many'), MANY)
  await seedMergeRequests(join(dir, 'few'), FEW)
  const many = await startInstance(join(dir, 'many'))
  const few = await startInstance(join(dir, 'few'))
  const results: Result[] = []
  try {
    // The bench sends more searches than the rate limit allows.
    const settings = { method: 'PUT', body: JSON.stringify({ search_rate_limit: 0 }) }
    for (const instance of [many, few]) await call(instance.url, '/application/settings', settings)
    for (const { work, query } of queries) {
      // The first round warms both up and is not counted.
      await times(few, (index) => query(index + ASKED))
      await times(many, (index) => query(index + ASKED))
      const base = await times(few, query)
      const measured = await times(many, query)
      const ratio = measured / base
      results.push({
        row: 5,
        work,
        baseline: `${round(base)} ms (1,000)`,
        measured: `${round(measured)} ms`,
        ratio,
        goal: '≤ 2 ×',
        met: ratio <= 2,
      })
    }
  } finally {
    await many.stop()
    await few.stop()
  }
  return results
}
