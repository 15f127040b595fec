import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { BundleProblem, createBundle, fetchBundle, verifyBundle } from '../../server/git/transport/bundle.ts'
import { diffMany } from '../../server/git/read/diff-many.ts'
import { readDiff } from '../../server/git/read/diff.ts'
import { listRefs } from '../../server/git/write/refs.ts'
import { createBareRepository } from '../../server/git/upkeep/repository.ts'
import { repoAt } from '../../server/git/process/engine.ts'
import type { Repo } from '../../server/git/types.ts'
import { gitEngine, scriptedRepo, shell } from '../support/git.ts'

const { engine } = gitEngine()
let folder = ''
let count = 0
const fileName = (): string => join(folder, `${(count += 1)}.bundle`)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundle-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function emptyRepo(): Promise<Repo> {
  const repo = repoAt(engine, join(folder, `${(count += 1)}.git`))
  await createBareRepository(repo, { defaultBranch: 'main' })
  return repo
}

async function refused(write: (file: string) => void): Promise<string> {
  const file = fileName()
  write(file)
  const repo = await emptyRepo()
  const error: unknown = await fetchBundle(repo, file).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(BundleProblem)
  expect(await listRefs(repo, 'refs/')).toEqual([])
  return (error as Error).message
}

describe('bundles', () => {
  it('transfer everything reachable from refs, except internal refs', async () => {
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }, { files: { a: '2' } }], engine)
    shell(repo, ['update-ref', 'refs/merge-requests/1/head', ids[0]!])
    shell(repo, ['update-ref', 'refs/keep-around/x', ids[0]!])
    shell(repo, ['update-ref', 'refs/internal/upstream/heads/x', ids[0]!])
    shell(repo, ['update-ref', 'refs/other/x', ids[0]!])
    shell(repo, ['tag', '-a', '-m', 'one', 'v1', ids[0]!])
    const file = fileName()
    expect(await createBundle(repo, file)).toBe(true)
    const into = await emptyRepo()
    const { refs, head } = await fetchBundle(into, file)
    expect(head).toBe('main')
    const expected = (await listRefs(repo, 'refs/')).filter(({ ref }) => !/internal|other/.test(ref))
    expect(await listRefs(into, 'refs/')).toEqual(expected)
    expect(refs).toBe(expected.length)
    expect(await verifyBundle(file)).toEqual({ refs: expected.length + 2 })
    // A second import changes nothing.
    expect(await fetchBundle(into, file)).toEqual({ refs, head })
    shell(into, ['fsck', '--strict'])
  })

  it('are not written for an empty repository', async () => {
    const repo = await emptyRepo()
    expect(await createBundle(repo, fileName())).toBe(false)
  })

  it('are refused if they are cut off, damaged, or something else', async () => {
    const { repo, ids } = await scriptedRepo(
      [{ files: { a: 'x'.repeat(5000) } }, { files: { a: '2' } }],
      engine,
    )
    const whole = fileName()
    await createBundle(repo, whole)
    const bytes = readFileSync(whole)
    const packAt = bytes.indexOf('PACK')
    expect(await refused((file) => writeFileSync(file, bytes.subarray(0, bytes.length - 50)))).toMatch(
      /^The bundle is (cut off|damaged)\.$/,
    )
    expect(await refused((file) => writeFileSync(file, bytes.subarray(0, 40)))).toBe('The bundle is cut off.')
    expect(await refused((file) => writeFileSync(file, 'nothing\n'))).toBe('The file is not a bundle.')
    expect(await refused((file) => writeFileSync(file, ''))).toBe('The file is not a bundle.')
    expect(await refused((file) => writeFileSync(file, Buffer.alloc(100_000, 'x')))).toBe(
      'The file is not a bundle.',
    )
    const with_ = (head: string) => (file: string) => {
      writeFileSync(file, head)
      appendFileSync(file, bytes.subarray(packAt))
    }
    expect(await refused(with_(`# v2 git bundle\n-${ids[0]}\n${ids[1]} refs/heads/main\n\n`))).toBe(
      'The bundle needs commits that it does not have.',
    )
    expect(await refused(with_(`# v3 git bundle\n@filter=blob:none\n\n`))).toBe(
      'The bundle is of a kind that is not supported.',
    )
    expect(await refused(with_('# v2 git bundle\nnothing refs/heads/main\n\n'))).toBe(
      'The bundle is damaged.',
    )
    const missing = '1'.repeat(40)
    expect(await refused(with_(`# v2 git bundle\n${missing} refs/heads/main\n\n`))).toBe(
      'The bundle has refs that cannot be imported.',
    )
    expect(
      await refused(with_(`# v2 git bundle\n${ids[0]} refs/heads/a\n${ids[0]} refs/heads/a/b\n\n`)),
    ).toBe('The bundle has refs that cannot be imported.')
  })

  it('are refused when they contain harmful objects', async () => {
    const { repo } = await scriptedRepo([{ files: { a: '1' } }], engine)
    const blob = shell(repo, ['rev-parse', 'main:a'])
    const tree = shell(repo, ['mktree', '--missing'], `100644 blob ${blob}\t.git\n`)
    const commit = shell(repo, ['commit-tree', '-m', 'x', tree])
    shell(repo, ['update-ref', 'refs/heads/main', commit])
    const file = fileName()
    await createBundle(repo, file)
    expect(await refused((other) => writeFileSync(other, readFileSync(file)))).toBe(
      'The bundle has an object that is not accepted (hasDotgit).',
    )
  })
})

describe('many differences', () => {
  it('equal single diffs, even with missing objects', async () => {
    const { repo, ids } = await scriptedRepo(
      [
        { files: { a: '1\n', b: 'x\n' } },
        { files: { a: '2\n', c: '%%end of pair 1\n%%end of pair 2\n' } },
        { files: { b: null } },
        { files: {} },
      ],
      engine,
    )
    const missing = '2'.repeat(40)
    const [a, b, c] = ids as [string, string, string]
    const pairs = [
      [a, b],
      [a, c],
      [missing, b],
      [a, a],
      [a, missing],
      ['nothing', b],
      [b, a],
    ] as const
    const found = []
    for await (const diff of diffMany(repo, pairs)) found.push(diff)
    const plain = (from: string, to: string) => readDiff(repo, { from, to })
    expect(found).toEqual([
      await plain(a, b),
      await plain(a, c),
      null,
      await plain(a, a),
      null,
      null,
      await plain(b, a),
    ])
  })

  it('respect the limits independently of each other', async () => {
    const { repo, ids } = await scriptedRepo(
      [{ files: { a: '1' } }, { files: { big: 'line\n'.repeat(50_000), small: 'x\n' } }],
      engine,
    )
    const pair = [ids[0]!, ids[1]!] as const
    const found = []
    for await (const diff of diffMany(repo, [pair, pair], { max_file_bytes: 1000 })) found.push(diff)
    for (const diff of found)
      expect(diff!.files).toMatchObject([
        { new_path: 'big', too_large: true, diff: '' },
        { new_path: 'small', diff: '@@ -0,0 +1 @@\n+x\n' },
      ])
    expect(found).toHaveLength(2)
  })
})
