import { describe, expect, it } from 'vitest'

import { grep } from '../../server/git/read/grep.ts'
import { gitEngine, scriptedRepo } from '../support/git.ts'

const { engine, operations } = gitEngine()
const { repo, ids } = await scriptedRepo(
  [
    {
      files: {
        'a.txt': 'one\ntwo\nThe Needle\nfour\nfive\nsix\nseven\neight\nneedle\n',
        'dir/ü b\nc.txt': 'needle\n--\nneedle without end',
        'bin.dat': Buffer.from('needle\0needle\n'),
        'other.txt': 'a.c\nabc\n-x --y\n',
        'long.txt': `${'x'.repeat(3000)}pin\n`,
      },
    },
  ],
  engine,
)
const head = ids[0]!

describe('grep', () => {
  it('finds a text in any case, with the lines around, match by match', async () => {
    expect(await grep(repo, head, 'NEEDLE', { context: 1 })).toEqual([
      { path: 'a.txt', start_line: 2, match_line: 3, lines: ['two', 'The Needle', 'four'] },
      { path: 'a.txt', start_line: 8, match_line: 9, lines: ['eight', 'needle'] },
      {
        path: 'dir/ü b\nc.txt',
        start_line: 1,
        match_line: 1,
        lines: ['needle', '--', 'needle without end'],
      },
    ])
  })

  it('treats the text literally, also if it looks like an option or a pattern', async () => {
    const texts = async (text: string) =>
      (await grep(repo, head, text, { context: 0 })).map((hit) => hit.lines)
    expect(await texts('a.c')).toEqual([['a.c']])
    expect(await texts('--y')).toEqual([['-x --y']])
    expect(await texts('nothing of the kind')).toEqual([])
    expect(await texts('')).toEqual([])
    expect(await texts('one\ntwo')).toEqual([])
  })

  it('respects folders and the limit, and cuts long lines', async () => {
    const hits = await grep(repo, head, 'needle', { paths: ['dir'] })
    expect(hits.map((hit) => hit.path)).toEqual(['dir/ü b\nc.txt'])
    expect(await grep(repo, head, 'needle', { limit: 1, context: 0 })).toHaveLength(1)
    expect((await grep(repo, head, 'pin'))[0]?.lines[0]).toHaveLength(1000)
  })

  it('uses one process', async () => {
    operations.length = 0
    await grep(repo, head, 'needle')
    expect(operations.map((operation) => operation.operation)).toEqual(['grep'])
  })
})
