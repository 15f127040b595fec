import { describe, expect, it } from 'vitest'

import { ThreadPool } from '../../../server/threads/pool.ts'
import { runInThread, type RunOptions, Thread, workerFile } from '../../../server/threads/thread.ts'

/** Adds numbers, and asks for the value of each. */
export interface SumWork {
  readonly task: {
    readonly kind?: 'endless' | 'exit' | 'memory' | 'fault'
    readonly numbers: readonly number[]
  }
  readonly result: number
  readonly report: number
  readonly question: number
  readonly answer: number
}

const file = workerFile(import.meta.url, './sums')
class Problem extends Error {}

const sum = (task: SumWork['task'], options: RunOptions<SumWork> = {}): Promise<number> =>
  runInThread<SumWork>(file, task, { onQuestion: (number) => number * 2, ...options })

describe('a thread', () => {
  it('reports progress, asks questions, and has a result', async () => {
    const reports: number[] = []
    await expect(sum({ numbers: [1, 2, 3] }, { onReport: (index) => reports.push(index) })).resolves.toBe(12)
    expect(reports).toEqual([0, 1, 2])
  })

  it('runs one task after the other', async () => {
    const thread = new Thread<SumWork>(file)
    const onQuestion = (number: number): number => number
    await expect(thread.run({ numbers: [1] }, { onQuestion })).resolves.toBe(1)
    await expect(thread.run({ numbers: [1, 2] }, { onQuestion })).resolves.toBe(3)
    await thread.end()
    await expect(thread.run({ numbers: [] })).rejects.toMatchObject({ why: 'ended' })
  })

  it('fails with an expected problem, or with the stack of a fault', async () => {
    const large = sum({ numbers: [100] }, { problem: Problem })
    await expect(large).rejects.toThrow(new Problem('The sum is too large.'))
    const fault = {
      why: 'failed',
      message: 'a fault',
      code: 'ENOSPC',
      stack: expect.stringContaining('sums.worker'),
    }
    await expect(sum({ kind: 'fault', numbers: [] })).rejects.toMatchObject(fault)
  })

  it('fails with the error of an answer or of a listener', async () => {
    const fail = (): never => {
      throw new Problem('no answer')
    }
    await expect(sum({ numbers: [1] }, { onQuestion: fail })).rejects.toThrow('no answer')
    await expect(sum({ numbers: [1] }, { onReport: fail })).rejects.toThrow('no answer')
  })

  it('ends when it is aborted, takes too long, needs too much memory or ends by itself', async () => {
    const endless = { kind: 'endless', numbers: [] } as const
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Problem('stopped')), 100)
    await expect(sum(endless, { signal: stop.signal })).rejects.toThrow('stopped')
    await expect(sum(endless, { signal: stop.signal })).rejects.toThrow('stopped')
    await expect(sum(endless, { timeoutMs: 50 })).rejects.toMatchObject({ why: 'late' })
    await expect(sum({ kind: 'memory', numbers: [] }, { memoryMb: 24 })).rejects.toMatchObject({
      why: 'memory',
    })
    await expect(sum({ kind: 'exit', numbers: [] })).rejects.toMatchObject({ why: 'ended' })
  })
})

describe('a pool', () => {
  const onQuestion = (number: number): number => number

  it('refuses tasks when too many wait, and aborts a long task when others wait', async () => {
    const pool = new ThreadPool<SumWork>(file, { threads: 1, maxWaiting: 0, shareMs: 50 })
    const long = pool.run({ kind: 'endless', numbers: [] }, { onQuestion })
    const next = pool.run({ numbers: [1] }, { onQuestion })
    await expect(pool.run({ numbers: [1] }, { onQuestion })).rejects.toMatchObject({ why: 'busy' })
    await expect(long).rejects.toMatchObject({ why: 'busy' })
    await expect(next).resolves.toBe(1)
  })

  it('keeps an idle thread, and starts a new one after a failure', async () => {
    const pool = new ThreadPool<SumWork>(file, { threads: 1, idleMs: 60_000, timeoutMs: 4000 })
    const first = await pool.use((thread) => Promise.resolve(thread))
    expect(await pool.use((thread) => Promise.resolve(thread))).toBe(first)
    await expect(pool.run({ kind: 'endless', numbers: [] })).rejects.toMatchObject({ why: 'late' })
    expect(await pool.use((thread) => Promise.resolve(thread))).not.toBe(first)
    await expect(pool.run({ numbers: [4] }, { onQuestion })).resolves.toBe(4)
  })
})
