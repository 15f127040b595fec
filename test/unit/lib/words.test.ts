import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'

import { addDays, frozenClock, isoDate, isoTime } from '../../../server/lib/clock.ts'
import { nextRun } from '../../../server/lib/cron.ts'
import { gitIdentity } from '../../../server/lib/git-identity.ts'
import { seededRandom, systemRandom, type Random } from '../../../server/lib/security/random.ts'
import { isValidPath, slugify } from '../../../server/lib/text/slug.ts'

describe('paths from names', () => {
  it.each([
    ['My Project', 'my-project'],
    ['  Ünïcödé & Straße  ', 'unicode-stra-e'],
    ['a/b\\c', 'a-b-c'],
    ['--a--', 'a'],
    ['...', ''],
    ['日本', ''],
    ['repo.git', 'repo-git'],
    ['feed.atom', 'feed-atom'],
    ['a.git.git', 'a.git-git'],
    ['v1.2_x', 'v1.2_x'],
    ['', ''],
  ])('%j becomes %j', (name, expected) => {
    expect(slugify(name)).toBe(expected)
  })

  it('are valid or empty, and do not change when converted again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
        const slug = slugify(name)
        expect(slug === '' || isValidPath(`${slug}0`, 'below')).toBe(true)
        expect(slug).not.toMatch(/^[-.]|[-.]$|\.(git|atom)$/)
        expect(slugify(slug)).toBe(slug)
      }),
    )
  })
})

describe('valid paths', () => {
  it.each(['a', 'A-b_c.d', '_x', '0', 'new', 'x'.repeat(255)])('accepts %s at the top level', (path) => {
    expect(isValidPath(path, 'top')).toBe(true)
  })
  it.each([
    '',
    '-a',
    '.a',
    'a.',
    'a b',
    'a/b',
    'a\n',
    'ü',
    'a.git',
    'a.GIT',
    'a.atom',
    '..',
    '-',
    'api',
    'API',
    'Admin',
    'groups',
    'x'.repeat(256),
  ])('refuses %j at the top level', (path) => {
    expect(isValidPath(path, 'top')).toBe(false)
  })
  it('refuses reserved names below a namespace', () => {
    expect(isValidPath('api', 'below')).toBe(true)
    for (const word of ['tree', 'blob', 'Raw', 'new', 'wikis']) expect(isValidPath(word, 'below')).toBe(false)
  })
})

describe('randomness', () => {
  const kinds: [string, Random][] = [
    ['of the machine', systemRandom],
    ['from a seed', seededRandom(7)],
  ]
  it.each(kinds)('%s returns tokens, hex and ids of the requested form', (_, random) => {
    for (const length of [1, 2, 3, 20, 43, 64])
      expect(random.token(length)).toMatch(new RegExp(`^[\\w-]{${length}}$`))
    expect(random.hex(5)).toMatch(/^[0-9a-f]{10}$/)
    expect(random.id()).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(new Set(Array.from({ length: 200 }, () => random.token(20))).size).toBe(200)
  })

  it('repeats its values for the same seed only', () => {
    const draw = (seed: number): string[] => {
      const random = seededRandom(seed)
      return [random.token(20), random.hex(8), random.id()]
    }
    expect(draw(1)).toEqual(draw(1))
    expect(draw(1)).not.toEqual(draw(2))
    expect(draw(0)).not.toEqual(['A'.repeat(20), '0'.repeat(16), draw(0)[2]])
  })
})

describe('times', () => {
  it('are ISO 8601 in UTC with three decimals', () => {
    expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z')
    expect(isoDate('2026-01-31T08:00:00.000Z')).toBe('2026-01-31')
    expect(addDays('2024-02-28T12:00:00.000Z', 2)).toBe('2024-03-01T12:00:00.000Z')
    expect(addDays('2024-03-01T12:00:00.000Z', -1)).toBe('2024-02-29T12:00:00.000Z')
  })

  it('stay the same until they are moved', () => {
    const clock = frozenClock('2026-01-01T00:00:00.000Z')
    const before = clock.now()
    clock.advance(1500)
    expect(clock.now() - before).toBe(1500)
  })
})

describe('recurring times', () => {
  it.each([
    ['17 3 * * *', '2026-03-28T03:17:00.000Z', '2026-03-29T03:17:00.000Z'],
    ['17 3 * * *', '2026-03-28T03:16:59.000Z', '2026-03-28T03:17:00.000Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['*/5 * * * *', '2026-01-01T00:02:00.000Z', '2026-01-01T00:05:00.000Z'],
  ])('%s after %s is %s', (pattern, from, expected) => {
    expect(isoTime(nextRun(pattern, Date.parse(from))!)).toBe(expected)
  })

  it('may have no next time', () => {
    expect(nextRun('0 0 31 2 *', Date.parse('2026-01-01'))).toBeUndefined()
  })
})

describe("the user's git configuration", () => {
  function homeWith(files: Record<string, string>): string {
    const home = mkdtempSync(join(tmpdir(), 'deskforge-home-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(home, name, '..'), { recursive: true })
      writeFileSync(join(home, name), text)
    }
    return home
  }

  it('has the name and the address', () => {
    const text = '# c\n[core]\n\tname = wrong\n[user]\n\tname = "Ada Lovelace"\n\temail = ada@example.test\n'
    expect(gitIdentity(homeWith({ '.gitconfig': text }))).toEqual({
      name: 'Ada Lovelace',
      email: 'ada@example.test',
    })
  })

  it('lets the file in the home folder win', () => {
    const home = homeWith({
      '.config/git/config': '[user]\nname = A\nemail = a@example.test\n',
      '.gitconfig': '[User]\nName = B\n',
    })
    expect(gitIdentity(home)).toEqual({ name: 'B', email: 'a@example.test' })
  })

  it('is empty if there is none', () => {
    expect(gitIdentity(homeWith({}))).toEqual({ name: '', email: '' })
  })
})
