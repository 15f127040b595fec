import { once } from 'node:events'

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import type { Ctx } from '../../server/ctx.ts'
import { tx } from '../../server/db/database.ts'
import { event } from '../../server/events/event.ts'
import { on, publish } from '../../server/events/publish.ts'
import { enqueue, job } from '../../server/jobs/job.ts'
import { cancelable, cancelRun, stopRuns } from '../../server/jobs/runs.ts'
import { jobsAndEvents } from '../support/database.ts'

const Gone = event('box.gone', { box_id: z.number() }, { ends: 'box_id' })

/** A runner with jobs that work until their signal is aborted; `seen` has the reasons. */
function endless() {
  const begun = Promise.withResolvers<void>()
  const seen: string[] = []
  const until = async (signal: AbortSignal): Promise<never> => {
    begun.resolve()
    if (!signal.aborted) await once(signal, 'abort')
    seen.push((signal.reason as Error).message)
    throw signal.reason
  }
  const Plain = job('test.plain', { args: { box_id: z.number() } }, (ctx) => until(ctx.signal))
  const Named = job('test.named', { args: { n: z.number() } }, (ctx, { n }) =>
    cancelable(ctx, { name: `named:${n}`, box_id: n }, until),
  )
  const cleanUp = (_: Ctx, { box_id }: { box_id: number }): void => void seen.push(`cleaned ${box_id}`)
  const subscribers = [on(Gone, 'test.clean_up', cleanUp)]
  const parts = jobsAndEvents({ jobs: [Plain as never, Named as never], subscribers })
  return { begun: begun.promise, seen, Plain, Named, ...parts }
}

const CANCELED = 'The work was canceled.'
const STOPPING = 'The instance is stopping.'

describe('the signal of a job', () => {
  it('ends named work that is canceled; the job is done and does not run again', async () => {
    const { begun, seen, Named, context, runner, rows } = endless()
    enqueue(context(), Named, { n: 1 })
    runner.start()
    await begun
    expect(cancelRun(context(), 'named:2')).toBeUndefined()
    await cancelRun(context(), 'named:1')
    await runner.drain()
    expect(seen).toEqual([CANCELED])
    expect(rows()).toMatchObject([{ state: 'done', attempts: 1, error: null }])
    expect(cancelRun(context(), 'named:1')).toBeUndefined()
  })

  it.each(['Plain', 'Named'] as const)('ends a job of a deleted owner: %s', async (name) => {
    const { begun, seen, context, runner, states, ...jobs } = endless()
    if (name === 'Plain') enqueue(context(), jobs.Plain, { box_id: 7 })
    else enqueue(context(), jobs.Named, { n: 7 })
    runner.start()
    await begun
    const { db } = context()
    expect(() =>
      tx(db, () => {
        publish(context(), Gone, { box_id: 7 })
        throw new Error('taken back')
      }),
    ).toThrow('taken back')
    tx(db, () => publish(context(), Gone, { box_id: 8 }))
    expect(seen).not.toContain(CANCELED)
    tx(db, () => publish(context(), Gone, { box_id: 7 }))
    await runner.drain()
    expect(seen.filter((state) => state === CANCELED)).toHaveLength(1)
    expect(seen).toContain('cleaned 7')
    expect(states()).toEqual(['done', 'done', 'done'])
  })

  it('ends jobs when the instance stops; they run again at the next start without a lost attempt', async () => {
    const first = endless()
    enqueue(first.context(), first.Named, { n: 1 })
    enqueue(first.context(), first.Plain, { box_id: 1 })
    first.runner.start()
    await first.begun
    stopRuns(first.db)
    await first.runner.stop(60_000)
    expect(first.seen).toEqual([STOPPING, STOPPING])
    await expect(cancelable(first.context(), { name: 'late' }, () => Promise.resolve())).rejects.toThrow(
      STOPPING,
    )

    const done: number[] = []
    const Again = { ...first.Named, run: (_: Ctx, { n }: { n: number }) => void done.push(n) }
    const Plain = { ...first.Plain, run: (_: Ctx, { box_id }: { box_id: number }) => void done.push(box_id) }
    const second = jobsAndEvents({ db: first.db, jobs: [Again as never, Plain as never] })
    second.runner.start()
    await second.runner.drain()
    expect(done).toEqual([1, 1])
    expect(second.rows()).toMatchObject([
      { state: 'done', attempts: 1 },
      { state: 'done', attempts: 1 },
    ])
  })

  it('lets the stop of the instance wait for work outside of jobs', async () => {
    const { context, db, runner } = jobsAndEvents()
    let hasEnded = false
    void cancelable(context(), { name: 'outside' }, async (signal) => {
      await once(signal, 'abort')
      await new Promise((resolve) => setImmediate(resolve))
      hasEnded = true
    })
    stopRuns(db)
    await runner.stop(60_000)
    expect(hasEnded).toBe(true)
  })
})
