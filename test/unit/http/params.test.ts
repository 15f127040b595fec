import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { nest } from '../../../server/http/request/nesting.ts'
import {
  isNullable,
  isOptional,
  jsonSchemaOf,
  type Param,
  type ParamError,
  sentences,
} from '../../../server/http/param.ts'
import {
  bool,
  choice,
  day,
  decimal,
  dictionary,
  file,
  hash,
  int,
  intChoice,
  list,
  text,
  timestamp,
} from '../../../server/http/params.ts'

/** The value, or the error. */
function read(type: Param<unknown>, raw: unknown): unknown {
  const result = type.safeParse(raw)
  return result.success ? result.data : sentencesIn(result.error).join(', ')
}

/** The errors of a parameter called `p`. */
function sentencesIn({ issues }: ParamError): string[] {
  return sentences({ issues: issues.map((issue) => ({ ...issue, path: ['p', ...issue.path] })) })
}

const hashValue = nest([['x', '1']])
const anything = fc.anything({ withNullPrototype: true, withDate: true, withBigInt: true, withMap: true })
const kinds: Record<string, Param<unknown>> = {
  text: text(),
  int: int(),
  decimal: decimal(),
  bool: bool(),
  choice: choice('a', 'b'),
  intChoice: intChoice(0, 10),
  timestamp: timestamp(),
  day: day(),
  list: list(int()),
  dictionary: dictionary(),
  file: file(),
  hash: hash({ a: text(), b: int().optional() }),
  'list of hashes': list(hash({ a: text() })),
}

describe('every kind of parameter', () => {
  it.each(Object.entries(kinds))('reports a missing required %s', (_, type) => {
    expect(read(type, undefined)).toMatch(/^p(\[a\])? is (missing|invalid)$/)
  })

  it.each(Object.entries(kinds))('returns a value or an error message for any input: %s', (_, type) => {
    fc.assert(
      fc.property(anything, (raw) => {
        const result = type.safeParse(raw)
        const refused = result.success ? [] : sentencesIn(result.error)
        expect(
          refused.filter((message) => !/^p(\[[^\]]*\])* (is |does not |has |are )/.test(message)),
        ).toEqual([])
      }),
    )
  })
})

describe('text', () => {
  it.each([
    ['a', 'a'],
    ['', ''],
    [' a ', ' a '],
    [12, '12'],
    [true, 'true'],
    ['a\0b', 'p is invalid'],
    ['\ud800', 'p is invalid'],
    [['a'], 'p is invalid'],
    [{ a: 1 }, 'p is invalid'],
    [hashValue, 'p is invalid'],
  ])('reads %j', (raw, expected) => {
    expect(read(text(), raw)).toEqual(expected)
  })

  it('has limits', () => {
    expect(read(text({ max: 3 }), 'abcd')).toBe('p is too long (maximum is 3 characters)')
    expect(read(text({ max: 3 }), 'abc')).toBe('abc')
    expect(read(text({ notEmpty: true }), ' \n ')).toBe('p is empty')
  })
})

describe('numbers', () => {
  it.each([
    ['5', 5],
    [' 5 ', 5],
    [5, 5],
    ['-5', -5],
    ['+5', 5],
    ['007', 7],
    ['5.0', 'p is invalid'],
    [5.5, 'p is invalid'],
    ['0x10', 'p is invalid'],
    ['1e3', 'p is invalid'],
    ['five', 'p is invalid'],
    ['９', 'p is invalid'],
    [' ', 'p is invalid'],
    ['9007199254740993', 'p is invalid'],
    [2 ** 53, 'p is invalid'],
    [NaN, 'p is invalid'],
    [true, 'p is invalid'],
    [['5'], 'p is invalid'],
    [hashValue, 'p is invalid'],
    ['', 'p is missing'],
  ])('reads %j as a whole number', (raw, expected) => {
    expect(read(int(), raw)).toEqual(expected)
  })

  it('has different errors for limits and forbidden values', () => {
    const perPage = int({ min: 1, not: [0] })
    expect(read(perPage, '0')).toBe('p has a value not allowed')
    expect(read(perPage, '-1')).toBe('p does not have a valid value')
    expect(read(int({ max: 4 }), 5)).toBe('p does not have a valid value')
  })

  it.each([
    ['1.5', 1.5],
    ['-0.25', -0.25],
    [3, 3],
    ['Infinity', 'p is invalid'],
    ['1e9', 'p is invalid'],
    ['.', 'p is invalid'],
    [null, 'p is missing'],
  ])('reads %j as a decimal number', (raw, expected) => {
    expect(read(decimal(), raw)).toEqual(expected)
  })

  it.each([
    ['10', 10],
    [10, 10],
    ['11', 'p does not have a valid value'],
    ['ten', 'p is invalid'],
    [[10], 'p is invalid'],
  ])('reads %j as one of several numbers', (raw, expected) => {
    expect(read(intChoice(0, 10), raw)).toEqual(expected)
  })
})

