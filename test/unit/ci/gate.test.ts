import { describe, expect, it } from 'vitest'

import { retriesAfter } from '../../../server/domains/ci/processing/run.ts'
import type { EffectiveStatus } from '../../../server/domains/ci/processing/status.ts'
import { secondsOf } from '../../../server/domains/ci/processing/state.ts'
import {
  sortByNeeds,
  gateOf,
  previousOf,
  type GateDecision,
  statusesOfNeeds,
} from '../../../server/domains/ci/processing/gate.ts'

const PREVIOUS = ['success', 'failed', 'canceled', 'skipped']
const row = (...verdicts: GateDecision[]) => verdicts

describe('the gate of a created job', () => {
  it.each(['created', 'pending', 'running', 'manual', 'scheduled', 'waiting_for_resource', 'preparing'])(
    'stays closed while an earlier job is %s',
    (previous) => {
      for (const when of ['on_success', 'on_failure', 'always', 'manual', 'delayed'])
        for (const isDag of [true, false]) expect(gateOf(when, previous, isDag)).toBe('wait')
    },
  )

  it.each([
    ['on_success', row('go', 'skip', 'skip', 'go'), row('go', 'skip', 'skip', 'skip')],
    ['manual', row('go', 'skip', 'skip', 'go'), row('go', 'skip', 'skip', 'skip')],
    ['delayed', row('go', 'skip', 'skip', 'go'), row('go', 'skip', 'skip', 'skip')],
    ['on_failure', row('skip', 'go', 'skip', 'skip'), row('skip', 'go', 'skip', 'skip')],
    ['always', row('go', 'go', 'skip', 'go'), row('go', 'go', 'skip', 'go')],
  ])('for %s after success, failed, canceled, skipped', (when, ofStage, ofNeeds) => {
    expect(PREVIOUS.map((previous) => gateOf(when, previous, false))).toEqual(ofStage)
    expect(PREVIOUS.map((previous) => gateOf(when, previous, true))).toEqual(ofNeeds)
  })

  it('is open if no job comes before it', () => {
    expect(previousOf(new Set(), false)).toBe('success')
    expect(previousOf(new Set(), true)).toBe('success')
  })

  it('depends on the needed jobs that exist', () => {
    const words = new Map<string, EffectiveStatus>([
      ['a', 'success'],
      ['b', 'failed'],
    ])
    expect([...statusesOfNeeds(['a', 'missing'], words)]).toEqual(['success'])
    expect([...statusesOfNeeds(['a', 'b'], words)]).toEqual(['success', 'failed'])
    expect([...statusesOfNeeds(['missing'], words)]).toEqual([])
  })
})

describe('jobs by their needs', () => {
  const job = (name: string, ...needs: string[]) => ({ name, needs })
  const names = (jobs: { name: string }[]) => jobs.map(({ name }) => name)

  it('come after the jobs that they need', () => {
    expect(names(sortByNeeds([job('c', 'b'), job('b', 'a', 'elsewhere'), job('a')]))).toEqual(['a', 'b', 'c'])
  })

  it('are complete even in a cycle', () => {
    expect(names(sortByNeeds([job('a', 'b'), job('b', 'a'), job('c')]))).toEqual(['c', 'a', 'b'])
  })

  it('are sorted in linear time, however long the chain is', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) =>
      job(`j${at}`, ...(at === 0 ? [] : [`j${at - 1}`])),
    )
    expect(names(sortByNeeds(chain.toReversed()))).toEqual(names(chain))
  })
})

describe('the duration of a pipeline', () => {
  const at = (second: number) => new Date(second * 1000).toISOString()
  const run = (from: number, to: number | null) => ({
    started_at: at(from),
    finished_at: to === null ? null : at(to),
  })

  it.each([
    [[], 0],
    [[run(0, 10)], 10],
    [[run(0, 10), run(5, 8)], 10],
    [[run(0, 10), run(5, 20)], 20],
    [[run(0, 10), run(30, 40)], 20],
    [[run(0, 10), run(2, null)], 100],
  ])('%j: %i s', (runs, seconds) => {
    expect(secondsOf(runs, at(100))).toBe(seconds)
  })
})

describe('automatic retries', () => {
  const retry = (max: number, when = ['always'], exit_codes: number[] | null = null) => ({
    max,
    when,
    exit_codes,
  })

  it.each([
    [null, 'script_failure', 1, 0],
    [null, 'scheduler_failure', null, 2],
    [retry(1), 'script_failure', 1, 1],
    [retry(2, ['runner_system_failure']), 'script_failure', 1, 0],
    [retry(2, ['runner_system_failure']), 'runner_system_failure', null, 2],
    [retry(1, ['runner_system_failure']), 'scheduler_failure', null, 2],
    [retry(0), 'scheduler_failure', null, 0],
    [retry(2), 'data_integrity_failure', null, 0],
    [retry(2), 'forward_deployment_failure', null, 0],
    [retry(2, ['always'], [137]), 'script_failure', 137, 2],
    [retry(2, ['always'], [137]), 'script_failure', 1, 0],
    [retry(2, ['stuck_or_timeout_failure'], [137]), 'stuck_or_timeout_failure', null, 2],
    [retry(2, ['stuck_or_timeout_failure'], [137]), 'script_failure', 137, 2],
  ])('%j after %s (%s): %i times', (options, reason, code, times) => {
    expect(retriesAfter(options, reason, code)).toBe(times)
  })
})
