import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'

import { tx } from '../../server/db/database.ts'
import { event } from '../../server/events/event.ts'
import { on, publish } from '../../server/events/publish.ts'
import { cron, enqueue, job } from '../../server/jobs/job.ts'
import { migrated, jobsAndEvents } from '../support/database.ts'

/** A job that runs until the test releases it. */
function gated() {
  const begun: number[] = []
  const gates = new Map<number, () => void>()
  const Gated = job('test.gated', { args: { n: z.number() } }, (_, { n }) => {
    begun.push(n)
    return new Promise<void>((resolve) => gates.set(n, resolve))
  })
  const open = (n: number): void => gates.get(n)!()
  const opened = (): void => gates.forEach((gate) => gate())
  const parts = jobsAndEvents({ jobs: [Gated as never] })
  // Hooks run in reverse order, so the runner stops after all jobs were released.
  onTestFinished(opened)
  return { begun, Gated, open, opened, ...parts }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the runner', () => {
  it('runs at most four jobs at a time, oldest first', async () => {
    const { begun, Gated, open, context, runner, states } = gated()
    for (let n = 1; n <= 6; n++) enqueue(context(), Gated, { n })
    runner.start()
    expect(begun).toEqual([1, 2, 3, 4])
    open(2)
    // After 20 ms of work the runner yields to requests, so this may take more than one turn.
    await expect.poll(() => begun).toEqual([1, 2, 3, 4, 5])
    expect(states()).toEqual(['running', 'done', 'running', 'running', 'running', 'ready'])
  })

  it('runs jobs that wait for other hosts in separate slots', async () => {
    const { begun, Gated, context, runner } = gated()
    const Hanging = { ...Gated, lane: 'outside' as const }
    for (let n = 1; n <= 10; n++) enqueue(context(), Hanging, { n })
    enqueue(context(), Gated, { n: 11 })
    runner.start()
    expect(begun).toEqual([11, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('runs the jobs that a caller waits for before older ones', async () => {
    const { begun, Gated, open, context, runner } = gated()
    const cause = { uuid: 'of-the-caller', chained: false }
    for (let n = 1; n <= 6; n++) enqueue(context(), Gated, { n })
    enqueue({ ...context(), cause }, Gated, { n: 7 })
    runner.start()
    let isOver = false
    const end = runner
      .awaitCauses(new Set([cause.uuid]), new AbortController().signal)
      .then(() => (isOver = true))
    open(1)
    await expect.poll(() => begun).toEqual([1, 2, 3, 4, 7])
    expect(isOver).toBe(false)
    open(7)
    await end
    // No caller waits any more, so the oldest job runs first.
    await expect.poll(() => begun).toEqual([1, 2, 3, 4, 7, 5])
  })

  it('yields to requests between jobs that never await', async () => {
    const ends: number[] = []
    const busy = (): void => {
      const until = performance.now() + 15
      while (performance.now() < until);
      ends.push(performance.now())
    }
    const Busy = job('test.busy', { args: {} }, busy)
    const { context, runner } = jobsAndEvents({ jobs: [Busy as never] })
    for (let n = 0; n < 8; n++) enqueue(context(), Busy, {})
    runner.start()
    await turn()
    expect(ends.length).toBeGreaterThan(0)
    expect(ends.length).toBeLessThan(8)
    await runner.drain()
    expect(ends).toHaveLength(8)
  })

  it('does nothing before it is started', async () => {
    const { begun, Gated, context, runner } = gated()
    enqueue(context(), Gated, { n: 1 })
    await turn()
    runner.wake()
    expect(begun).toEqual([])
  })

  it('runs interrupted jobs again, also two equal ones', async () => {
    const { begun, Gated, opened, context, db, runner, states } = gated()
    enqueue(context(), Gated, { n: 1 }, { once: 'same' })
    db.exec("UPDATE jobs SET state = 'running'")
    enqueue(context(), Gated, { n: 2 }, { once: 'same' })
    runner.start()
    expect(begun).toEqual([1, 2])
    opened()
    await runner.drain()
    expect(states()).toEqual(['done', 'done'])
  })

  it('keeps the order of the jobs of a key after an interruption', () => {
    const { begun, Gated, context, db, runner } = gated()
    for (const n of [1, 2, 3]) enqueue(context(), Gated, { n }, { key: 'k' })
    db.exec("UPDATE jobs SET state = 'running' WHERE id = 1")
    runner.start()
    expect(begun).toEqual([1])
  })

  it('stops at once when idle, and otherwise waits for running jobs', async () => {
    const idle = gated()
    idle.runner.start()
    await idle.runner.stop(10_000)
    const { Gated, open, context, runner, states } = gated()
    enqueue(context(), Gated, { n: 1 })
    enqueue(context(), Gated, { n: 2 }, { delay: 1 })
    runner.start()
    const stopped = runner.stop(10_000)
    open(1)
    await stopped
    expect(states()).toEqual(['done', 'ready'])
  })

  it('stops waiting after a limit, and leaves the jobs for the next start', async () => {
    const { Gated, context, runner, begun, states } = gated()
    enqueue(context(), Gated, { n: 1 })
    runner.start()
    await runner.stop(10)
    expect([begun, states()]).toEqual([[1], ['running']])
    enqueue(context(), Gated, { n: 2 })
    await turn()
    expect(begun).toEqual([1])
  })

  it('drains nothing after it is stopped', async () => {
    const { Gated, context, runner } = gated()
    runner.start()
    await runner.stop(10)
    enqueue(context(), Gated, { n: 1 })
    await expect(runner.drain()).resolves.toBeUndefined()
  })

  it('survives a full database when it claims jobs', async () => {
    const { begun, Gated, opened, context, db, runner, states } = gated()
    runner.start()
    enqueue(context(), Gated, { n: 1 })
    db.exec('PRAGMA query_only = ON')
    expect(() => runner.wake()).not.toThrow()
    expect(begun).toEqual([])
    db.exec('PRAGMA query_only = OFF')
    runner.wake()
    expect(begun).toEqual([1])
    // The result of the job cannot be stored either, but it is stored later.
    db.exec('PRAGMA query_only = ON')
    opened()
    await turn()
    expect(states()).toEqual(['running'])
    db.exec('PRAGMA query_only = OFF')
    await runner.drain()
    expect(states()).toEqual(['done'])
  })

  it('drains jobs that drained jobs enqueue', async () => {
    const done: number[] = []
    const Chain = job('test.chain', { args: { n: z.number() } }, (ctx, { n }) => {
      done.push(n)
      if (n > 0) enqueue(ctx, Chain, { n: n - 1 })
    })
    const { runner, context } = jobsAndEvents({ jobs: [Chain as never] })
    runner.start()
    enqueue(context(), Chain, { n: 5 })
    await runner.drain()
    expect(done).toEqual([5, 4, 3, 2, 1, 0])
  })

  it('deletes jobs that were done a week ago', () => {
    const { context, Gated, db, runner, rows } = gated()
    for (const [n, day] of [
      [1, '2026-02-21'],
      [2, '2026-02-23'],
    ] as const) {
      enqueue(context(), Gated, { n })
      db.exec("UPDATE jobs SET state = 'done', finished_at = ? WHERE id = ?", `${day}T00:00:00.000Z`, n)
    }
    runner.start()
    expect(rows().map((row) => row.id)).toEqual([2])
  })

  it('claims jobs quickly among very many of one key', () => {
    const { context, Gated, db, runner } = gated()
    tx(db, () => {
      for (let n = 0; n < 5000; n++) enqueue(context(), Gated, { n }, { key: 'one project' })
    })
    // The first job will be retried later, and all others wait for it.
    db.exec("UPDATE jobs SET run_at = '2099-01-01T00:00:00.000Z' WHERE id = 1")
    runner.start()
    const start = performance.now()
    runner.wake()
    const ms = performance.now() - start
    expect(ms).toBeLessThan(200)
  })
})

describe('a job that fails', () => {
  const args = { user_id: z.number() }
  const refuse = (): never => {
    throw new Error('There is nothing to work on.')
  }
  const Failing = job('test.failing', { args }, refuse)
  const Changed = event('user.changed', args)
  const Deleted = event('user.deleted', args, { ends: 'user_id' })
  const parts = () =>
    jobsAndEvents({
      jobs: [Failing as never],
      subjects: { user_id: 'users' },
      subscribers: [on(Changed, 'test.after_change', refuse), on(Deleted, 'test.after_deletion', refuse)],
    })

  it('is done if the record of its arguments was deleted, and is retried otherwise', async () => {
    const { context, runner, rows, db } = parts()
    db.exec(
      "INSERT INTO users (id, username, name, email, created_at, updated_at) VALUES (7, 'a', 'A', '', '', '')",
    )
    for (const user_id of [7, 8]) enqueue(context(), Failing, { user_id })
    runner.start()
    await runner.drain()
    expect(rows()).toMatchObject([
      { state: 'ready', error: 'There is nothing to work on.' },
      { state: 'done', attempts: 1, error: null },
    ])
  })

  it('is done for an event of a deleted record, but is retried for the event of the deletion', async () => {
    const { context, runner, rows } = parts()
    tx(context().db, () => {
      publish(context(), Changed, { user_id: 8 })
      publish(context(), Deleted, { user_id: 8 })
    })
    runner.start()
    await runner.drain()
    expect(rows()).toMatchObject([
      { name: 'event:test.after_change', state: 'done' },
      { name: 'event:test.after_deletion', state: 'ready' },
    ])
  })
})

describe('a clock that jumps', () => {
  const HOUR = 3_600_000

  it('back still runs jobs that were stored before, in the order of their key', async () => {
    const done: number[] = []
    const Note = job('test.note', { args: { n: z.number() } }, (_, { n }) => void done.push(n))
    const { context, runner, clock } = jobsAndEvents({ jobs: [Note as never] })
    runner.start()
    await runner.drain()
    enqueue(context(), Note, { n: 1 }, { key: 'k', delay: 60_000 })
    enqueue(context(), Note, { n: 2 }, { key: 'k' })
    enqueue(context(), Note, { n: 3 }, { delay: 2 * HOUR })
    clock.advance(-5 * HOUR)
    enqueue(context(), Note, { n: 4 }, { key: 'k' })
    await runner.drain()
    expect(done).toEqual([])
    clock.advance(60_000)
    await runner.drain()
    expect(done).toEqual([1, 2, 4])
    clock.advance(2 * HOUR - 60_000)
    await runner.drain()
    expect(done).toEqual([1, 2, 4, 3])
  })

  it('back still retries failed jobs after their pause', async () => {
    let tries = 0
    const Failing = job('test.failing', { args: {}, retries: 2 }, () => {
      tries++
      throw new Error('no')
    })
    const { context, runner, clock, rows } = jobsAndEvents({ jobs: [Failing as never] })
    clock.advance(-3 * HOUR)
    enqueue(context(), Failing, {})
    clock.advance(3 * HOUR)
    runner.start()
    await runner.drain()
    expect(tries).toBe(1)
    // The next attempt of the job is long after the new time.
    clock.advance(-2 * HOUR)
    await runner.drain()
    expect(rows().map((row) => row.run_at)).toEqual(['2026-02-28T22:00:01.000Z'])
    clock.advance(1000)
    await runner.drain()
    expect(tries).toBe(2)
  })

  it('back while the instance was stopped is noticed at the start', async () => {
    const db = migrated()
    const done: string[] = []
    const Note = job('test.note', { args: {} }, (ctx) => void done.push(ctx.now))
    const crons = [cron('test.hourly', '0 * * * *', (ctx) => void done.push(`hourly ${ctx.now}`))]
    const first = jobsAndEvents({ jobs: [Note as never], crons, db })
    first.clock.advance(48 * HOUR)
    first.runner.start()
    await first.runner.stop(100)
    enqueue(first.context(), Note, {})
    const second = jobsAndEvents({ jobs: [Note as never], crons, db })
    second.runner.start()
    await second.runner.drain()
    second.clock.advance(HOUR)
    await second.runner.drain()
    expect(done).toEqual(['2026-03-01T00:00:00.000Z', 'hourly 2026-03-01T01:00:00.000Z'])
  })

  it('ahead runs each cron once, but not all at the same moment', async () => {
    let running = 0
    let most = 0
    const ran: string[] = []
    const crons = Array.from({ length: 12 }, (_, n) =>
      cron(`test.${n}`, '0 * * * *', async () => {
        most = Math.max(most, ++running)
        await turn()
        running--
        ran.push(`test.${n}`)
      }),
    )
    const { runner, clock } = jobsAndEvents({ crons })
    runner.start()
    await runner.drain()
    clock.advance(24 * 365 * HOUR)
    await runner.drain()
    expect(ran.toSorted()).toEqual(crons.map(({ name }) => name).toSorted())
    expect(most).toBe(4)
  })
})

describe('a cron', () => {
  it('does not run at the first start, but at its next time', async () => {
    let count = 0
    const { runner, clock } = jobsAndEvents({ crons: [cron('test.daily', '0 3 * * *', () => void count++)] })
    runner.start()
    await runner.drain()
    clock.advance(3 * 3_600_000 - 1)
    await runner.drain()
    expect(count).toBe(0)
    clock.advance(1)
    await runner.drain()
    expect(count).toBe(1)
    await runner.drain()
    expect(count).toBe(1)
  })

  it('starts in its minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let count = 0
    const { runner, clock } = jobsAndEvents({
      crons: [cron('test.minutely', '* * * * *', () => void count++)],
    })
    clock.advance(50_000)
    runner.start()
    clock.advance(10_000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(count).toBe(1)
  })

  it('runs once after any number of missed times', async () => {
    const db = migrated()
    const ran: string[] = []
    const crons = [cron('test.hourly', '0 * * * *', (ctx) => void ran.push(ctx.now))]
    const first = jobsAndEvents({ crons, db })
    first.runner.start()
    await first.runner.stop(100)
    const second = jobsAndEvents({ crons, db })
    second.clock.advance(48 * 3_600_000 + 60_000)
    second.runner.start()
    await second.runner.drain()
    expect(ran).toEqual(['2026-03-03T00:01:00.000Z'])
  })

  it('that fails runs again at its next time, and does not affect others', async () => {
    const ran: string[] = []
    const { runner, clock } = jobsAndEvents({
      crons: [
        cron('test.bad', '0 * * * *', () => {
          ran.push('bad')
          throw new Error('no')
        }),
        cron('test.good', '0 * * * *', async () => void ran.push('good')),
      ],
    })
    runner.start()
    for (let hour = 0; hour < 2; hour++) {
      clock.advance(3_600_000)
      await runner.drain()
    }
    expect(ran.toSorted()).toEqual(['bad', 'bad', 'good', 'good'])
  })

  it('is drained together with its jobs', async () => {
    const done: number[] = []
    const Made = job('test.made', { args: {} }, () => void done.push(1))
    const { runner, clock } = jobsAndEvents({
      jobs: [Made as never],
      crons: [cron('test.maker', '0 * * * *', (ctx) => enqueue(ctx, Made, {}))],
    })
    runner.start()
    clock.advance(3_600_000)
    await runner.drain()
    expect(done).toEqual([1])
  })
})
