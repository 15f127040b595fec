import { expect, it } from 'vitest'

import { Limiter, Share, type Slots } from '../../server/lib/limiter.ts'

it('leaves the rest of the slots to others', async () => {
  const all = new Limiter(3)
  const share = new Share(all, 2)
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

it('releases its slot if it is aborted', async () => {
  const all = new Limiter(1)
  const share = new Share(all, 1)
  const leave = await all.acquire()
  const gone = new AbortController()
  const waiting = share.acquire(gone.signal)
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  leave()
  const again = await share.acquire()
  again()
  expect(share.size).toBe(1)
})

it('prefers short work, but not always', async () => {
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
    ...['r1', 'r2', 'r3', 'r4', 'r5'].map((name) => wait(name, all.first)),
  ]
  const gone = new AbortController()
  const left = all.first.acquire(gone.signal)
  gone.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  leave()
  await Promise.all(waiting)
  expect(order).toEqual(['r1', 'r2', 'r3', 'w1', 'r4', 'r5', 'w2'])
  const again = await all.acquire()
  again()
})
