import { text, buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { blobSize, openBlob, readBlob, readFile } from '../../server/git/read/blob.ts'
import { GitInputError } from '../../server/git/errors.ts'
import { findEntry, listTree } from '../../server/git/read/tree.ts'
import { emptyRepo, gitEngine, scriptedRepo, shell } from '../support/git.ts'

const SUBMODULE = '1'.repeat(40)

async function forest() {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo(
    [
      {
        files: {
          'README.md': '# Hi\n',
          'a.txt': 'a',
          'a/deep/er': 'deep',
          'lib/run.sh': { mode: '100755', content: '#!/bin/sh\n' },
          link: { mode: '120000', content: 'a.txt' },
          'vendor/sub': { mode: '160000', content: SUBMODULE },
          'ünï/line\nbreak': 'odd',
          '-dash': 'dash',
        },
      },
    ],
    engine,
  )
  return { repo, commit: ids[0]!, operations }
}

describe('a folder', () => {
  it('lists its entries as git sorts them, with kinds and modes', async () => {
    const { repo, commit } = await forest()
    const listing = await listTree(repo, commit)
    expect(listing?.entries.map((entry) => [entry.path, entry.type, entry.mode])).toEqual([
      ['-dash', 'blob', '100644'],
      ['README.md', 'blob', '100644'],
      ['a.txt', 'blob', '100644'],
      ['a', 'tree', '040000'],
      ['lib', 'tree', '040000'],
      ['link', 'blob', '120000'],
      ['vendor', 'tree', '040000'],
      ['ünï', 'tree', '040000'],
    ])
    expect(listing?.total).toBe(8)
  })

  it('lists folders first on request, page by page', async () => {
    const { repo, commit } = await forest()
    const page = await listTree(repo, commit, { order: 'trees_first', skip: 3, limit: 2 })
    expect(page).toMatchObject({ total: 8, entries: [{ path: 'ünï' }, { path: '-dash' }] })
  })

  it('lists everything below it', async () => {
    const { repo, commit } = await forest()
    const all = await listTree(repo, commit, { recursive: true })
    const expected = shell(repo, ['ls-tree', '-r', '-t', '-z', '--name-only', commit])
      .split('\0')
      .filter(Boolean)
    expect(all?.entries.map((entry) => entry.path)).toEqual(expected)
    expect(all?.entries.find((entry) => entry.path === 'vendor/sub')).toEqual({
      id: SUBMODULE,
      name: 'sub',
      path: 'vendor/sub',
      type: 'commit',
      mode: '160000',
    })
    const below = await listTree(repo, commit, { path: '/a/', recursive: true })
    expect(below?.entries.map((entry) => [entry.name, entry.path])).toEqual([
      ['deep', 'a/deep'],
      ['er', 'a/deep/er'],
    ])
    const sorted = await listTree(repo, commit, { recursive: true, order: 'trees_first' })
    const kinds = sorted!.entries.map((entry) => entry.type === 'tree')
    expect(kinds).toEqual(kinds.toSorted((a, b) => Number(b) - Number(a)))
    expect(sorted?.total).toBe(all?.total)
    expect((await listTree(repo, commit, { recursive: true, skip: 2, limit: 3 }))?.entries).toEqual(
      all?.entries.slice(2, 5),
    )
  })

  it('is null if it does not exist or is a file', async () => {
    const { repo, commit } = await forest()
    for (const path of ['nothing', 'a.txt', 'a.txt/x', 'vendor/sub', 'link'])
      expect(await listTree(repo, commit, { path })).toBeNull()
    expect(await listTree(repo, 'f'.repeat(40))).toBeNull()
    await expect(listTree(repo, commit, { path: '../x' })).rejects.toThrow(GitInputError)
    await expect(listTree(repo, commit, { path: 'a\0' })).rejects.toThrow(GitInputError)
  })

  it('may be empty', async () => {
    const repo = await emptyRepo()
    const commit = shell(repo, ['commit-tree', '-m', 'x', shell(repo, ['mktree'], '')])
    expect(await listTree(repo, commit)).toEqual({ entries: [], total: 0 })
    expect(await listTree(repo, commit, { recursive: true })).toEqual({ entries: [], total: 0 })
  })

  it('may be huge, with every page correct', async () => {
    const lines = Array.from(
      { length: 25_000 },
      (_, n) => `100644 blob e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\tf${String(n).padStart(6, '0')}\n`,
    )
    const repo = await emptyRepo()
    shell(repo, ['hash-object', '-w', '--stdin'], '')
    const commit = shell(repo, ['commit-tree', '-m', 'x', shell(repo, ['mktree'], lines.join(''))])
    for (const recursive of [false, true]) {
      for (const skip of [0, 24_990]) {
        const page = await listTree(repo, commit, { recursive, skip, limit: 20, order: 'trees_first' })
        expect(page?.total).toBe(25_000)
        expect(page?.entries[0]?.name).toBe(`f${String(skip).padStart(6, '0')}`)
        expect(page?.entries).toHaveLength(Math.min(20, 25_000 - skip))
      }
    }
  })
})

describe('an entry', () => {
  it('is found by its path', async () => {
    const { repo, commit } = await forest()
    expect(await findEntry(repo, commit, 'lib/run.sh')).toMatchObject({
      type: 'blob',
      mode: '100755',
      name: 'run.sh',
    })
    expect(await findEntry(repo, commit, 'ünï/line\nbreak')).toMatchObject({ name: 'line\nbreak' })
    expect(await findEntry(repo, commit, '-dash')).toMatchObject({ type: 'blob' })
    expect(await findEntry(repo, commit, 'a')).toMatchObject({ type: 'tree' })
    expect(await findEntry(repo, commit, 'vendor/sub')).toMatchObject({ type: 'commit', id: SUBMODULE })
    expect(await findEntry(repo, commit, '')).toMatchObject({ type: 'tree', path: '' })
    expect(await findEntry(repo, commit, 'A.TXT')).toBeNull()
    expect(await findEntry(repo, commit, 'vendor/sub/x')).toBeNull()
  })

  it('needs no process the second time', async () => {
    const { repo, commit, operations } = await forest()
    await findEntry(repo, commit, 'a/deep/er')
    const before = operations.length
    await repo.git.catFiles.closeRepo(repo)
    expect(await findEntry(repo, commit, 'a/deep/er')).not.toBeNull()
    expect(repo.git.catFiles.processIds(repo)).toEqual([])
    expect(operations.length).toBe(before)
  })

  it('with a name that is not UTF-8 does not hide the others', async () => {
    const repo = await emptyRepo()
    const blob = shell(repo, ['hash-object', '-w', '--stdin'], 'x')
    const tree = shell(
      repo,
      ['mktree', '-z'],
      Buffer.from(`100644 blob ${blob}\t\xff\xfe\x00100644 blob ${blob}\tplain\x00`, 'latin1'),
    )
    const commit = shell(repo, ['commit-tree', '-m', 'x', tree])
    expect((await listTree(repo, commit))?.entries.map((entry) => entry.name)).toEqual([
      'plain',
      '\ufffd\ufffd',
    ])
    expect(await findEntry(repo, commit, 'plain')).toMatchObject({ id: blob })
  })
})

describe('a blob', () => {
  it('is read by id and by path', async () => {
    const { repo, commit } = await forest()
    const file = await readFile(repo, commit, 'ünï/line\nbreak')
    expect(file?.content.toString()).toBe('odd')
    expect((await readBlob(repo, file!.id))?.content.toString()).toBe('odd')
    expect(await blobSize(repo, file!.id)).toBe(3)
    expect((await readFile(repo, commit, 'link'))?.content.toString()).toBe('a.txt')
  })

  it('is null for ids that are no blob', async () => {
    const { repo, commit } = await forest()
    for (const id of [commit, 'f'.repeat(40), 'main:a.txt', '-x', '']) {
      expect(await readBlob(repo, id)).toBeNull()
      expect(await openBlob(repo, id)).toBeNull()
    }
    for (const path of ['a', 'vendor/sub', 'nothing', 'a.txt/b'])
      expect(await readFile(repo, commit, path)).toBeNull()
  })

  it('is streamed at any size; large ones do not block small requests', async () => {
    const big = Buffer.alloc(3_000_000, 'abcdefghij')
    const { engine, operations } = gitEngine()
    const { repo, ids } = await scriptedRepo([{ files: { big, empty: '', small: 'small' } }], engine)
    const entries = await Promise.all(['big', 'empty', 'small'].map((path) => findEntry(repo, ids[0]!, path)))
    const [large, empty, small] = await Promise.all(entries.map((entry) => openBlob(repo, entry!.id)))
    expect(await text(small!.stream)).toBe('small')
    expect(await text(empty!.stream)).toBe('')
    expect(large?.size).toBe(big.length)
    expect((await buffer(large!.stream)).equals(big)).toBe(true)
    expect((await readBlob(repo, large!.id))?.content.equals(big)).toBe(true)
    expect(operations.map((operation) => operation.operation)).toEqual(
      expect.arrayContaining(['blobs.stream', 'blobs.read']),
    )
  })

  it("is refused if it is larger than the caller's limit", async () => {
    const { repo, commit } = await forest()
    await expect(readFile(repo, commit, 'README.md', { maxBytes: 3 })).rejects.toMatchObject({
      reason: 'output_limit',
    })
  })

  it('ends its process if the stream is destroyed', async () => {
    const { engine, operations } = gitEngine()
    const { repo, ids } = await scriptedRepo([{ files: { big: Buffer.alloc(6_000_000, 'x') } }], engine)
    const blob = await openBlob(repo, (await findEntry(repo, ids[0]!, 'big'))!.id)
    for await (const chunk of blob!.stream) {
      expect(chunk).toBeInstanceOf(Buffer)
      break
    }
    await expect.poll(() => operations.map((operation) => operation.operation)).toContain('blobs.stream')
  })
})