describe('booleans', () => {
  it.each(['true', '1', 't', 'yes', 'y', 'on', 'TRUE', 'On', true, 1])('accepts %j as true', (raw) => {
    expect(read(bool(), raw)).toBe(true)
  })
  it.each(['false', '0', 'f', 'no', 'n', 'off', 'OFF', false, 0])('accepts %j as false', (raw) => {
    expect(read(bool(), raw)).toBe(false)
  })
  it.each(['maybe', 2, -1, [true], { a: 1 }, [hashValue]])('refuses %j', (raw) => {
    expect(read(bool(), raw)).toBe('p is invalid')
  })
  it('refuses a hash without a prototype', () => {
    expect(read(bool(), hashValue)).toBe('p is invalid')
  })
})

describe('enumerations', () => {
  it.each([
    ['asc', 'asc'],
    ['ASC', 'p does not have a valid value'],
    ['', 'p does not have a valid value'],
    [['asc'], 'p does not have a valid value'],
    ['toString', 'p does not have a valid value'],
  ])('reads %j', (raw, expected) => {
    expect(read(choice('asc', 'desc'), raw)).toEqual(expected)
  })
})

describe('times and dates', () => {
  it.each([
    ['2022-11-22', '2022-11-22T00:00:00.000Z'],
    ['2022-11-22T10:11:12Z', '2022-11-22T10:11:12.000Z'],
    ['2022-11-22T10:11:12.345678Z', '2022-11-22T10:11:12.345Z'],
    ['2022-11-22T10:11:12+02:00', '2022-11-22T08:11:12.000Z'],
    ['2022-11-22T10:11:12+0200', '2022-11-22T08:11:12.000Z'],
    ['2022-11-22 10:11', '2022-11-22T10:11:00.000Z'],
    ['2022-11-22 10:11:12 Z', '2022-11-22T10:11:12.000Z'],
    ['2022-11-22 10:11:12 +02:00', '2022-11-22T08:11:12.000Z'],
    ['2022-13-01', 'p is invalid'],
    ['2022-02-30', 'p is invalid'],
    ['2022-02-30T00:00:00Z', 'p is invalid'],
    ['2022-11-22T25:00:00Z', 'p is invalid'],
    ['yesterday', 'p is invalid'],
    ['2022', 'p is invalid'],
    [1669111872, 'p is invalid'],
    ['0000-01-01T00:00:00+23:59', 'p is invalid'],
    ['9999-12-31T23:59:59-23:59', 'p is invalid'],
    ['', 'p is missing'],
  ])('reads %j as a time', (raw, expected) => {
    expect(read(timestamp(), raw)).toEqual(expected)
  })

  it('returns every time as ISO 8601 with three decimals', () => {
    const moments = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(moments, (moment) => {
        expect(read(timestamp(), moment.toISOString())).toBe(moment.toISOString())
      }),
    )
  })

  it.each([
    ['2024-02-29', '2024-02-29'],
    ['2023-02-29', 'p is invalid'],
    ['2022-11-22T23:00:00Z', '2022-11-22'],
    ['22.11.2022', 'p is invalid'],
    ['2022-1-2', 'p is invalid'],
  ])('reads %j as a date', (raw, expected) => {
    expect(read(day(), raw)).toEqual(expected)
  })
})

