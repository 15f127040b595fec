import { describe, expect, it } from 'vitest'

import { Gate, GateBusy } from '../../../server/lib/gate.ts'

describe('a gate', () => {
  it('lets callers pass while it is open, also several at once', async () => {
    const gate = new Gate()
    const first = Promise.withResolvers<void>()
    const inside = gate.pass(() => first.promise.then(() => 1))
    expect(await gate.pass(async () => 2)).toBe(2)
    first.resolve()
    expect(await inside).toBe(1)
  })

  it('closes when all callers inside have left; new callers wait', async () => {
    const gate = new Gate()
    const order: string[] = []
    const first = Promise.withResolvers<void>()
    const inside = gate.pass(async () => {
      await first.promise
      order.push('left')
    })
    const closing = gate.close(5000).then((open) => {
      order.push('closed')
      return open
    })
    const later = gate.pass(async () => void order.push('passed'))
    first.resolve()
    await inside
    const open = await closing
    expect(order).toEqual(['left', 'closed'])
    open()
    await later
    expect(order).toEqual(['left', 'closed', 'passed'])
  })

  it('gives up after a time if callers stay inside, and is open again', async () => {
    const gate = new Gate()
    const first = Promise.withResolvers<void>()
    const inside = gate.pass(() => first.promise)
    await expect(gate.close(5)).rejects.toBeInstanceOf(GateBusy)
    expect(await gate.pass(async () => 'in')).toBe('in')
    first.resolve()
    await inside
  })

  it('is closed by one caller at a time, and a caller that fails leaves it', async () => {
    const gate = new Gate()
    await expect(gate.pass(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const open = await gate.close(5)
    await expect(gate.close(5)).rejects.toBeInstanceOf(GateBusy)
    open()
    const again = await gate.close(5)
    // Opening the gate twice does not open it for another caller.
    open()
    let isIn = false
    const waiting = gate.pass(async () => void (isIn = true))
    await Promise.resolve()
    expect(isIn).toBe(false)
    again()
    await waiting
  })
})
