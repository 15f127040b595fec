import { expect, it } from 'vitest'

import { forClient } from '../../server/git/process/engine.ts'
import { hooksFolder } from '../../server/git/transport/push-hooks.ts'
import { gitEngine } from '../support/git.ts'
import {
  ClientLocks,
  clientDisconnected,
  WriteLocks,
  type QueueLimits,
} from '../../server/git/process/locks.ts'

const LONG: QueueLimits = { clients: 2, ms: 3_600_000 }

/** The locks of one client, which disconnects with `leave`. */
function clientOf(all: WriteLocks, patience: QueueLimits = LONG) {
  const disconnection = new AbortController()
  const locks = new ClientLocks(all, { signal: disconnection.signal, onlyReads: false }, patience)
  return { locks, leave: () => disconnection.abort(clientDisconnected()) }
}

/** Work that continues until the test releases it. */
function gated() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, open: resolve }
}

it('the lock runs work of one key in order, and forgets unused keys', async () => {
  const all = new WriteLocks()
  const order: number[] = []
  const first = gated()
  const runs = [1, 2, 3].map((n) =>
    all.run('a', async () => {
      if (n === 1) await first.work()
      order.push(n)
    }),
  )
  await all.run('b', () => Promise.resolve())
  first.open()
  await Promise.all(runs)
  expect(order).toEqual([1, 2, 3])
})

it('the lock limits the clients of one repository, and of no others', async () => {
  const all = new WriteLocks()
  const held = gated()
  const running = ['repo', 'repo\0refs/heads/x'].map((key) => clientOf(all).locks.run(key, held.work))
  expect(all.clientsAt('repo')).toBe(2)
  await expect(clientOf(all).locks.run('repo\0refs/heads/y', held.work)).rejects.toMatchObject({
    kind: 'too_many',
    headers: { 'Retry-After': '5' },
  })
  const others = [all.run('repo', held.work), clientOf(all).locks.run('other', held.work)]
  held.open()
  await Promise.all([...running, ...others])
  expect(all.clientsAt('repo')).toBe(0)
  await clientOf(all).locks.run('repo', () => Promise.resolve())
})

it('the lock does nothing for clients that disconnected before their turn', async () => {
  const all = new WriteLocks()
  const held = gated()
  const first = all.run('repo', held.work)
  const [early, late] = [clientOf(all), clientOf(all)]
  const done: string[] = []
  early.leave()
  const waiting = [early, late].map(({ locks }, index) =>
    locks.run('repo', () => Promise.resolve(done.push(String(index)))),
  )
  const ends = Promise.allSettled(waiting)
  late.leave()
  expect((await ends).map((end) => end.status === 'rejected' && end.reason.kind)).toEqual([
    'client_left',
    'client_left',
  ])
  expect(all.clientsAt('repo')).toBe(0)
  held.open()
  await first
  await all.run('repo', () => Promise.resolve())
  expect(done).toEqual([])
})

it('the lock refuses a client that waited too long', async () => {
  const all = new WriteLocks()
  const held = gated()
  const first = all.run('repo', held.work)
  const hasty = clientOf(all, { clients: 2, ms: 1 })
  await expect(hasty.locks.run('repo', held.work)).rejects.toMatchObject({ kind: 'too_many' })
  held.open()
  await first
})

it('the lock neither refuses nor interrupts a request that has begun', async () => {
  const all = new WriteLocks()
  const { locks, leave } = clientOf(all, { clients: 1, ms: 1 })
  const steps: string[] = []
  await locks.run('repo\0refs/heads/x', async () => {
    steps.push('outer')
    leave()
    const held = gated()
    const other = all.run('repo', held.work)
    const inner = locks.run('repo', () => Promise.resolve(steps.push('inner')))
    held.open()
    await Promise.all([other, inner])
  })
  await locks.run('repo', () => Promise.resolve(steps.push('next')))
  expect(steps).toEqual(['outer', 'inner', 'next'])
})

it('the lock lets pushes of many clients use the same hooks', async () => {
  const { engine } = gitEngine()
  const views = Array.from({ length: 20 }, () =>
    forClient(engine, { signal: new AbortController().signal, onlyReads: false }),
  )
  const folders = await Promise.all([engine, ...views].map((git) => hooksFolder(git)))
  expect(new Set(folders).size).toBe(1)
})
