import { describe, expect, it } from 'vitest'

import {
  allOrNone,
  atLeastOne,
  endpoint,
  exactlyOne,
  exclusive,
  type Declaration,
  type Shape,
} from '../../../server/http/endpoint.ts'
import { nest, parseForm } from '../../../server/http/request/nesting.ts'
import { bool, choice, int, list, text, timestamp } from '../../../server/http/params.ts'
import { noContent } from '../../../server/http/returns.ts'
import { validatorOf } from '../../../server/http/validate.ts'
import { Failure } from '../../../server/lib/fail.ts'

function checker(params: Shape, more: Partial<Declaration<undefined, Shape, void>> = {}) {
  const validator = validatorOf(
    endpoint('POST /items', {
      summary: 'Make an item',
      can: 'anyone',
      params,
      returns: noContent,
      run: () => undefined,
      ...more,
    }),
  )
  return (source: string | object): unknown => {
    try {
      return validator.check(typeof source === 'string' ? parseForm(source) : nest(Object.entries(source)))
    } catch (error) {
      if (error instanceof Failure && error.kind === 'parameter') return error.detail
      throw error
    }
  }
}

describe('checking parameters', () => {
  const check = checker({
    name: text(),
    count: int().optional(),
    note: text().nullable().optional(),
    open: bool().nullable().optional(),
    at: timestamp().optional(),
    order: choice('asc', 'desc').default('asc'),
    labels: list(text()).optional(),
  })

  it('reports all problems in one sentence', () => {
    expect(check('count=x&order=up')).toBe(
      'name is missing, count is invalid, order does not have a valid value',
    )
  })

  it('drops undeclared parameters, and fills in defaults', () => {
    expect(check('name=a&other=1')).toEqual({ name: 'a', order: 'asc' })
  })

  it('treats null as clearing where that is allowed, and as not given elsewhere', () => {
    expect(check({ name: 'a', note: null, count: null })).toEqual({ name: 'a', note: null, order: 'asc' })
    expect(check({ name: null })).toBe('name is missing')
    expect(check('name')).toBe('name is missing')
  })

  it('treats an empty text as a text, an empty list or not given, depending on the type', () => {
    expect(check('name=&count=&note=&open=&at=&order=&labels=')).toEqual({
      name: '',
      note: '',
      open: null,
      order: 'asc',
      labels: [],
    })
  })

  it('accepts parameters with names of object properties', () => {
    expect(check('name=a&constructor=1&__proto__=2&toString=3')).toEqual({ name: 'a', order: 'asc' })
  })
})

describe('wire aliases', () => {
  const check = checker({ spamcheck_enabled: bool().optional() })

  it('are accepted wherever the neutral name is; the neutral name wins', () => {
    expect(check('akismet_enabled=1')).toEqual({ spamcheck_enabled: true })
    expect(check('akismet_enabled=1&spamcheck_enabled=0')).toEqual({ spamcheck_enabled: false })
  })
})

describe('rules over several parameters', () => {
  const pair = { a: text().optional(), b: text().optional() }

  it('requires at least one', () => {
    const check = checker(pair, { parameterRules: [atLeastOne('a', 'b')] })
    expect(check('')).toBe('a, b are missing, at least one parameter must be provided')
    expect(check('b=1')).toEqual({ b: '1' })
  })

  it('requires exactly one', () => {
    const check = checker(pair, { parameterRules: [exactlyOne('a', 'b')] })
    expect(check('')).toBe('a, b are missing, exactly one parameter must be provided')
    expect(check('a=1&b=2')).toBe('a, b are mutually exclusive')
    expect(check('a=1')).toEqual({ a: '1' })
  })

  it('refuses two that exclude each other', () => {
    const check = checker(pair, { parameterRules: [exclusive('a', 'b')] })
    expect(check('a=1&b=2')).toBe('a, b are mutually exclusive')
    expect(check('')).toEqual({})
  })

  it('requires all or none', () => {
    const check = checker(pair, { parameterRules: [allOrNone('a', 'b')] })
    expect(check('a=1')).toBe('a, b provide all or none of parameters')
    expect(check('a=1&b=2')).toEqual({ a: '1', b: '2' })
    expect(check('')).toEqual({})
  })
})
