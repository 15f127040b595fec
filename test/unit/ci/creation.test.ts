import { describe, expect, it } from 'vitest'

import { variablesIn } from '../../../server/domains/ci/pipelines/creation/jobs.ts'
import { isSkipped } from '../../../server/domains/ci/pipelines/creation/request.ts'

describe('a commit that skips its pipeline', () => {
  it.each(['[ci skip]', '[skip ci]', 'Fix [CI SKIP] it', 'Fix\n\n[skip-ci]', '[ci_skip]'])(
    'by %j',
    (message) => expect(isSkipped(message)).toBe(true),
  )
  it.each(['', 'ci skip', '[ci  skip]', '[ci skip', 'skip [ci]', '[no ci skip]'])(
    'but not by %j',
    (message) => expect(isSkipped(message)).toBe(false),
  )
  it('by a push option', () => {
    expect(isSkipped('Fix', ['ci.variable=a=b', 'ci.skip'])).toBe(true)
    expect(isSkipped('Fix', ['ci.skipped', 'merge_request.create'])).toBe(false)
  })
})

it('variables are read from push options', () => {
  expect(
    variablesIn(['ci.variable=A=b', 'ci.variable=LONG_1=x=y z', 'ci.variable=EMPTY=', 'ci.skip', 'A=b']),
  ).toEqual([
    { key: 'A', value: 'b' },
    { key: 'LONG_1', value: 'x=y z' },
    { key: 'EMPTY', value: '' },
  ])
  expect(variablesIn(['ci.variable=a-b=c', 'ci.variable==c', 'ci.variable=A', 'ci.variable'])).toEqual([])
})
