import fc from 'fast-check'
import { expect, test } from 'vitest'

import {
  isCancelable,
  isFinished,
  isPlayable,
  isRetryable,
} from '../../../server/domains/ci/processing/status.ts'
import { cancelJob } from '../../../server/domains/ci/processing/run.ts'
import { cancelPipeline } from '../../../server/domains/ci/processing/state.ts'
import { playJob, retryJob, retryPipeline } from '../../../server/domains/ci/processing/rerun.ts'
import { world } from '../../support/world.ts'
import { pipelinesWithoutGit } from './processing.ts'

const w = await world()
const l = await pipelinesWithoutGit(w, { auto_cancel_pending_pipelines: 'disabled' })

const STAGES = ['build', 'test', 'deploy']

interface Planned {
  readonly stage: number
  readonly when: string
  readonly allow_failure: boolean
  /** Positions of earlier jobs; null without `needs`. */
  readonly needs: readonly number[] | null
  readonly fails: boolean
}

const planned = fc.record({
  stage: fc.nat(2),
  when: fc.constantFrom('on_success', 'on_success', 'on_failure', 'always', 'manual'),
  allow_failure: fc.boolean(),
  needs: fc.option(fc.uniqueArray(fc.nat(7), { maxLength: 3 }), { freq: 2 }),
  fails: fc.boolean(),
})

/** Returns a configuration with these jobs. They only need earlier jobs of the same or an earlier stage. */
function configOf(jobs: readonly Planned[]): string {
  const lines = jobs.map(({ stage, when, allow_failure, needs }, at) => {
    const allowed = needs?.filter((need) => need < at && jobs[need]!.stage <= stage)
    const part = allowed ? `, needs: ${JSON.stringify(allowed.map((need) => `j${need}`))}` : ''
    return `j${at}: { stage: ${STAGES[stage]}, script: [x], when: ${when}, allow_failure: ${allow_failure}${part} }`
  })
  return `stages: ${JSON.stringify(STAGES)}\n${lines.join('\n')}`
}

/** Ends jobs in the order that `pick` chooses until none can run; starts manual jobs. */
function play(p: number, jobs: readonly Planned[], pick: (count: number) => number): string {
  for (let steps = 0; ; steps++) {
    if (steps > 100) throw new Error('no end')
    const states = Object.entries(l.states(p))
    const ready = states.filter(([, status]) => status === 'pending' || status === 'running')
    const blocking = states.filter(([name, status]) => status === 'manual' && !l.job(p, name).allow_failure)
    const able = ready.length > 0 ? ready : blocking
    if (able.length === 0) return JSON.stringify([states, l.status(p)])
    const [name, status] = able[pick(able.length)]!
    if (status === 'manual') playJob(l.ctx(), l.job(p, name))
    else if (status === 'pending' && pick(2) === 0) l.start(p, name)
    else l.end(p, name, jobs[Number(name.slice(1))]!.fails ? 'failed' : 'success')
  }
}

test('the order in which jobs end does not change the result of the pipeline, and no job waits forever', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(planned, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat(1000)),
      async (jobs, numbers) => {
        const config = configOf(jobs)
        const [first, second] = [await l.make(config), await l.make(config)]
        const inOrder = play(first, jobs, () => 0)
        const anyhow = play(second, jobs, (count) => numbers.next().value! % count)
        expect(anyhow).toBe(inOrder)
        const [states, status] = JSON.parse(anyhow) as [[string, string][], string]
        for (const [, state] of states) expect(isFinished(state) || state === 'manual').toBe(true)
        expect(isFinished(status)).toBe(true)
      },
    ),
    { numRuns: 20 },
  )
})

/** Performs any action on a job or on the pipeline. */
function meddle(p: number, jobs: readonly Planned[], pick: (count: number) => number): void {
  const names = Object.keys(l.states(p))
  const name = names[pick(names.length)]!
  const job = l.job(p, name)
  const deeds: (() => unknown)[] = [
    () => cancelPipeline(l.ctx(), { id: p }),
    () => retryPipeline(l.ctx(), { id: p }),
  ]
  if (isCancelable(job)) deeds.push(() => cancelJob(l.ctx(), job))
  if (isPlayable(job)) deeds.push(() => playJob(l.ctx(), job))
  if (isRetryable(job)) deeds.push(() => retryJob(l.ctx(), job))
  if (job.status === 'pending' || job.status === 'running') {
    const status = jobs[Number(name.slice(1))]!.fails ? 'failed' : 'success'
    for (let more = 0; more < 5; more++) deeds.push(() => l.end(p, name, status))
  }
  deeds[pick(deeds.length)]!()
}

test('a pipeline finishes with any user actions in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(planned, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 }),
      async (jobs, numbers) => {
        const p = await l.make(configOf(jobs))
        let at = 0
        const pick = (count: number) => (numbers[at++] ?? 0) % count
        while (at < numbers.length) meddle(p, jobs, pick)
        const [states, status] = JSON.parse(play(p, jobs, () => 0)) as [[string, string][], string]
        for (const [, state] of states) expect(isFinished(state) || state === 'manual').toBe(true)
        expect(isFinished(status)).toBe(true)
      },
    ),
    { numRuns: 12 },
  )
})
