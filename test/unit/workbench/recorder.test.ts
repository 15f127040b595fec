import { expect, it } from 'vitest'

import { Recorder } from '../../../server/domains/workbench/inspector/recording/recorder.ts'

const headers = ['Accept', '*/*', 'PRIVATE-TOKEN', 'hush-hush-hush']

/** Records a request with an answer of `length` characters. */
function record(recorder: Recorder, id: string, length: number): void {
  const head = {
    id,
    method: 'GET',
    target: '/api/v4/nothing',
    headers: {},
    rawHeaders: headers,
    ip: '127.0.0.1',
  }
  const body = JSON.stringify({ text: 'x'.repeat(length) })
  recorder
    .request(head)
    ?.close({ status: 404, headers: ['content-type', 'application/json'], body, ip: '127.0.0.1' })
}

it('the recorder holds at most 2,000 requests, the latest ones', () => {
  const recorder = new Recorder({ exists: () => false, onAdded: () => undefined })
  for (let n = 1; n <= 2100; n++) record(recorder, `r${n}`, 10)
  const held = recorder.ring.oldestFirst()
  expect(held.map(({ request_id }) => request_id)).toEqual(
    Array.from({ length: 2000 }, (_, n) => `r${n + 101}`),
  )
  expect(recorder.ring.get(100)).toBeUndefined()
  expect(recorder.ring.bytes).toBeLessThan(10 * 1024 * 1024)
  recorder.clear()
  expect([recorder.ring.size, recorder.ring.bytes]).toEqual([0, 0])
})

it('the recorder holds at most 22 MB of bodies, the latest ones', () => {
  const recorder = new Recorder({ exists: () => false, onAdded: () => undefined })
  for (let n = 1; n <= 500; n++) record(recorder, `r${n}`, 100_000)
  const { ring } = recorder
  const texts = ring.oldestFirst().map(({ answer }) => ring.text(answer))
  expect(texts).toHaveLength(500)
  expect(texts.filter((text) => text !== undefined)).toHaveLength(Math.floor((22 * 1024) / 64))
  expect(texts.at(-1)).toMatch(/^\{"text":"x+$/)
  expect(texts.at(0)).toBeUndefined()
})

it('the recorder returns no tokens from headers', () => {
  const recorder = new Recorder({ exists: () => false, onAdded: () => undefined })
  record(recorder, 'r', 10)
  expect(JSON.stringify(recorder.ring.oldestFirst())).not.toContain('hush')
})
