import { expect, it } from 'vitest'

import { Limiter, Share } from '../../server/git/limiter.ts'

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