describe('lists', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['a, b ,', ['a', 'b']],
    ['', []],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[''], []],
    [[], []],
    [7, ['7']],
    [{ 0: 'a' }, 'p is invalid'],
    [[['a']], 'p is invalid'],
    [['a', { b: 1 }], 'p is invalid'],
  ])('reads %j as texts', (raw, expected) => {
    expect(read(list(text()), raw)).toEqual(expected)
  })

  it('reads numbers, and names the invalid one', () => {
    expect(read(list(int()), '1,2,3')).toEqual([1, 2, 3])
    expect(read(list(int()), [1, 'x'])).toBe('p is invalid')
    expect(read(list(int(), { max: 2 }), '1,2,3')).toBe('p is too long (maximum is 2 entries)')
  })

  it('names the missing part of an item', () => {
    const actions = list(hash({ action: text(), path: text(), n: int().optional() }))
    expect(read(actions, [{ path: 'a' }])).toBe('p[0][action] is missing')
    expect(read(actions, [{ action: 'a', path: 'a' }, { action: 'b' }])).toBe('p[1][path] is missing')
    expect(read(actions, [{ action: 'a', path: 'b', n: 'x' }])).toBe('p[0][n] is invalid')
    expect(read(actions, ['text'])).toBe('p is invalid')
    expect(read(actions, 'text')).toBe('p is invalid')
  })
})

describe('hashes', () => {
  const position = hash({
    base_sha: text(),
    new_line: int().optional(),
    old_line: int().nullable().optional(),
  })

  it('names the nested parameter', () => {
    expect(read(position, {})).toBe('p[base_sha] is missing')
    expect(read(position, { base_sha: 'a', new_line: 'x' })).toBe('p[new_line] is invalid')
    expect(read(position, 'text')).toBe('p is invalid')
    expect(read(position, ['text'])).toBe('p is invalid')
  })

  it('treats a blank value as not given, and null as clearing where that is allowed', () => {
    expect(read(position, { base_sha: 'a', new_line: '', old_line: null })).toEqual({
      base_sha: 'a',
      old_line: null,
    })
    expect(read(position, { base_sha: 'a', new_line: null })).toEqual({ base_sha: 'a' })
    expect(
      read(
        position,
        nest([
          ['base_sha', 'a'],
          ['new_line', '3'],
        ]),
      ),
    ).toEqual({ base_sha: 'a', new_line: 3 })
  })

  it('drops undeclared keys', () => {
    expect(read(position, { base_sha: 'a', extra: 1 })).toEqual({ base_sha: 'a' })
  })

  it('reads free keys', () => {
    expect(read(dictionary(), { a: 'b', c: 1 })).toEqual({ a: 'b', c: '1' })
    expect(read(dictionary(), [1])).toBe('p is invalid')
    expect(read(dictionary(), { a: { b: 'c' } })).toBe('p is invalid')
    expect(read(dictionary(), { 'a\0': 'b' })).toBe('p is invalid')
    const odd = read(dictionary(), JSON.parse('{"__proto__": "x"}')) as object
    expect(Object.entries(odd)).toEqual([['__proto__', 'x']])
  })
})

describe('files', () => {
  it('are never accepted as a text or as JSON', () => {
    const forged = { filename: 'a', type: 'b', path: '/etc/passwd', size: 1, sha256: 'c' }
    for (const raw of [forged, nest(Object.entries(forged)), 'text', [forged]])
      expect(read(file(), raw)).toBe('p is invalid')
  })
})

describe('descriptions of parameters', () => {
  it('include those of optional, nullable and default parameters', () => {
    expect(jsonSchemaOf(int({ min: 1 }).optional().describe('Page'))).toEqual({
      type: 'integer',
      minimum: 1,
      description: 'Page',
    })
    expect(jsonSchemaOf(text().nullable().optional())['type']).toEqual(['string', 'null'])
    expect(jsonSchemaOf(bool().default(true))).toEqual({ type: 'boolean', default: true })
    expect(jsonSchemaOf(hash({ a: text(), b: int().optional() }))).toMatchObject({
      type: 'object',
      required: ['a'],
    })
    expect(isOptional(text())).toBe(false)
    expect(isOptional(text().default('a'))).toBe(true)
    expect(isOptional(text().optional().nullable())).toBe(true)
    expect(isNullable(text().nullable().optional())).toBe(true)
    expect(isNullable(text().optional())).toBe(false)
  })

  it('include null among the values of a nullable enumeration', () => {
    expect(jsonSchemaOf(choice('a', 'b').nullable())['enum']).toEqual(['a', 'b', null])
  })
})
