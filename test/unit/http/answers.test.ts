import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { UniqueViolation } from '../../../server/db/constraints.ts'
import { changedSince, etagOf, matches } from '../../../server/http/answer/send.ts'
import { errorAnswer, statusOf } from '../../../server/http/answer/errors.ts'
import { fail, Failure, invalid, notFound, type FailureKind } from '../../../server/lib/fail.ts'

describe('entity tags', () => {
  it('are weak, equal for equal bytes and different for others', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(etagOf(a)).toMatch(/^W\/"[0-9a-f]{40}"$/)
        expect(etagOf(a) === etagOf(b)).toBe(Buffer.from(a).equals(Buffer.from(b)))
      }),
    )
  })

  it.each([
    [undefined, false],
    ['', false],
    ['W/"a"', true],
    ['"a"', true],
    ['W/"b", W/"a"', true],
    ['"b","a"', true],
    ['*', true],
    [' * ', true],
    ['a', false],
    ['W/"ab"', false],
  ])('match %j', (header, expected) => {
    expect(matches(header, 'W/"a"')).toBe(expected)
  })
})

describe('If-Unmodified-Since', () => {
  const changed = '2022-11-22T10:00:00.500Z'
  it.each([
    [undefined, false],
    ['', false],
    ['nonsense', false],
    ['Tue, 22 Nov 2022 09:59:59 GMT', true],
    ['Tue, 22 Nov 2022 10:00:00 GMT', false],
    ['Tue, 22 Nov 2022 10:00:01 GMT', false],
    ['2022-11-22T09:00:00Z', true],
  ])('%j was before the change: %j', (header, expected) => {
    expect(changedSince(header, changed)).toBe(expected)
  })
})

describe('answers to failures', () => {
  it.each([
    [fail('parameter', 'a is missing'), 400, { error: 'a is missing' }],
    [fail('bad_request'), 400, { message: '400 Bad request' }],
    [fail('unauthorized'), 401, { message: '401 Unauthorized' }],
    [fail('forbidden'), 403, { message: '403 Forbidden' }],
    [notFound('Branch'), 404, { message: '404 Branch Not Found' }],
    [notFound(), 404, { message: '404 Not Found' }],
    [fail('not_allowed'), 405, { message: '405 Method Not Allowed' }],
    [fail('not_acceptable'), 406, { message: '406 Not Acceptable' }],
    [fail('conflict', 'Release already exists'), 409, { message: 'Release already exists' }],
    [fail('gone', 'gone'), 410, { error: 'gone' }],
    [fail('precondition_failed'), 412, { message: '412 Precondition Failed' }],
    [fail('too_large'), 413, { message: '413 Request Entity Too Large' }],
    [fail('unprocessable', ['a', 'b']), 422, { message: ['a', 'b'] }],
    [fail('locked'), 423, { message: '423 Locked' }],
    [fail('unavailable'), 503, { message: '503 Service Unavailable' }],
    [
      invalid({ name: "can't be blank", path: ['a', 'b'] }),
      400,
      { message: { name: ["can't be blank"], path: ['a', 'b'] } },
    ],
    [
      new Failure('forbidden', undefined, { body: { error: 'insufficient_scope' } }),
      403,
      { error: 'insufficient_scope' },
    ],
  ])('%s', (failure, status, body) => {
    expect(errorAnswer(failure)).toMatchObject({ status, body, unexpected: false })
  })

  it('name the columns of the index after a lost race', () => {
    expect(
      errorAnswer(new UniqueViolation(['projects.namespace_id', 'projects.path'], undefined)),
    ).toMatchObject({
      status: 409,
      body: { message: { namespace_id: ['has already been taken'], path: ['has already been taken'] } },
    })
  })

  it.each([new Error('secret'), new TypeError('secret'), 'secret', null, undefined, { message: 'secret' }])(
    'reveal nothing about unexpected errors',
    (thrown) => {
      const answer = errorAnswer(thrown)
      expect(answer).toMatchObject({
        status: 500,
        body: { message: '500 Internal Server Error' },
        unexpected: true,
      })
      expect(JSON.stringify(answer)).not.toContain('secret')
    },
  )

  it('have a status for every kind', () => {
    const kinds: FailureKind[] = ['not_modified', 'unsupported_type', 'too_many', 'locked']
    expect(kinds.map(statusOf)).toEqual([304, 415, 429, 423])
  })
})
