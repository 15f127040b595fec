import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  againstParent,
  countChanges,
  EMPTY_TREE,
  listChanges,
  openDiff,
} from '../../server/git/write/changes.ts'
import { findCommit } from '../../server/git/read/commits.ts'
import { readDiff } from '../../server/git/read/diff.ts'
import type { DiffSection } from '../../server/git/read/diff-sections.ts'
import { diffSections } from '../../server/git/read/diff-sections.ts'
import { unquotePath } from '../../server/git/parse.ts'
import { gitEngine, scriptedRepo, shell } from '../support/git.ts'
import type { ScriptedCommit } from '../support/git.ts'

type Files = NonNullable<ScriptedCommit['files']>

async function change(before: Files, after: Files) {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo([{ files: before }, { files: after }], engine)
  return { repo, operations, comparison: { from: ids[0]!, to: ids[1]! }, ids }
}

const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, n) => `${word} ${n}\n`).join('')

describe('the diff of two commits', () => {
  it('lists every file with its kind of change', async () => {
    const { repo, comparison } = await change(
      {
        changed: 'a\nb\nc\n',
        gone: 'x\n',
        old: lines(20),
        mode: 'm\n',
        bin: Buffer.from([0, 1]),
        end: 'no newline',
      },
      {
        changed: 'a\nB\nc\n',
        gone: null,
        old: null,
        new: lines(20),
        mode: { mode: '100755', content: 'm\n' },
        bin: Buffer.from([0, 2]),
        added: 'y\n',
        end: 'still none',
      },
    )
    const diff = await readDiff(repo, comparison)
    expect(diff).toMatchObject({ total_files: 7, overflow: false })
    const byPath = Object.fromEntries(diff.files.map((file) => [file.new_path, file]))
    expect(byPath['changed']).toEqual({
      old_path: 'changed',
      new_path: 'changed',
      a_mode: '100644',
      b_mode: '100644',
      old_id: shell(repo, ['rev-parse', `${comparison.from}:changed`]),
      new_id: shell(repo, ['rev-parse', `${comparison.to}:changed`]),
      new_file: false,
      renamed_file: false,
      deleted_file: false,
      binary: false,
      too_large: false,
      collapsed: false,
      diff: '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
      additions: 1,
      deletions: 1,
    })
    expect(byPath['added']).toMatchObject({
      new_file: true,
      a_mode: '0',
      b_mode: '100644',
      diff: '@@ -0,0 +1 @@\n+y\n',
      additions: 1,
    })
    expect(byPath['gone']).toMatchObject({
      deleted_file: true,
      a_mode: '100644',
      b_mode: '0',
      diff: '@@ -1 +0,0 @@\n-x\n',
    })
    expect(byPath['new']).toMatchObject({ renamed_file: true, old_path: 'old', diff: '' })
    expect(byPath['mode']).toMatchObject({ a_mode: '100644', b_mode: '100755', diff: '' })
    expect(byPath['bin']).toMatchObject({ binary: true, diff: 'Binary files a/bin and b/bin differ\n' })
    expect(byPath['end']?.diff).toBe(
      '@@ -1 +1 @@\n-no newline\n\\ No newline at end of file\n+still none\n\\ No newline at end of file\n',
    )
  })

  it('shows a file that became a link as deleted and added', async () => {
    const { repo, comparison } = await change(
      { a: 'text\n', z: '1\n' },
      { a: { mode: '120000', content: 'target' }, z: '2\n' },
    )
    const { files, total_files } = await readDiff(repo, comparison)
    expect(
      files.map((file) => [file.new_path, file.deleted_file, file.new_file, file.a_mode, file.b_mode]),
    ).toEqual([
      ['a', true, false, '100644', '0'],
      ['a', false, true, '0', '120000'],
      ['z', false, false, '100644', '100644'],
    ])
    expect(files[1]?.diff).toContain('+target')
    expect(total_files).toBe(3)
  })

  it('shows a moved submodule', async () => {
    const sub = (digit: string) => ({ mode: '160000', content: digit.repeat(40) })
    const { repo, comparison } = await change({ sub: sub('1') }, { sub: sub('2') })
    const { files } = await readDiff(repo, comparison)
    expect(files[0]?.diff).toBe(
      `@@ -1 +1 @@\n-Subproject commit ${'1'.repeat(40)}\n+Subproject commit ${'2'.repeat(40)}\n`,
    )
  })

  it('handles odd names, and content that looks like a diff', async () => {
    const names = [
      'a\ndiff --git a/x b/x\n@@ -1 +1 @@',
      'tab\there',
      '"quoted"',
      'back\\slash',
      'ünï 日本',
      ' lead',
      'trail ',
      'a b',
      '-dash',
      'x\r',
    ]
    const fake = 'diff --git a/q b/q\n@@ -1,9 +1,9 @@\nBinary files a and b differ\n'
    const { repo, comparison } = await change(
      Object.fromEntries(names.map((name, n) => [name, `${n}\n${fake}`])),
      Object.fromEntries(names.map((name, n) => [name, `${n} changed\n${fake}`])),
    )
    const { files } = await readDiff(repo, comparison)
    const found = new Map(files.map((file) => [file.new_path, file]))
    expect([...found.keys()].toSorted()).toEqual(names.toSorted())
    names.forEach((name, n) =>
      expect(found.get(name)).toMatchObject({
        old_path: name,
        binary: false,
        additions: 1,
        deletions: 1,
        diff: expect.stringContaining(`+${n} changed\n`),
      }),
    )
  })

  it('of a first commit is against the empty tree, and that of a merge is against its first parent', async () => {
    const { repo, ids } = await scriptedRepo([
      { files: { a: '1\n' } },
      { branch: 'side', from: 'refs/heads/main', files: { b: '2\n' } },
      { files: { c: '3\n' } },
      { merge: ['refs/heads/side'], files: { b: '2\n' } },
    ])
    const paths = async (id: string) =>
      (await readDiff(repo, againstParent((await findCommit(repo, id))!))).files.map((file) => file.new_path)
    expect(await paths(ids[0]!)).toEqual(['a'])
    expect(await paths(ids[3]!)).toEqual(['b'])
    expect(await readDiff(repo, { from: EMPTY_TREE, to: ids[0]! })).toEqual(
      await readDiff(repo, { from: null, to: ids[0]! }),
    )
  })

  it('is empty for equal trees', async () => {
    const { repo, ids } = await change({ a: '1' }, {})
    expect(await readDiff(repo, { from: ids[0]!, to: ids[1]! })).toEqual({
      files: [],
      total_files: 0,
      overflow: false,
    })
  })

  it('can ignore white space and still lists the files', async () => {
    const { repo, comparison } = await change(
      { a: 'x\n', b: 'y\n', c: 'z\n' },
      { a: '  x\n', b: 'changed\n', c: ' z \n' },
    )
    const { files } = await readDiff(repo, comparison, { ignore_whitespace: true })
    expect(files.map((file) => [file.new_path, file.additions])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 0],
    ])
  })

  it('can be limited to paths, with a given number of context lines', async () => {
    const { repo, comparison } = await change(
      { a: lines(20), b: '1' },
      { a: lines(10) + 'new\n' + lines(20).split('\n').slice(10).join('\n'), b: '2' },
    )
    const { files } = await readDiff(repo, comparison, { paths: ['a'], context: 1 })
    expect(files).toHaveLength(1)
    expect(files[0]?.diff).toMatch(/^@@ -10,2 \+10,3 @@[^\n]*\n line 9\n\+new\n line 10\n$/)
  })

  it('is cached', async () => {
    const { repo, operations, comparison } = await change({ a: '1' }, { a: '2' })
    const first = await readDiff(repo, comparison)
    const before = operations.length
    expect(await readDiff(repo, comparison)).toBe(first)
    expect(operations.length).toBe(before)
  })
})

