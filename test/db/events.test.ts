import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { tx } from '../../server/db/database.ts'
import { event } from '../../server/events/event.ts'
import { EventBus, on, publish, together } from '../../server/events/publish.ts'
import { enqueue, job } from '../../server/jobs/job.ts'
import { jobsAndEvents } from '../support/database.ts'

const Made = event('item.made', { project_id: z.number(), note: z.string().optional() })
const Seen = event('item.seen', { user_id: z.number() })

describe('an event', () => {
  it('becomes one job for each subscriber, in the transaction of the change', async () => {
    const seen: string[] = []
    const { db, runner, context, rows } = jobsAndEvents({
      subscribers: [
        on(Made, 'a.react', (_, payload) => void seen.push(`a${payload.project_id}`)),
        on(Made, 'b.react', (_, payload) => void seen.push(`b${payload.project_id}`)),
        on(Seen, 'c.react', () => void seen.push('c')),
      ],
    })
    tx(db, () => publish(context(), Made, { project_id: 7 }))
    expect(rows().map((row) => row.name)).toEqual(['event:a.react', 'event:b.react'])
    runner.start()
    await runner.drain()
    expect(seen.toSorted()).toEqual(['a7', 'b7'])
  })

  it('runs subscribers inside the transaction at once, and their errors roll it back', () => {
    const { db, context, rows } = jobsAndEvents({
      subscribers: [
        on(
          Made,
          'a.react',
          ({ db }, { note }) => {
            db.exec("INSERT INTO jobs (name, args, run_at, created_at) VALUES ('kept', '{}', '', '')")
            if (note === 'no') throw new Error('not possible')
          },
          { inside: true },
        ),
      ],
    })
    expect(() => tx(db, () => publish(context(), Made, { project_id: 7, note: 'no' }))).toThrow(
      'not possible',
    )
    expect(rows()).toEqual([])
    tx(db, () => publish(context(), Made, { project_id: 7 }))
    expect(rows().map((row) => row.name)).toEqual(['kept'])
  })

  it('becomes no job for a subscriber that ignores it', () => {
    const { db, context, rows } = jobsAndEvents({
      subscribers: [on(Made, 'a.react', () => undefined, { only: ({ note }) => note !== undefined })],
    })
    tx(db, () => publish(context(), Made, { project_id: 7 }))
    expect(rows()).toEqual([])
    tx(db, () => publish(context(), Made, { project_id: 7, note: 'now' }))
    expect(rows().map((row) => row.name)).toEqual(['event:a.react'])
  })

  it('is delivered in one job with the other events of its request about the same record', async () => {
    const Changed = event('item.changed', { id: z.number(), what: z.string() })
    const Moved = event('item.moved', { id: z.number(), what: z.string() })
    const runs: string[][] = []
    const { db, runner, context } = jobsAndEvents({
      subscribers: together(
        [Changed, Moved],
        'a.react',
        (_, events) => void runs.push(events.map(({ name, payload }) => `${name} ${payload.what}`)),
        { gather: ({ id }) => String(id) },
      ),
    })
    const first = { ...context(), cause: { uuid: 'first', chained: false } }
    tx(db, () => publish(first, Changed, { id: 1, what: 'title' }))
    tx(db, () => publish(first, Moved, { id: 1, what: 'folder' }))
    tx(db, () => publish(first, Changed, { id: 2, what: 'title' }))
    tx(db, () =>
      publish({ ...first, cause: { uuid: 'second', chained: true } }, Changed, { id: 1, what: 'size' }),
    )
    runner.start()
    await runner.drain()
    expect(runs.toSorted()).toEqual([
      ['item.changed size'],
      ['item.changed title'],
      ['item.changed title', 'item.moved folder'],
    ])
  })

  it('waits for the end of its request', async () => {
    const runs: string[][] = []
    const { db, events, runner, context } = jobsAndEvents({
      subscribers: together(
        [Made],
        'a.react',
        (_, events) => void runs.push(events.map((event) => event.payload.note!)),
        {
          gather: ({ project_id }) => String(project_id),
        },
      ),
    })
    runner.start()
    const cause = { uuid: 'first', chained: false }
    const caused = { ...context(), cause }
    await events.duringRequest(cause, async () => {
      tx(db, () => publish(caused, Made, { project_id: 1, note: 'before' }))
      await runner.drain()
      tx(db, () => publish({ ...caused, cause: null }, Made, { project_id: 1, note: 'of another' }))
      tx(db, () => publish(caused, Made, { project_id: 1, note: 'after' }))
      expect(runs).toEqual([])
    })
    await runner.drain()
    expect(runs).toEqual([['before', 'after'], ['of another']])
    const failing = events.duringRequest(cause, () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(events.runningCauses()).toEqual([])
  })

  it('passes its cause to the jobs that follow from it', async () => {
    const causes: unknown[] = []
    const Later = job('test.later', { args: {} }, (ctx) => void causes.push(ctx.cause))
    const { db, runner, context } = jobsAndEvents({
      jobs: [Later as never],
      subscribers: [on(Made, 'a.react', (ctx) => enqueue(ctx, Later, {}))],
    })
    const cause = { uuid: '0b7d7a5e-0000-4000-8000-000000000001', chained: true }
    tx(db, () => publish({ ...context(), cause }, Made, { project_id: 1 }))
    runner.start()
    await runner.drain()
    expect(causes).toEqual([cause])
  })

  it('leaves no job and notifies no listener when the change is rolled back', async () => {
    const received: string[] = []
    let ran = 0
    const { db, events, runner, context, rows } = jobsAndEvents({
      subscribers: [on(Made, 'a.react', () => void ran++)],
    })
    events.watch((name) => received.push(name))
    runner.start()
    expect(() =>
      tx(db, () => {
        publish(context(), Made, { project_id: 1 })
        throw new Error('no')
      }),
    ).toThrow('no')
    await runner.drain()
    expect([rows(), received, ran]).toEqual([[], [], 0])
  })

  it('reaches listeners after the commit, until they stop', () => {
    const { db, events, context } = jobsAndEvents()
    const received: unknown[] = []
    const unwatch = events.watch((name, payload) => received.push([name, payload, db.inTransaction]))
    tx(db, () => {
      publish(context(), Made, { project_id: 1 })
      expect(received).toEqual([])
    })
    expect(received).toEqual([['item.made', { project_id: 1 }, false]])
    unwatch()
    publish(context(), Made, { project_id: 2 })
    expect(received).toHaveLength(1)
  })

  it('reaches every listener, even if one throws', () => {
    const { events, context } = jobsAndEvents()
    const received: string[] = []
    events.watch(() => {
      throw new Error('this window is gone')
    })
    events.watch((name) => received.push(name))
    publish(context(), Made, { project_id: 1 })
    expect(received).toEqual(['item.made'])
  })

  it('carries exactly the declared fields', () => {
    const { events, context } = jobsAndEvents()
    const received: unknown[] = []
    events.watch((_, payload) => received.push(payload))
    publish(context(), Made, { project_id: 1, secret: 'x' } as never)
    expect(received).toEqual([{ project_id: 1 }])
    expect(() => publish(context(), Made, { project_id: 'x' } as never)).toThrow('expected number')
  })

  it('cannot have two subscribers of one name', () => {
    const react = (): void => undefined
    expect(() => new EventBus([on(Made, 'a', react), on(Seen, 'a', react)])).toThrow(
      'Two subscribers are called a.',
    )
  })
})

describe('subscribers', () => {
  it('are retried independently of each other', async () => {
    const tries = { good: 0, bad: 0 }
    const { runner, context, clock, rows } = jobsAndEvents({
      subscribers: [
        on(Made, 'a.good', () => void tries.good++),
        on(Made, 'b.bad', () => {
          if (++tries.bad < 3) throw new Error('not yet')
        }),
      ],
    })
    runner.start()
    publish(context(), Made, { project_id: 1 })
    await runner.drain()
    expect(tries).toEqual({ good: 1, bad: 1 })
    expect(rows().map(({ state, error }) => [state, error])).toEqual([
      ['done', null],
      ['ready', 'not yet'],
    ])
    for (const pause of [1000, 4000]) {
      clock.advance(pause - 1)
      await runner.drain()
      clock.advance(1)
      await runner.drain()
    }
    expect(tries).toEqual({ good: 1, bad: 3 })
    expect(rows().map((row) => row.state)).toEqual(['done', 'done'])
  })

  it('fail after their last retry, with the reason', async () => {
    const { runner, context, clock, rows } = jobsAndEvents({
      subscribers: [
        on(
          Made,
          'a.bad',
          () => {
            throw new Error('never')
          },
          { retries: 2 },
        ),
      ],
    })
    runner.start()
    publish(context(), Made, { project_id: 1 })
    for (let time = 0; time < 6; time++) {
      await runner.drain()
      clock.advance(3_600_000)
    }
    expect(rows()).toMatchObject([{ state: 'failed', attempts: 3, error: 'never' }])
  })

  it('run in order and one at a time for each project, and in parallel for several projects', async () => {
    const log: string[] = []
    let together = 0
    let most = 0
    const { db, runner, context } = jobsAndEvents({
      subscribers: [
        on(Made, 'a.slow', async (_, payload) => {
          most = Math.max(most, ++together)
          await new Promise(setImmediate)
          log.push(`${payload.project_id}:${payload.note}`)
          together--
        }),
      ],
    })
    tx(db, () => {
      for (let number = 0; number < 8; number++)
        for (const project_id of [1, 2, 3]) publish(context(), Made, { project_id, note: String(number) })
    })
    runner.start()
    await runner.drain()
    for (const project of [1, 2, 3])
      expect(log.filter((entry) => entry.startsWith(`${project}:`))).toEqual(
        Array.from({ length: 8 }, (_, number) => `${project}:${number}`),
      )
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(3)
  })

  it('wait for an earlier job of their project that will be retried', async () => {
    const log: string[] = []
    let failures = 1
    const { runner, context, clock } = jobsAndEvents({
      subscribers: [
        on(Made, 'a.ordered', (_, payload) => {
          if (payload.note === 'first' && failures-- > 0) throw new Error('not yet')
          log.push(payload.note!)
        }),
      ],
    })
    runner.start()
    publish(context(), Made, { project_id: 1, note: 'first' })
    publish(context(), Made, { project_id: 1, note: 'second' })
    publish(context(), Made, { project_id: 2, note: 'other' })
    await runner.drain()
    expect(log).toEqual(['other'])
    clock.advance(1000)
    await runner.drain()
    expect(log).toEqual(['other', 'first', 'second'])
  })
})

describe('jobs', () => {
  const counted = () => {
    const seen: number[] = []
    const Count = job('test.count', { args: { n: z.number() } }, (_, { n }) => void seen.push(n))
    return { seen, Count, ...jobsAndEvents({ jobs: [Count as never] }) }
  }

  it('exist only after the commit', async () => {
    const { db, Count, context, rows, runner, seen } = counted()
    runner.start()
    expect(() =>
      tx(db, () => {
        enqueue(context(), Count, { n: 1 })
        throw new Error('no')
      }),
    ).toThrow('no')
    tx(db, () => enqueue(context(), Count, { n: 2 }))
    await runner.drain()
    expect([seen, rows().length]).toEqual([[2], 1])
  })

  it('are not added while one with the same `once` waits', async () => {
    const { Count, context, rows, runner, seen } = counted()
    for (const n of [1, 2, 3]) enqueue(context(), Count, { n }, { once: 'same' })
    enqueue(context(), Count, { n: 4 }, { once: 'other' })
    expect(rows()).toHaveLength(2)
    runner.start()
    await runner.drain()
    enqueue(context(), Count, { n: 5 }, { once: 'same' })
    await runner.drain()
    expect(seen).toEqual([1, 4, 5])
  })

  it('wait for their time', async () => {
    const { Count, context, runner, seen, clock } = counted()
    runner.start()
    enqueue(context(), Count, { n: 1 }, { delay: 60_000 })
    await runner.drain()
    expect(seen).toEqual([])
    clock.advance(60_000)
    await runner.drain()
    expect(seen).toEqual([1])
  })

  it('refuse invalid arguments before anything is stored', () => {
    const { Count, context, rows } = counted()
    expect(() => enqueue(context(), Count, { n: 'x' } as never)).toThrow('expected number')
    expect(rows()).toEqual([])
  })

  it('of an unknown kind fail with a message', async () => {
    const { db, runner, rows } = counted()
    db.exec("INSERT INTO jobs (name, args, run_at, created_at) VALUES ('gone', '{}', '2026', '2026')")
    runner.start()
    await runner.drain()
    expect(rows()).toMatchObject([{ state: 'failed', error: 'No job is called gone.' }])
  })
})
