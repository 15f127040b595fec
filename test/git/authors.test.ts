import { describe, expect, it } from 'vitest'

import { listAuthors } from '../../server/git/read/authors.ts'
import { gitEngine, scriptedRepo } from '../support/git.ts'

const { engine, operations } = gitEngine()
const { repo, ids } = await scriptedRepo(
  [
    { files: { a: '1' } },
    { author: 'ada', email: 'ADA@example.com', files: { a: '2' } },
    { author: 'Bea Builder', email: 'bea@old.test', files: { a: '3' } },
    { branch: 'side', from: ':1', author: 'Cleo', email: '', files: { c: '1' } },
    { merge: [':4'], author: 'Merger', email: 'm@example.com', files: {} },
    { files: { '.mailmap': 'Bea Builder <bea@new.test> <bea@old.test>\n' } },
  ],
  engine,
)

describe('listAuthors', () => {
  it('counts commits by address, without merges', async () => {
    expect(await listAuthors(repo, ids[4]!)).toEqual([
      { name: 'Ada Author', email: 'ada@example.com', commits: 2 },
      { name: 'Bea Builder', email: 'bea@old.test', commits: 1 },
      { name: 'Cleo', email: '', commits: 1 },
    ])
  })

  it('maps addresses by the mailmap of that commit', async () => {
    const authors = await listAuthors(repo, ids[5]!)
    expect(authors.map((author) => author.email)).toEqual(['ada@example.com', 'bea@new.test', ''])
  })

  it('is cached', async () => {
    operations.length = 0
    await listAuthors(repo, ids[5]!)
    expect(operations).toEqual([])
  })
})