describe('the limits of a diff', () => {
  it('leave out the text of one large file', async () => {
    const { repo, comparison } = await change({ z: '1' }, { big: lines(100_000), z: '2' })
    const diff = await readDiff(repo, comparison)
    expect(diff).toMatchObject({
      overflow: false,
      files: [
        { new_path: 'big', too_large: true, diff: '', additions: 100_000, deletions: 0 },
        { new_path: 'z', too_large: false, additions: 1 },
      ],
    })
  })

  it('count the lines of a large file in every position of a chunk', async () => {
    const section = Buffer.from(`diff --git a/x b/x\n@@ -1,9 +1,9 @@\n${'+a-\n-b+\n c\n'.repeat(9)}\\ No\n`)
    for (let size = 1; size < section.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(section.length / size) }, (_, at) =>
        section.subarray(at * size, (at + 1) * size),
      )
      const read: DiffSection[] = []
      for await (const section of diffSections(Readable.from(chunks), () => 40)) read.push(section)
      const lines = read[0]!.bytes.toString().split('\n')
      const counted = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
      expect(read[0]!.truncated).toBe(true)
      expect([read[0]!.rest.additions + counted('+'), read[0]!.rest.deletions + counted('-')]).toEqual([9, 9])
    }
  })

  it('leave out whole files above their number', async () => {
    const { repo, comparison } = await change(
      {},
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`f${n}`, 'x\n'])),
    )
    const diff = await readDiff(repo, comparison, { max_files: 4 })
    expect(diff).toMatchObject({ total_files: 9, overflow: true })
    expect(diff.files.map((file) => [file.new_path, file.diff !== ''])).toEqual([
      ['f0', true],
      ['f1', true],
      ['f2', true],
      ['f3', true],
    ])
  })

  it.each([{ max_lines: 25 }, { max_bytes: 300 }])(
    'leave out the text of later files after %j',
    async (limits) => {
      const { repo, comparison } = await change({}, { a: lines(20), b: lines(20), c: lines(20) })
      const diff = await readDiff(repo, comparison, limits)
      expect(diff).toMatchObject({ total_files: 3, overflow: true })
      expect(diff.files.map((file) => [file.collapsed, file.diff === '', file.additions])).toEqual([
        [false, false, 20],
        [true, true, 20],
        [true, true, 20],
      ])
    },
  )

  it('stop git early', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`f${n}`, lines(20_000, `word${n}`)]),
    )
    const { repo, operations, comparison } = await change({}, files)
    await readDiff(repo, comparison, { max_files: 1 })
    expect(operations.at(-1)).toMatchObject({ operation: 'diff.read' })
    expect(operations.at(-1)?.code).not.toBe(0)
  })
})

