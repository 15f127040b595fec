import { expect, it, vi } from 'vitest'

import { Limiter, PartialSlots, StaggeredSlots, type Slots } from '../../server/lib/limiter.ts'

it('a caller leaves the rest of the slots to others', async () => {
  const all = new Limiter(3)
  const share = new PartialSlots(all, 2)
  const [first] = await Promise.all([share.acquire(), share.acquire()])
  const order: string[] = []
  const third = share.acquire().then((leave) => order.push('background') && leave)
  const leave = await all.acquire()
  order.push('request')
  leave()
  first!()
  first!()
  await third
  expect(order).toEqual(['request', 'background'])
})

it('a caller releases its slot if it is aborted', async () => {
  const all = new Limiter(1)
  const share = new PartialSlots(all, 1)
  const leave = await all.acquire()
  const disconnection = new AbortController()
  const waiting = share.acquire(disconnection.signal)
  disconnection.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  leave()
  const again = await share.acquire()
  again()
  expect(share.size).toBe(1)
})

it('the limiter prefers short work, but not always', async () => {
  const all = new Limiter(1)
  const leave = await all.acquire()
  const order: string[] = []
  const wait = async (name: string, slots: Slots) => {
    const done = await slots.acquire()
    order.push(name)
    done()
  }
  const waiting = [
    ...['w1', 'w2'].map((name) => wait(name, all)),
    ...['r1', 'r2', 'r3', 'r4', 'r5'].map((name) => wait(name, all.priority)),
  ]
  const disconnection = new AbortController()
  const left = all.priority.acquire(disconnection.signal)
  disconnection.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  leave()
  await Promise.all(waiting)
  expect(order).toEqual(['r1', 'r2', 'r3', 'w1', 'r4', 'r5', 'w2'])
  const again = await all.acquire()
  again()
})

it('the limiter lets few tasks begin at a time, and more once the first are slow', async () => {
  vi.useFakeTimers()
  try {
    const slots = new StaggeredSlots(2, { beginning: 1, beginMs: 1000 })
    const entered: string[] = []
    const enter = async (name: string, signal?: AbortSignal) => {
      const leave = await slots.acquire(signal)
      entered.push(name)
      return leave
    }
    const slow = await enter('slow')
    const second = enter('second')
    const disconnection = new AbortController()
    const left = enter('left', disconnection.signal)
    await vi.advanceTimersByTimeAsync(999)
    expect(entered).toEqual(['slow'])
    await vi.advanceTimersByTimeAsync(1)
    expect(entered).toEqual(['slow', 'second'])
    disconnection.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    // Both slots are in use, so the third task waits until one of them is free.
    const third = enter('third')
    await vi.advanceTimersByTimeAsync(5000)
    expect(entered).toEqual(['slow', 'second'])
    slow()
    await third
    ;(await second)()
    ;(await third)()
    expect(entered).toEqual(['slow', 'second', 'third'])
  } finally {
    vi.useRealTimers()
  }
})
