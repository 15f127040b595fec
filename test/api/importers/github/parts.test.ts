import { describe, expect, it } from 'vitest'

import { githubAddress, GITHUB } from '../../../../server/domains/importers/github/client.ts'
import { isLimited, pauseAfter, retryAfter } from '../../../../server/domains/importers/hosts/client.ts'
import { filesIn } from '../../../../server/domains/importers/github/stages/attachments.ts'
import { findLine } from '../../../../server/domains/importers/hosts/landing/notes.ts'

const now = '2026-11-22T10:00:00.000Z'
const soon = Date.parse(now) / 1000 + 600
const limits = (limit: number, remaining: number, reset = soon) =>
  new Headers({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  })

describe('rate limits of the other host', () => {
  it('leave fifty requests to other clients, and end five seconds after the reset', () => {
    expect(pauseAfter(limits(5000, 51), now)).toBeUndefined()
    expect(pauseAfter(limits(5000, 50), now)).toBe('2026-11-22T10:10:05.000Z')
    expect(pauseAfter(limits(60, 1), now)).toBeUndefined()
    expect(pauseAfter(limits(5000, 0, 1), now)).toBeUndefined()
    expect(pauseAfter(new Headers(), now)).toBeUndefined()
  })

  it('are distinguished from other refusals', () => {
    expect(isLimited(429, new Headers(), '')).toBe(true)
    expect(isLimited(403, limits(5000, 0), '')).toBe(true)
    expect(isLimited(403, new Headers({ 'retry-after': '3' }), '')).toBe(true)
    expect(isLimited(403, new Headers(), 'You have exceeded a secondary rate limit')).toBe(true)
    expect(isLimited(403, limits(5000, 10), 'Resource not accessible')).toBe(false)
  })

  it('delay the next request by a limited time', () => {
    expect(retryAfter(new Headers({ 'retry-after': '90' }), now)).toBe('2026-11-22T10:01:30.000Z')
    expect(retryAfter(limits(5000, 0), now)).toBe('2026-11-22T10:10:05.000Z')
    expect(retryAfter(limits(5000, 10), now)).toBe('2026-11-22T10:01:00.000Z')
    expect(retryAfter(new Headers({ 'retry-after': '999999999' }), now)).toBe('2026-11-22T12:00:00.000Z')
    expect(retryAfter(new Headers({ 'retry-after': 'tomorrow' }), now)).toBe('2026-11-22T10:01:00.000Z')
  })
})

describe('the address of a host', () => {
  it('is the public one by default', () => {
    for (const name of [undefined, '', GITHUB.web, `${GITHUB.web}/`, GITHUB.api])
      expect(githubAddress(name)).toBe(GITHUB)
  })

  it('has its API below /api/v3, unless the given address is that of the API', () => {
    expect(githubAddress('https://git.example.com/')).toEqual({
      api: 'https://git.example.com/api/v3',
      web: 'https://git.example.com',
      isPublic: false,
    })
    expect(githubAddress('https://example.com/git')?.api).toBe('https://example.com/git/api/v3')
    expect(githubAddress('https://example.com:8443/api/v3/')?.api).toBe('https://example.com:8443/api/v3')
    for (const wrong of [
      'example.com',
      'ssh://example.com',
      'https://a:b@example.com',
      'https://example.com?x=1',
    ])
      expect(githubAddress(wrong)).toBeUndefined()
  })
})

describe('files in texts', () => {
  it('are found at the hosts, and only for the repository', () => {
    const web = 'https://git.example.com'
    const text = `![a](${web}/user-attachments/assets/1-2) <img src="${web}/octo/demo/assets/3/x.png">
      ${web}/octo/demo/files/4/a.txt, ${web}/octo/other/files/4/a.txt ${web}/octo/demo/issues/5 https://elsewhere.example/user-attachments/assets/1`
    expect(filesIn(text, [web], 'Octo/demo')).toEqual([
      `${web}/user-attachments/assets/1-2`,
      `${web}/octo/demo/assets/3/x.png`,
      `${web}/octo/demo/files/4/a.txt`,
    ])
  })
})

describe('lines of a diff', () => {
  const diff =
    '@@ -3,4 +3,4 @@\n line 3\n-line 4\n+four\n line 5\n line 6\n@@ -20,2 +20,3 @@\n line 20\n+more\n line 21\n'

  it('are found by their number on each side, also between the hunks', () => {
    expect(findLine(diff, { side: 'new', line: 4 })).toEqual({ type: 'new', old_line: null, new_line: 4 })
    expect(findLine(diff, { side: 'old', line: 4 })).toEqual({ type: 'old', old_line: 4, new_line: null })
    expect(findLine(diff, { side: 'new', line: 5 })).toEqual({ type: null, old_line: 5, new_line: 5 })
    expect(findLine(diff, { side: 'new', line: 12 })).toEqual({ type: null, old_line: 12, new_line: 12 })
    expect(findLine(diff, { side: 'new', line: 30 })).toEqual({ type: null, old_line: 29, new_line: 30 })
    expect(findLine(diff, { side: 'old', line: 30 })).toEqual({ type: null, old_line: 30, new_line: 31 })
    expect(findLine('', { side: 'new', line: 1 })).toBeUndefined()
  })
})
