import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { startInstance } from '../support/instance.ts'
import { round, type Result } from '../support/measure.ts'
import { makeTargets, MixedLoad, type Kind } from '../support/mixed.ts'
import { proportionalMb, residentMb } from '../support/process-tree.ts'

const CONNECTIONS = 200
const PROJECTS = 20
/** Five minutes; `DESKFORGE_BENCH_SECONDS` sets a shorter time. */
const SECONDS = Number(process.env['DESKFORGE_BENCH_SECONDS'] ?? 300)
const REST_SECONDS = 60
const MOST: Readonly<Record<Kind, number>> = { read: 300, write: 1000, git: Infinity }

/** The value that this share of the values does not exceed. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

/**
 * Creates the folder for the clones of the clients, in memory where possible. Real clients are on other machines. On the
 * disk of the instance, clients with the lowest priority hold up its file system while they wait for a processor.
 */
function clientsFolder(dir: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : dir, 'deskforge-clients-'))
}

/** Row 16: 200 connections that read, write and use git for five minutes, and the memory a minute later. */
export async function mixedRows(dir: string): Promise<Result[]> {
  const instance = await startInstance(dir)
  const clients = clientsFolder(dir)
  try {
    const targets = await makeTargets(instance.url, PROJECTS)
    await new MixedLoad(instance.url, targets, clients).run(20, 10)
    const before = proportionalMb([instance.pid])
    const load = new MixedLoad(instance.url, targets, clients)
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, proportionalMb([instance.pid]))), 1000)
    await load.run(CONNECTIONS, SECONDS)
    clearInterval(watch)
    const family = residentMb(instance.pid)
    await pause(REST_SECONDS * 1000)
    const after = proportionalMb([instance.pid])
    const { times, others, details } = load.tally
    const refused = Array.from(others, ([what, count]) => `${what}: ${count}`).join(', ')
    console.log(`    not answered well: ${refused || 'nothing'}; whole family at the end ${round(family)} MB`)
    const p99s = Array.from(details, ([what, list]) => `${what} ${round(percentile(list, 0.99))}`).join(', ')
    console.log(`    p99 in ms: ${p99s}`)
    const wrong = Array.from(others.keys()).filter((what) => !what.endsWith(' 429'))
    const rows = (['read', 'write', 'git'] as const).map((kind): Result => {
      const [half, most99] = [percentile(times[kind], 0.5), percentile(times[kind], 0.99)]
      return {
        row: 16,
        work: `${CONNECTIONS} connections, ${SECONDS} s: ${kind}`,
        baseline: `${times[kind].length} done`,
        measured: `p50 ${round(half)}, p99 ${round(most99)} ms`,
        ratio: null,
        goal: MOST[kind] === Infinity ? 'no error but 429' : `p99 ≤ ${MOST[kind]} ms, only 429`,
        met: most99 <= MOST[kind] && !wrong.some((what) => what.startsWith(kind)),
      }
    })
    const memory: Result = {
      row: 16,
      work: 'its memory a minute later',
      baseline: `${round(before)} MB before`,
      measured: `${round(after)} MB (most ${round(most)})`,
      ratio: after / before,
      goal: '≤ 1.2 ×',
      met: after <= before * 1.2,
    }
    return [...rows, memory]
  } finally {
    await instance.stop()
    rmSync(clients, { recursive: true, force: true })
  }
}
