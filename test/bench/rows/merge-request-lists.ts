import { join } from 'node:path'

import { call, startInstance, type Running } from '../support/instance.ts'
import { median, round, timed, type Result } from '../support/measure.ts'
import { AUTHORS, LABELS, seedMergeRequests, wordOf } from '../support/seed-merge-requests.ts'

const MANY = 100_000
const FEW = 1000
const ASKED = 120

/** Queries that are all different, so that no kept answer is measured. */
const queries: readonly { work: string; query: (index: number) => string }[] = [
  {
    work: 'list by state, labels, author, search',
    query: (index) =>
      `state=opened&labels=label-${index % LABELS}&author_username=author-${index % AUTHORS}&search=${wordOf(index)}`,
  },
  {
    work: 'list by state and search',
    query: (index) => `state=opened&search=${wordOf(index)}+of+number+${index}`,
  },
  {
    work: 'list by state and labels',
    query: (index) => `state=merged&labels=label-${index % LABELS}&page=${1 + (index % 3)}`,
  },
  {
    work: 'list by author',
    query: (index) => `author_username=author-${index % AUTHORS}&page=${1 + (index % 3)}`,
  },
  { work: 'list by state', query: (index) => `state=opened&page=${1 + index}` },
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
    for (const { work, query } of queries) {
      // The first turn warms both up and is not counted.
      await times(few, query)
      await times(many, query)
      const base = await times(few, (index) => query(index + ASKED))
      const measured = await times(many, (index) => query(index + ASKED))
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
