import { expect, it } from 'vitest'

import { RateWindow } from '../../../server/lib/rate-window.ts'

const rate = { max: 2, per: 60 }

it('a rate window allows a number of uses in a window, and the same number in the next', () => {
  const window = new RateWindow()
  const start = Date.parse('2026-11-21T10:00:00Z')
  expect(window.take('a', rate, start)).toEqual({
    allowed: true,
    observed: 1,
    remaining: 1,
    reset: start / 1000 + 60,
  })
  expect(window.take('a', rate, start + 30_000)).toMatchObject({ allowed: true, remaining: 0 })
  expect(window.take('a', rate, start + 59_999)).toMatchObject({ allowed: false, observed: 3, remaining: 0 })
  expect(window.take('a', rate, start + 60_000)).toMatchObject({ allowed: true, observed: 1 })
})

it('a rate window counts every key separately, and forgets cleared keys', () => {
  const window = new RateWindow()
  for (const key of ['a', 'a', 'a']) window.take(key, rate, 0)
  expect(window.take('a', rate, 0).allowed).toBe(false)
  expect(window.take('b', rate, 0).allowed).toBe(true)
  window.clear('a')
  expect(window.take('a', rate, 0).allowed).toBe(true)
})

it('a rate window undoes a use in its own window only', () => {
  const window = new RateWindow()
  window.take('a', rate, 0)
  window.undo('a', rate, 59_999)
  window.undo('a', rate, 59_999)
  window.undo('unknown', rate, 0)
  expect(window.take('a', rate, 0)).toMatchObject({ observed: 1 })
  window.take('a', rate, 60_000)
  window.undo('a', rate, 0)
  expect(window.take('a', rate, 60_000)).toMatchObject({ observed: 2 })
})

it('a rate window begins with the first use, not with a minute of the clock', () => {
  const window = new RateWindow()
  const start = 59_000
  expect(window.take('a', rate, start)).toEqual({ allowed: true, observed: 1, remaining: 1, reset: 119 })
  expect(window.take('a', rate, start + 2_000).allowed).toBe(true)
  expect(window.take('a', rate, start + 59_999).allowed).toBe(false)
  expect(window.take('a', rate, start + 60_000)).toMatchObject({ allowed: true, observed: 1 })
  // A clock that was set back does not block the key for longer.
  expect(window.take('a', rate, start - 5_000)).toMatchObject({ allowed: true, observed: 1 })
})
