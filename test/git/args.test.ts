import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { git, option, path, ref, refPrefix, revision, sha, value } from '../../server/git/args.ts'
import { GitInputError } from '../../server/git/errors.ts'
import {
  branchRef,
  checkFolder,
  isBranchName,
  isRefName,
  isRevision,
  tagRef,
} from '../../server/git/names.ts'
import { GIT_BINARY, cleanEnv } from '../support/git.ts'
import { spawnSync } from 'node:child_process'

const ID = 'a'.repeat(40)

describe('the argument template', () => {
  it('splits literal text and keeps every interpolation one argument', () => {
    const args = git`log  --max-count=${value(5)}
      ${ref('refs/heads/a')} -- ${path('dir/with space')}`
    expect(args.words).toEqual(['log', '--max-count=5', 'refs/heads/a', '--', 'dir/with space'])
  })

  it('joins interpolations with adjacent literal text', () => {
    expect(git`diff ${sha(ID)}..${sha(ID)} ${sha(ID)}:${path('a/b')}`.words).toEqual([
      'diff',
      `${ID}..${ID}`,
      `${ID}:a/b`,
    ])
  })

  it('spreads lists and nested argument lists, and drops null', () => {
    const more = git`--first-parent ${option('--author', '-x y')}`
    expect(git`log ${more} ${null} ${[sha(ID), sha(ID)]}`.words).toEqual([
      'log',
      '--first-parent',
      '--author=-x y',
      ID,
      ID,
    ])
  })

  it.each(['-x', '--upload-pack=touch /tmp/x', '-'])('refuses the value %j as a whole argument', (text) => {
    expect(() => git`log ${value(text)}`).toThrow(GitInputError)
  })

  it('accepts a value with a dash after its option', () => {
    expect(git`commit-tree --message=${value('-x')}`.words).toEqual(['commit-tree', '--message=-x'])
  })

  it('refuses null characters and broken Unicode everywhere', () => {
    expect(() => value('a\0b')).toThrow(GitInputError)
    expect(() => path('a\0b')).toThrow(GitInputError)
    expect(() => ref('refs/heads/a\0b')).toThrow(GitInputError)
    expect(() => value('\ud800')).toThrow(GitInputError)
    expect(() => path('\ud800')).toThrow(GitInputError)
  })

  it('refuses an empty value as a whole argument', () => {
    expect(() => git`log ${value('')}`).toThrow(GitInputError)
  })

  it('accepts a path only after -- or a revision', () => {
    expect(() => git`log ${path('a')}`).toThrow(TypeError)
    expect(() => git`log --format=${path('a')}`).toThrow(TypeError)
    expect(git`log -- ${path('-a')}`.words).toEqual(['log', '--', '-a'])
    expect(git`log -- ${[path('-a'), path('b')]}`.words).toEqual(['log', '--', '-a', 'b'])
  })

  it.each(['', '/etc/passwd', '../x', 'a/../b', 'a/..', './a', 'a//b', 'a/', '.', `${'x/'.repeat(3000)}x`])(
    'refuses the path %j',
    (text) => {
      expect(() => path(text)).toThrow(GitInputError)
    },
  )

  it.each(['a', 'a\nb', 'ä/ö', '-rf', '..a', 'a..b', ':(glob)**', 'a*'])('accepts the path %j', (text) => {
    expect(path(text).text).toBe(text)
  })

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the number %d', (number) => {
    expect(() => value(number)).toThrow(GitInputError)
  })

  it('refuses invalid ids and prefixes', () => {
    for (const text of ['main', ID.toUpperCase(), `${ID}0`, '', '-'])
      expect(() => sha(text)).toThrow(GitInputError)
    for (const text of ['heads/', 'refs/../x', '-refs/', 'refs//'])
      expect(() => refPrefix(text)).toThrow(GitInputError)
  })
})

describe('names', () => {
  it.each(['main', 'feature/a.b', 'ünï/cödé', 'a@b', 'x-y', '日本', 'quote\'and"double', 'a;b$c`d|e&f'])(
    'accepts the branch %j',
    (name) => {
      expect(branchRef(name)).toBe(`refs/heads/${name}`)
      expect(tagRef(name)).toBe(`refs/tags/${name}`)
    },
  )

  it.each([
    '',
    '-x',
    '--force',
    'HEAD',
    'a b',
    'a..b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a//b',
    '/a',
    'a/',
    'a.',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{b',
    'a\nb',
    'a\tb',
    'a\0b',
    'a\u007fb',
    'x'.repeat(251),
    `${'x/'.repeat(600)}x`,
    '\ud800',
  ])('refuses the branch %j', (name) => {
    expect(isBranchName(name)).toBe(false)
    expect(() => branchRef(name)).toThrow(GitInputError)
    expect(() => tagRef(name)).toThrow(GitInputError)
  })

  it('are accepted and refused as by git check-ref-format', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '/',
      '.',
      '..',
      '.lock',
      '@',
      '{',
      '@{',
      '-',
      '~',
      '^',
      ':',
      ' ',
      '*',
      '?',
      '[',
      '\\',
      'ä',
      '\u007f',
      '\u0001',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
        const name = `refs/heads/${pieces.join('')}`
        const { status } = spawnSync(GIT_BINARY, ['check-ref-format', name], { env: cleanEnv() })
        expect(isRefName(name)).toBe(status === 0)
      }),
      { numRuns: 150 },
    )
  })

  it.each(['HEAD', '@', 'main', 'main~2^2', 'v1^{commit}', 'refs/heads/a', 'abc123', 'feature/x~1', 'v1^{}'])(
    'looks up the revision %j',
    (text) => {
      expect(revision(text).text).toBe(text)
    },
  )

  it.each([
    '',
    '-x',
    ':/text',
    'main^{/text}',
    'main@{1}',
    '@{-1}',
    'a b',
    'a..b',
    'main:path',
    'a\nb',
    '^main',
    '~1',
  ])('does not look up the revision %j', (text) => {
    expect(isRevision(text)).toBe(false)
    expect(() => revision(text)).toThrow(GitInputError)
  })

  it('normalizes the forms of a folder', () => {
    expect(['', '/', '.', 'a/b/', '/a'].map(checkFolder)).toEqual(['', '', '', 'a/b', 'a'])
    expect(() => checkFolder('a/../b')).toThrow(GitInputError)
  })
})
