import { expect, it } from 'vitest'

import { Limiter, Share, type Slots } from '../../server/git/process/limiter.ts'

it('leaves the rest of the places to others', async () => {
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

it('gives its place back when it is not wanted any more', async () => {
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

it('lets what is looked at go first, and the others have their turn all the same', async () => {
  const all = new Limiter(1)
  const leave = await all.acquire()
  const order: string[] = []
  const wait = async (name: string, places: Slots) => {
    const done = await places.acquire()
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
