import { expect, it } from 'vitest'

import { hintsOf } from '../../../server/domains/workbench/inspector/reading/hints.ts'
import {
  emptyWork,
  type RequestRecord,
} from '../../../server/domains/workbench/inspector/recording/record.ts'

let last = 0
const list = {
  route: 'GET /projects',
  path_names: [],
  isList: true,
  isDeprecated: false,
  deprecated: [],
  names: ['page', 'per_page', 'id_after'],
}
const single = {
  ...list,
  route: 'GET /projects/:id',
  path_names: ['id'],
  isList: false,
  names: ['id', 'old'],
  deprecated: ['old'],
}

function record(target: string, more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...emptyWork(),
    id: ++last,
    request_id: `r${last}`,
    cause: `r${last}`,
    method: 'GET',
    target,
    headers: [],
    ip: '',
    start: 0,
    endpoint: single,
    route: null,
    actor: null,
    isSigned: false,
    isClean: true,
    client: 'c',
    step_times: [],
    cached: false,
    body_names: [],
    body: null,
    status: 200,
    ms: 1,
    answer_headers: [],
    shared_headers: null,
    answer: null,
    answer_note: null,
    hidden: false,
    events: [],
    planned: [],
    jobs: [],
    bytes: 0,
    state: 'held',
    ...more,
  }
}

const page = (target: string, next: string, more: Partial<RequestRecord> = {}) =>
  record(target, { endpoint: list, answer_headers: ['x-next-page', next], ...more })

const kinds = (records: RequestRecord[], now = 10_000) => {
  const hints = hintsOf(records, now)
  return records.map(({ id }) => (hints.get(id) ?? []).map(({ kind }) => kind))
}

it('a hint marks the page after which a client stopped', () => {
  expect(
    kinds([page('/projects', '2'), page('/projects?page=2', '3'), page('/projects?page=3', '')]),
  ).toEqual([[], [], []])
  expect(kinds([page('/projects', '2'), page('/projects?page=2', '3')])).toEqual([[], ['pages_not_followed']])
  expect(kinds([page('/projects', '2'), page('/projects?page=2', '', { client: 'other' })])).toEqual([
    ['pages_not_followed'],
    [],
  ])
})

it('the hints allow a client a pause before the next page', () => {
  expect(kinds([page('/projects', '2')], 2999)).toEqual([[]])
  expect(kinds([page('/projects', '2')], 3001)).toEqual([['pages_not_followed']])
})

it('the hints follow keyset pages', () => {
  const link = ['link', '<http://x/projects?id_after=5>; rel="next"']
  const first = record('/projects?pagination=keyset', {
    endpoint: { ...list, names: null },
    answer_headers: link,
  })
  const next = record('/projects?pagination=keyset&id_after=5', {
    endpoint: { ...list, names: null },
  })
  expect(kinds([first, next])).toEqual([[], []])
  expect(kinds([first])).toEqual([['pages_not_followed']])
})

it('the hints count repeated single reads within one second only', () => {
  const reads = (pause: number) =>
    Array.from({ length: 40 }, (_, index) => record(`/projects/${index}`, { start: index * pause }))
  expect(new Set(kinds(reads(10)).flat())).toEqual(new Set(['many_single_reads']))
  expect(kinds(reads(10)).every((found) => found.length === 1)).toBe(true)
  expect(kinds(reads(60)).flat()).toEqual([])
  const same = Array.from({ length: 40 }, () => record('/projects/1'))
  expect(kinds(same).flat()).toEqual([])
})

it('the hints recognize parameters by their names and aliases', () => {
  expect(kinds([record('/projects/1?id=1&private_token=x&old=1&nope=2', { body_names: ['nope2'] })])).toEqual(
    [['ignored_parameters', 'deprecated']],
  )
  const [found] = [...hintsOf([record('/projects/1?nope[a]=2&nope[b]=3')], 0).values()]
  expect(found).toEqual([{ kind: 'ignored_parameters', names: ['nope'], count: null }])
  expect(kinds([record('/projects/1?nope=2', { status: 400 })])).toEqual([[]])
})
