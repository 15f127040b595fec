import { describe, expect, it } from 'vitest'

import { readBlame } from '../../server/git/read/blame.ts'
import { gitEngine, scriptedRepo } from '../support/git.ts'

const { engine, operations } = gitEngine()
const { repo, ids } = await scriptedRepo(
  [
    { files: { 'a.txt': 'one\ntwo\nthree\n', empty: '', 'b.txt': '\tindented\nno end' } },
    { files: { 'a.txt': 'one\nTWO\nnew\nthree\n' } },
    {
      files: {
        'a.txt': null,
        'dir/ü.txt': 'one\nTWO\nnew\nthree\n',
        'latin.txt': Buffer.from([0xe4, 0x0a]),
      },
    },
    { files: { 'dir/ü.txt': `one\nTWO\nnew\n${'a'.repeat(40)} 1 1 1\n` } },
  ],
  engine,
)
const [first, second, , last] = ids as [string, string, string, string]

describe('readBlame', () => {
  it('returns the commit of each line, and groups consecutive lines', async () => {
    expect(await readBlame(repo, second, 'a.txt')).toEqual([
      { commit: first, start_line: 1, lines: ['one'] },
      { commit: second, start_line: 2, lines: ['TWO', 'new'] },
      { commit: first, start_line: 4, lines: ['three'] },
    ])
    expect(await readBlame(repo, first, 'b.txt')).toEqual([
      { commit: first, start_line: 1, lines: ['\tindented', 'no end'] },
    ])
    expect(await readBlame(repo, first, 'empty')).toEqual([])
  })

  it('follows a renamed file with any content', async () => {
    expect(await readBlame(repo, last, 'dir/ü.txt')).toEqual([
      { commit: first, start_line: 1, lines: ['one'] },
      { commit: second, start_line: 2, lines: ['TWO', 'new'] },
      { commit: last, start_line: 4, lines: [`${'a'.repeat(40)} 1 1 1`] },
    ])
    expect((await readBlame(repo, last, 'latin.txt'))[0]?.lines).toEqual(['\ufffd'])
  })

  it('returns a range of lines, if the lines exist', async () => {
    const range = async (start: number, end: number) =>
      (await readBlame(repo, second, 'a.txt', { range: { start, end } })).map((part) => part.lines)
    expect(await range(2, 2)).toEqual([['TWO']])
    expect(await range(3, 100)).toEqual([['new'], ['three']])
    expect(await range(50, 60)).toEqual([])
  })

  it('is cached, and fails for a missing file', async () => {
    await readBlame(repo, second, 'a.txt')
    operations.length = 0
    await readBlame(repo, second, 'a.txt')
    expect(operations).toEqual([])
    await expect(readBlame(repo, second, 'nope')).rejects.toMatchObject({ name: 'GitError', code: 128 })
  })
})
