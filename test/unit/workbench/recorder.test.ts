import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import { expect, it } from 'vitest'

import { Recorder } from '../../../server/domains/workbench/inspector/recording/recorder.ts'

/** The headers of an answer as Node has them. */
function answerWith(headers: Readonly<Record<string, string | number>>): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  return response
}

const headers = ['Accept', '*/*', 'PRIVATE-TOKEN', 'hush-hush-hush']

/** Records a request with an answer of `length` characters. */
function record(
  recorder: Recorder,
  id: string,
  length: number,
  answer: Readonly<Record<string, string | number>> = { 'content-type': 'application/json' },
): void {
  const head = {
    id,
    method: 'GET',
    target: '/api/v4/nothing',
    headers: {},
    rawHeaders: headers,
    ip: '127.0.0.1',
    start: 0,
  }
  const body = JSON.stringify({ text: 'x'.repeat(length) })
  recorder.request(head)?.close({ status: 404, headers: answerWith(answer), ms: 1, body, ip: '127.0.0.1' })
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

it('the recorder returns the headers of each answer, also where answers share them', () => {
  const recorder = new Recorder({ exists: () => false, onAdded: () => undefined })
  const page = (id: string, number: number) => ({
    'x-request-id': id,
    'x-meta': `{"correlation_id":"${id}","version":"1"}`,
    'x-page': number,
    'cache-control': 'no-store',
  })
  const many = (value: string) => Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`x-${n}`, value]))
  const answers: Record<string, Readonly<Record<string, string | number>>> = {
    first: page('first', 1),
    again: page('again', 1),
    other_page: page('other_page', 2),
    // The request ID is not where the first answer has it.
    other_id: { ...page('first', 1), 'x-meta': '{"correlation_id":"firsT","version":"1"}' },
    more_names: { ...page('more_names', 1), 'retry-after': 5 },
    many_a: many('a'),
    many_b: many('b'),
    last: page('last', 1),
  }
  for (const [id, answer] of Object.entries(answers)) record(recorder, id, 10, answer)
  for (const { request_id, answer_headers } of recorder.ring.oldestFirst()) {
    const expected = Object.entries(answers[request_id]!).flatMap(([name, value]) => [name, String(value)])
    expect([request_id, answer_headers]).toEqual([request_id, expected])
  }
})
