import { describe, expect, it } from 'vitest'

import { listCommits } from '../../server/git/read/log.ts'
import { mergeCommits } from '../../server/git/write/merge.ts'
import { rebaseCommits } from '../../server/git/write/rebase.ts'
import { gitEngine, scriptedRepo, shell } from '../support/git.ts'

const { engine, operations } = gitEngine()
const text = (first: string, last: string) => `${first}\ntwo\nthree\nfour\n${last}\n`
const { repo, ids } = await scriptedRepo(
  [
    { files: { 'a.txt': text('one', 'five'), 'dir/old.txt': 'a\nb\nc\nd\n' } },
    { files: { 'a.txt': text('ONE', 'five') } },
    { branch: 'side', from: ':1', message: 'Last line\n\nBody\n', files: { 'a.txt': text('one', 'FIVE') } },
    { branch: 'side', message: 'Empty from the start\n' },
    { branch: 'side', message: 'Upstream has it\n', files: { 'a.txt': text('ONE', 'FIVE') } },
    {
      branch: 'side',
      message: 'Move\n',
      author: 'Mo Ver',
      email: 'mo@example.com',
      files: {
        'dir/old.txt': null,
        'dir/new.txt': 'a\nb\nc\nd\n',
        'run.sh': { mode: '100755', content: 'x' },
      },
    },
    { branch: 'clash', from: ':1', files: { 'a.txt': text('eins', 'five') } },
  ],
  engine,
)
const [, main, , , , side, clash] = ids as [string, string, string, string, string, string, string]
const committer = { name: 'Carl', email: 'carl@example.com', date: new Date('2024-05-05T05:05:05Z') }

const between = async (from: string, to: string) =>
  (await listCommits(repo, { range: { tips: [to], not: [from] }, order: 'topo', limit: 100 })).toReversed()

describe('rebaseCommits', () => {
  it('repeats the commits on top of another one, without existing ones', async () => {
    const result = await rebaseCommits(repo, await between(main, side), { onto: main, committer })
    if (!('tip' in result)) throw new Error('It does not fit.')
    const log = shell(repo, ['log', '--format=%s|%an <%ae>|%cn|%b', `${main}..${result.tip}`]).split('\n')
    expect(log.filter((line) => line !== '')).toEqual([
      'Move|Mo Ver <mo@example.com>|Carl|',
      'Empty from the start|Ada Author <ada@example.com>|Carl|',
      'Last line|Ada Author <ada@example.com>|Carl|Body',
    ])
    expect(shell(repo, ['ls-tree', '-r', '--name-only', result.tip]).split('\n')).toEqual([
      'a.txt',
      'dir/new.txt',
      'run.sh',
    ])
    expect(shell(repo, ['cat-file', 'blob', `${result.tip}:a.txt`])).toBe(text('ONE', 'FIVE').trim())
    // Commits that are already on the target keep their IDs.
    const again = await rebaseCommits(repo, await between(main, result.tip), { onto: main, committer })
    expect(again).toEqual(result)
  })

  it('reports the commit and the files with conflicts', async () => {
    const result = await rebaseCommits(repo, await between(main, clash), { onto: main, committer })
    expect(result).toEqual({ commit: clash, conflicts: ['a.txt'] })
  })

  it('returns the target unchanged if there are no commits', async () => {
    expect(await rebaseCommits(repo, [], { onto: main, committer })).toEqual({ tip: main })
  })
})

describe('mergeCommits', () => {
  it('caches the result of a merge', async () => {
    const first = await mergeCommits(repo, main, side)
    const before = operations.length
    expect(await mergeCommits(repo, main, side)).toEqual(first)
    expect(operations.length).toBe(before)
  })
})
