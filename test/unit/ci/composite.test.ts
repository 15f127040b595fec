import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  combinedStatus,
  type EffectiveStatus,
  effectiveStatus,
} from '../../../server/domains/ci/processing/status.ts'

const of = (text: string, isDag = false) =>
  combinedStatus(new Set(text.split(' ').filter(Boolean) as EffectiveStatus[]), isDag)

describe('the status of a set of jobs', () => {
  it.each([
    ['', null],
    ['skipped', 'skipped'],
    ['ignored', 'skipped'],
    ['skipped ignored', 'skipped'],
    ['success', 'success'],
    ['warning', 'success'],
    ['success skipped warning ignored', 'success'],
    ['created', 'created'],
    ['created warning ignored', 'created'],
    ['preparing', 'preparing'],
    ['preparing warning', 'preparing'],
    ['canceled', 'canceled'],
    ['canceled success skipped warning ignored', 'canceled'],
    ['pending', 'pending'],
    ['pending created skipped warning ignored', 'pending'],
    ['created skipped', 'pending'],
    ['running failed manual', 'running'],
    ['pending success', 'running'],
    ['pending failed', 'running'],
    ['waiting_for_resource', 'waiting_for_resource'],
    ['waiting_for_resource success created', 'waiting_for_resource'],
    ['manual', 'manual'],
    ['manual success created', 'manual'],
    ['manual failed', 'manual'],
    ['scheduled', 'scheduled'],
    ['scheduled success', 'scheduled'],
    ['scheduled manual', 'manual'],
    ['preparing success', 'preparing'],
    ['created success', 'running'],
    ['created failed', 'running'],
    ['failed', 'failed'],
    ['failed success skipped', 'failed'],
    ['failed canceled', 'failed'],
  ])('%s: %s', (words, status) => {
    expect(of(words)).toBe(status)
  })

  it.each([
    ['skipped', 'skipped'],
    ['ignored', 'skipped'],
    ['success skipped', 'skipped'],
    ['running ignored', 'skipped'],
    ['running', 'pending'],
    ['created', 'pending'],
    ['manual', 'pending'],
    ['success scheduled', 'pending'],
    ['failed running', 'pending'],
    ['success', 'success'],
    ['success warning', 'success'],
    ['canceled success', 'canceled'],
    ['failed success', 'failed'],
    ['failed canceled', 'failed'],
  ])('for the needs of one job, %s: %s', (words, status) => {
    expect(of(words, true)).toBe(status)
  })

  it('counts allowed failures as success and optional manual jobs as nothing', () => {
    expect(effectiveStatus('failed', 1)).toBe('warning')
    expect(effectiveStatus('canceled', true)).toBe('warning')
    expect(effectiveStatus('manual', 1)).toBe('ignored')
    expect(effectiveStatus('manual', 0)).toBe('manual')
    expect(effectiveStatus('failed', 0)).toBe('failed')
    expect(effectiveStatus('success', 1)).toBe('success')
    expect(effectiveStatus('canceling', 1)).toBe('running')
  })

  it('has a status for every set', () => {
    const statuses = [
      'created waiting_for_resource preparing pending running success',
      'failed canceled skipped manual scheduled warning ignored',
    ].flatMap((text) => text.split(' ') as EffectiveStatus[])
    const known = new Set([...statuses, null])
    fc.assert(
      fc.property(fc.subarray(statuses), fc.boolean(), (words, isDag) => {
        const status = combinedStatus(new Set(words), isDag)
        expect(known.has(status)).toBe(true)
        expect(status === null).toBe(words.length === 0)
        // A set with an active job never has a final status.
        const isWorking =
          !isDag && words.some((word) => /pending|running|created|scheduled|manual/.test(word))
        const isOver = ['success', 'failed', 'canceled', 'skipped'].includes(status ?? '')
        expect(isWorking && isOver).toBe(false)
      }),
    )
  })
})
