import { createHash } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import {
  environmentSlug,
  folderOf,
  nameProblems,
  tierOf,
  urlProblems,
} from '../../../server/domains/ci/environments/validation.ts'

/** The suffix of the contract, calculated independently by long division of the digest. */
function suffix(name: string): string {
  let digits = [...createHash('sha256').update(name).digest('hex')].map((digit) => parseInt(digit, 16))
  let text = ''
  while (text.length < 6) {
    let rest = 0
    digits = digits.map((digit) => {
      const whole = rest * 16 + digit
      rest = whole % 36
      return Math.floor(whole / 36)
    })
    text = rest.toString(36) + text
  }
  return text
}

describe('the slug of an environment', () => {
  it.each([
    ['staging-12345678901234567', 'staging-123456789-*'],
    ['9-staging-123456789012345', 'env-9-staging-123-*'],
    ['staging-1234567890123456', 'staging-1234567890123456'],
    ['staging-1234567890123456-', 'staging-123456789-*'],
    ['production', 'production'],
    ['PRODUCTION', 'production-*'],
    ['review/1-foo', 'review-1-foo-*'],
    ['1-foo', 'env-1-foo-*'],
    ['1/foo', 'env-1-foo-*'],
    ['foo-', 'foo'],
    ['foo--bar', 'foo-bar-*'],
    ['foo**bar', 'foo-bar-*'],
    ['*-foo', 'env-foo-*'],
    ['staging-12345678-', 'staging-12345678'],
    ['staging-12345678-01234567', 'staging-12345678-*'],
    ['', 'env-*'],
    ['Übersee', 'env-bersee-*'],
  ])('of %j is %s', (name, slug) => {
    expect(environmentSlug(name)).toBe(slug.replace('*', suffix(name)))
    expect(environmentSlug(name)).toMatch(/^[a-z](?:[a-z0-9-]{0,22}[a-z0-9])?$/)
  })
})

it('the tier is the first one that the name contains', () => {
  const names = {
    development: ['dev', 'DEVELOPMENT', 'review/feature', 'trunk', 'production-dev', 'my-review-app'],
    testing: ['test', 'tst', 'integration', 'acceptance', 'acpt', 'QA', 'qc', 'quality-control', 'control'],
    staging: ['stg', 'stag', 'staging', 'modl', 'model', 'pre', 'pre-production', 'demo', 'non-prod'],
    production: ['prod', 'prd', 'PRODUCTION', 'live', 'product-page'],
    other: ['harbour', 'canary', 'eu-west'],
  }
  for (const [tier, all] of Object.entries(names))
    expect(all.map((name) => [name, tierOf(name)])).toEqual(all.map((name) => [name, tier]))
})

it('names may contain folders and variables, but no slash or blank at their ends', () => {
  for (const name of ['production', 'review/a b', 'a.b_c-d', '${X}/y', 'x'.repeat(255)])
    expect(nameProblems(name)).toEqual([])
  const rule = expect.stringMatching(/^can contain only letters, digits, '-', '_', '\/', .* end with '\/'$/)
  for (const name of ['/a', 'a/', 'a:b', 'ü', 'a\nb', '<b>']) expect(nameProblems(name)).toEqual([rule])
  expect(nameProblems(' ')).toEqual(["can't be blank"])
  expect(nameProblems('x'.repeat(256))).toEqual(['is too long (maximum is 255 characters)'])
  expect(['a', 'review/a/b', 'review/'].map(folderOf)).toEqual([null, 'review', 'review'])
})

it('addresses must be web addresses', () => {
  for (const url of ['https://example.test', 'http://localhost:3000/a?b#c'])
    expect(urlProblems(url)).toEqual([])
  expect(urlProblems('javascript:alert(1)')).toEqual(['javascript scheme is not allowed'])
  expect(urlProblems(' JavaScript:alert(1)')).toEqual(['javascript scheme is not allowed'])
  expect(urlProblems('data:text/html,x')).toEqual(['data scheme is not allowed'])
  for (const url of ['ftp://example.test', 'example.test', 'https://', 'https://a b'])
    expect(urlProblems(url)).toEqual(['is blocked: Only allowed schemes are http, https'])
  expect(urlProblems(`https://example.test/${'x'.repeat(255)}`)).toEqual([
    'is too long (maximum is 255 characters)',
  ])
})
