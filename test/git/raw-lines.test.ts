import { expect, it } from 'vitest'

import { readDiff } from '../../server/git/read/diff.ts'
import { diffSections } from '../../server/git/read/diff-sections.ts'
import { git, sha } from '../../server/git/args.ts'
import { listChanges } from '../../server/git/write/changes.ts'
import { RawLines } from '../../server/git/read/raw-lines.ts'
import { open } from '../../server/git/process/run.ts'
import { scriptedRepo, shell } from '../support/git.ts'

const ID = 'a'.repeat(40)
const lineOf = (name: string, letter = 'M') => `:100644 100644 ${ID} ${ID} ${letter}\t${name}\n`

it('the reader returns the same lines for any size of chunks', () => {
  const text = `${lineOf('a b')}${lineOf('"\\303\\244"', 'A')}\n${lineOf('old\tnew', 'R100')}${lineOf('link', 'T')}`
  const bytes = Buffer.from(text)
  const whole = new RawLines(10)
  whole.add(bytes)
  expect(whole.files.map(({ change }) => [change.status, change.old_path, change.new_path])).toEqual([
    ['modified', 'a b', 'a b'],
    ['added', 'ä', 'ä'],
    ['renamed', 'old', 'new'],
    ['deleted', 'link', 'link'],
    ['added', 'link', 'link'],
  ])
  for (let size = 1; size < bytes.length; size++) {
    const pieces = new RawLines(10)
    for (let at = 0; at < bytes.length; at += size) pieces.add(bytes.subarray(at, at + size))
    expect([pieces.files, pieces.total]).toEqual([whole.files, 5])
  }
})

it('the reader keeps a limited number of files, and only counts the others', () => {
  const raw = new RawLines(3)
  const piece = Buffer.from(Array.from({ length: 1000 }, (_, n) => lineOf(`file-${n}`)).join(''))
  for (let n = 0; n < 300; n++) raw.add(piece)
  expect([raw.files.length, raw.total]).toEqual([3, 300_000])
})

it('the reader does not keep a line without an end', () => {
  const raw = new RawLines(3)
  raw.add(Buffer.from(lineOf('first')))
  raw.add(Buffer.from(`:100644 100644 ${ID} ${ID} M\t`))
  for (let n = 0; n < 100; n++) raw.add(Buffer.alloc(1024 * 1024, 'x'))
  raw.add(Buffer.from(`\n${lineOf('last')}`))
  expect([raw.total, raw.files.map(({ change }) => change.new_path)]).toEqual([3, ['first', 'last']])
})

it('the reader accepts the raw lines of many files piece by piece', async () => {
  const { repo } = await scriptedRepo([{ files: { keep: '' } }])
  const treeOf = (text: string) => {
    const blob = shell(repo, ['hash-object', '-w', '--stdin'], text)
    const names = Array.from({ length: 20_000 }, (_, n) => `100644 blob ${blob}\tfile-${n}\n`)
    return shell(repo, ['mktree'], names.join(''))
  }
  const [from, to] = [treeOf('one\n'), treeOf('two\n')]
  const stream = await open(
    repo,
    'test',
    git`diff-tree --raw --patch -r --full-index ${sha(from)} ${sha(to)}`,
  )
  const sizes: number[] = []
  for await (const section of diffSections(
    stream.stdout,
    () => 100,
    (bytes) => sizes.push(bytes.length),
  )) {
    expect(section.bytes.length).toBe(0)
    break
  }
  await stream.done
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(20_000 * 97)
  // No chunk is larger than the read size.
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024)
  const diff = await readDiff(repo, { from, to }, { max_files: 20 })
  expect([diff.files.length, diff.total_files, diff.overflow]).toEqual([20, 20_000, true])
  expect(await listChanges(repo, { from, to })).toHaveLength(20_000)
})
