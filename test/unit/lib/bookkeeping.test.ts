import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { Bookkeeping } from '../../../server/lib/bookkeeping.ts'

/** Creates a bookkeeping. `stored` has the values that it writes, one list per transaction. */
function ledger(): { book: Bookkeeping; stored: unknown[][][]; failNext(): void } {
  const stored: unknown[][][] = []
  let fail = false
  const book = new Bookkeeping((work) => {
    const writes: unknown[][] = []
    work((sql, ...parameters) => {
      if (fail) throw new Error('The disk is full.')
      writes.push([sql, ...parameters])
    })
    stored.push(writes)
  })
  return {
    book,
    stored,
    failNext() {
      fail = true
      setTimeout(() => (fail = false), 60_500)
    },
  }
}

describe('deferred writes', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('are stored together after a minute, the newest of each key', () => {
    const { book, stored } = ledger()
    book.collect('a', 'UPDATE', 1)
    book.collect('b', 'UPDATE', 2)
    book.collect('a', 'UPDATE', 3)
    vi.advanceTimersByTime(59_000)
    expect(stored).toEqual([])
    vi.advanceTimersByTime(1000)
    expect(stored).toEqual([
      [
        ['UPDATE', 3],
        ['UPDATE', 2],
      ],
    ])
  })

  it('are stored at once when the instance ends, and only once', () => {
    const { book, stored } = ledger()
    book.collect('a', 'UPDATE', 1)
    book.flush()
    vi.advanceTimersByTime(120_000)
    expect(stored).toEqual([[['UPDATE', 1]]])
    book.flush()
    expect(stored).toHaveLength(1)
  })

  it('wait for another minute after each store', () => {
    const { book, stored } = ledger()
    book.collect('a', 'UPDATE', 1)
    vi.advanceTimersByTime(60_000)
    book.collect('a', 'UPDATE', 2)
    vi.advanceTimersByTime(60_000)
    expect(stored).toEqual([[['UPDATE', 1]], [['UPDATE', 2]]])
  })

  it('are retried after a minute if they cannot be stored, and do not end the process', () => {
    const { book, stored, failNext } = ledger()
    failNext()
    book.collect('a', 'UPDATE', 1)
    book.collect('b', 'UPDATE', 2)
    expect(() => vi.advanceTimersByTime(60_000)).not.toThrow()
    expect(stored).toEqual([])
    book.collect('a', 'UPDATE', 3)
    vi.advanceTimersByTime(60_000)
    expect(stored).toEqual([
      expect.arrayContaining([
        ['UPDATE', 3],
        ['UPDATE', 2],
      ]),
    ])
  })
})
