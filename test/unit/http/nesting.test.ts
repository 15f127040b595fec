import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { merge, nest, parseForm } from '../../../server/http/request/nesting.ts'
import { Failure } from '../../../server/lib/fail.ts'

/** Converts hashes without a prototype to ordinary ones for comparisons. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const parsed = (source: string): unknown => plain(parseForm(source))

function refusal(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('names of parameters', () => {
  it.each([
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2', { a: '2' }],
    ['a', { a: null }],
    ['a=', { a: '' }],
    ['=1', {}],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a[]=1', { a: ['1'] }],
    ['a[]', { a: [null] }],
    ['a[0]=x&a[1]=y', { a: { 0: 'x', 1: 'y' } }],
    ['a[b]=1&a[c]=2', { a: { b: '1', c: '2' } }],
    ['a[b][c][d]=1', { a: { b: { c: { d: '1' } } } }],
    ['a[b][]=1&a[b][]=2', { a: { b: ['1', '2'] } }],
    ['a[][k]=1&a[][l]=2', { a: [{ k: '1', l: '2' }] }],
    ['a[][k]=1&a[][k]=2', { a: [{ k: '1' }, { k: '2' }] }],
    [
      'a[][k]=1&a[][l]=2&a[][k]=3&a[][l]=4',
      {
        a: [
          { k: '1', l: '2' },
          { k: '3', l: '4' },
        ],
      },
    ],
    ['a[][k][]=1&a[][k][]=2', { a: [{ k: ['1', '2'] }] }],
    ['a[][k][x]=1&a[][k][y]=2&a[][k][x]=3', { a: [{ k: { x: '1', y: '2' } }, { k: { x: '3' } }] }],
    ['a[b=1', { 'a[b': '1' }],
    ['a]b=1', { 'a]b': '1' }],
    ['[a]=1', { '[a]': '1' }],
    ['a[b]c=1', { 'a[b]c': '1' }],
    ['a%5Bb%5D=1', { a: { b: '1' } }],
    ['&&a=1&&', { a: '1' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=1+2%2B3', { a: '1 2+3' }],
    ['%C3%BC=%F0%9F%A6%86', { ü: '🦆' }],
  ])('reads %j', (source, expected) => {
    expect(parsed(source)).toEqual(expected)
  })

  it.each(['a=1&a[b]=2', 'a=1&a[]=2', 'a[]=1&a[b]=2', 'a[b]=1&a[]=2', 'a[b]=1&a[b][c]=2'])(
    'refuses the contradictory %j and names the parameter',
    (source) => {
      expect(refusal(() => parseForm(source)).detail).toBe('a is invalid')
    },
  )

  it.each(['a=%', 'a=%zz', '%E0%A4=1', 'a=%C0%AF', 'a=%ED%A0%80'])(
    'refuses the broken encoding %j',
    (source) => {
      expect(refusal(() => parseForm(source))).toMatchObject({
        kind: 'parameter',
        detail: 'a parameter is not valid percent-encoded UTF-8',
      })
    },
  )

  it('refuses endless nesting and endless lists of parameters', () => {
    expect(refusal(() => parseForm(`a${'[b]'.repeat(40)}=1`)).detail).toBe('a is nested too deeply')
    expect(parsed(`a${'[b]'.repeat(31)}=1`)).toHaveProperty('a')
    const many = Array.from({ length: 4097 }, (_, index) => `p${index}=1`).join('&')
    expect(refusal(() => parseForm(many)).detail).toBe('more than 4096 parameters are not accepted')
  })

  it('handles a megabyte of brackets', () => {
    for (const piece of ['[]', '[a]', '[', ']', '[[', '[a'])
      expect(() => {
        try {
          parseForm(`a${piece.repeat(400_000)}=1`)
        } catch (error) {
          if (!(error instanceof Failure)) throw error
        }
      }).not.toThrow()
  })
})

describe('names of JavaScript properties', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'accepts %s as an ordinary parameter',
    (name) => {
      const flat = parseForm(`${name}=1`)
      expect(Object.getPrototypeOf(flat)).toBeNull()
      expect(Object.entries(flat)).toEqual([[name, '1']])
      const deep = parseForm(`${name}[polluted]=1&a[${name}][polluted]=1&b[][${name}]=1`)
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
      expect(Object.keys(deep)).toEqual([name, 'a', 'b'])
    },
  )

  it('keeps them harmless when query and body are merged', () => {
    const merged = merge(parseForm('__proto__[x]=1'), JSON.parse('{"__proto__": {"y": 1}}') as never)
    expect(Object.getPrototypeOf(merged)).toBeNull()
    expect(plain(Object.entries(merged))).toEqual([['__proto__', { y: 1 }]])
  })
})

describe('merging', () => {
  it('lets the body win over the query, parameter by parameter', () => {
    expect(plain(merge(parseForm('a=1&b=2'), nest([['b', '3']])))).toEqual({ a: '1', b: '3' })
  })
})

describe('properties of nesting', () => {
  const key = fc.stringMatching(/^[a-z]{1,6}$/)
  // oxlint-disable-next-line typescript/no-explicit-any
  const tree: fc.Arbitrary<any> = fc.letrec((tie) => ({
    value: fc.string(),
    hash: fc.dictionary(key, fc.oneof(tie('value'), tie('hash'), tie('list')), { minKeys: 1, maxKeys: 4 }),
    list: fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
  })).hash

  const write = (value: unknown, name: string): string[] => {
    if (typeof value === 'string') return [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
    if (Array.isArray(value)) return value.flatMap((item) => write(item, `${name}[]`))
    return Object.entries(value as object).flatMap(([inner, value]) =>
      write(value, name === '' ? inner : `${name}[${inner}]`),
    )
  }

  it('restores every tree of hashes, lists and texts that a client encodes', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(parsed(write(value, '').join('&'))).toEqual(plain(value))
      }),
    )
  })

  it('returns parameters or an error for any text, and never changes a prototype', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab[]=&%+_é'), maxLength: 60 }), (source) => {
        const outcome = (): unknown => {
          try {
            return Object.getPrototypeOf(parseForm(source))
          } catch (error) {
            return error instanceof Failure ? null : error
          }
        }
        expect(outcome()).toBeNull()
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
    )
  })
})