describe('changed files', () => {
  it('are listed with kind, modes and ids', async () => {
    const { repo, comparison } = await change(
      { a: '1', 'old\nname': lines(9), d: '4' },
      { a: '2', 'old\nname': null, 'new\nname': lines(9), d: null, n: '5' },
    )
    const changes = await listChanges(repo, comparison)
    expect(changes.map((item) => [item.status, item.old_path, item.new_path])).toEqual(
      [
        ['modified', 'a', 'a'],
        ['deleted', 'd', 'd'],
        ['added', 'n', 'n'],
        ['renamed', 'old\nname', 'new\nname'],
      ].toSorted((x, y) => (x[2]! < y[2]! ? -1 : 1)),
    )
    expect(changes[0]).toMatchObject({
      old_mode: '100644',
      new_mode: '100644',
      new_id: shell(repo, ['rev-parse', `${comparison.to}:a`]),
    })
    expect(
      (await listChanges(repo, comparison, { renames: false })).map((item) => item.status).toSorted(),
    ).toEqual(['added', 'added', 'deleted', 'deleted', 'modified'])
  })

  it('are counted by lines', async () => {
    const { repo, comparison } = await change(
      { a: '1\n', r: lines(9), b: Buffer.from([0]) },
      { a: '2\n3\n', r: null, s: `${lines(9)}x\n`, b: Buffer.from([0, 0]) },
    )
    expect(await countChanges(repo, comparison)).toEqual([
      { old_path: 'a', new_path: 'a', additions: 2, deletions: 1 },
      { old_path: 'b', new_path: 'b', additions: null, deletions: null },
      { old_path: 'r', new_path: 's', additions: 1, deletions: 0 },
    ])
  })

  it('are streamed as git prints them', async () => {
    const { repo, comparison } = await change({ a: '1\n' }, { a: '2\n' })
    const stream = await openDiff(repo, comparison)
    expect((await text(stream.stdout)).trim()).toBe(
      shell(repo, ['diff', '--full-index', comparison.from, comparison.to]),
    )
  })
})

describe('the pieces of a diff', () => {
  it('are the same for any size of chunks', async () => {
    const output = Buffer.from(
      ':raw\n\ndiff --git a/a b/a\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/b b/b\n@@ -1 +1 @@\n',
    )
    for (let size = 1; size <= output.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(output.length / size) }, (_, n) =>
        output.subarray(n * size, (n + 1) * size),
      )
      const pieces: DiffSection[] = []
      for await (const piece of diffSections(Readable.from(chunks), () => 1000)) pieces.push(piece)
      expect(pieces.map((piece) => piece.bytes.toString())).toEqual([
        ':raw\n\n',
        'diff --git a/a b/a\n@@ -1 +1 @@\n-x\n+y\n',
        'diff --git a/b b/b\n@@ -1 +1 @@\n',
      ])
    }
  })

  it('have unquoted paths', async () => {
    expect(unquotePath('plain')).toBe('plain')
    expect(unquotePath('"a\\tb\\"c\\\\d\\303\\244\\001"')).toBe('a\tb"c\\d\u00c3\u00a4\u0001')
    const name = fc
      .string({ unit: 'binary-ascii', minLength: 1, maxLength: 8 })
      .filter((text) => !/[/\0]|^\.+$/.test(text) && text.toLowerCase() !== '.git')
    const names = [...new Set(fc.sample(name, { numRuns: 60, seed: 7 }))]
    const { repo, ids } = await scriptedRepo([{ files: { keep: '' } }])
    const blob = shell(repo, ['hash-object', '-w', '--stdin'], 'x\n')
    const tree = shell(repo, ['mktree', '-z'], names.map((text) => `100644 blob ${blob}\t${text}\0`).join(''))
    const { files } = await readDiff(repo, { from: ids[0]!, to: tree }, { max_files: 1000 })
    expect(
      files
        .filter((file) => file.new_file)
        .map((file) => file.new_path)
        .toSorted(),
    ).toEqual(names.toSorted())
    expect(files.every((file) => file.deleted_file || file.additions === 1)).toBe(true)
  })
})
