import { describe, expect, it } from 'vitest'

import { withObjectsOf } from '../../server/git/upkeep/alternates.ts'
import { copyCommits } from '../../server/git/write/copy-commits.ts'
import { mergeCommits, mergeThreeWay } from '../../server/git/write/merge.ts'
import { mergeText } from '../../server/git/write/merge-text.ts'
import { sweepRepository } from '../../server/git/upkeep/stale-locks.ts'
import { readFile } from '../../server/git/read/blob.ts'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { addCommits, emptyRepo, gitEngine, scriptedRepo, shell } from '../support/git.ts'

const { engine } = gitEngine()
const { repo, ids } = await scriptedRepo(
  [
    { files: { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'old.txt': 'x\ny\nz\n' } },
    { files: { 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n' } },
    { branch: 'side', from: ':1', files: { 'a.txt': 'one\ntwo\nthree\nfour\nFIVE\n', 'n/ew.txt': 'new\n' } },
    { branch: 'clash', from: ':1', files: { 'a.txt': 'eins\ntwo\nthree\nfour\nfive\n' } },
    { branch: 'other', files: { 'b.txt': 'unrelated\n' } },
  ],
  engine,
)
const [root, main, side, clash, other] = ids as [string, string, string, string, string]

const show = (tree: string, file: string) => shell(repo, ['cat-file', 'blob', `${tree}:${file}`])
const files = (tree: string) => shell(repo, ['ls-tree', '-r', '--name-only', tree]).split('\n')

describe('mergeCommits', () => {
  it('merges from the common ancestor', async () => {
    const { tree, clean, conflicts } = await mergeCommits(repo, main, side)
    expect([clean, conflicts]).toEqual([true, []])
    expect(show(tree, 'a.txt')).toBe('ONE\ntwo\nthree\nfour\nFIVE')
    expect(files(tree)).toEqual(['a.txt', 'n/ew.txt', 'old.txt'])
  })

  it('does not merge unrelated histories', async () => {
    const result = await mergeCommits(repo, main, other)
    expect(result).toMatchObject({ clean: false, conflicts: [] })
    await expect(mergeCommits(repo, main, 'f'.repeat(40))).rejects.toThrow(/for merge/)
  })

  it('lists the files with conflicts', async () => {
    expect(await mergeCommits(repo, main, clash)).toMatchObject({ clean: false, conflicts: ['a.txt'] })
  })
})

describe('mergeThreeWay', () => {
  it('is not disturbed by the removal of leftovers', async () => {
    let isOver = false
    const sweep = async () => {
      while (!isOver) await sweepRepository(repo)
    }
    const sweeping = sweep()
    try {
      for (let n = 0; n < 20; n++) {
        const { clean } = await mergeThreeWay(repo, { base: root, ours: main, theirs: side })
        expect(clean).toBe(true)
        const sections = await mergeText(repo, { base: 'a\n', ours: `b${n}\n`, theirs: 'c\n' })
        expect(sections).toMatchObject([{ conflict: true, theirs: 'c\n' }])
      }
    } finally {
      isOver = true
      await sweeping
    }
  })

  it('applies the changes of one commit only', async () => {
    const picked = await mergeThreeWay(repo, { base: root, ours: main, theirs: side })
    expect(picked.conflicts).toEqual([])
    expect(show(picked.tree, 'a.txt')).toBe('ONE\ntwo\nthree\nfour\nFIVE')
    const reverted = await mergeThreeWay(repo, { base: main, ours: main, theirs: root })
    expect(show(reverted.tree, 'a.txt')).toBe('one\ntwo\nthree\nfour\nfive')
    expect((await mergeThreeWay(repo, { base: root, ours: main, theirs: clash })).conflicts).toEqual([
      'a.txt',
    ])
  })

  it('accepts commits without a parent', async () => {
    const picked = await mergeThreeWay(repo, { base: null, ours: main, theirs: other })
    expect(files(picked.tree)).toEqual(['a.txt', 'b.txt', 'old.txt'])
    const reverted = await mergeThreeWay(repo, { base: other, ours: other, theirs: null })
    expect(files(reverted.tree)).toEqual([''])
    await expect(
      mergeThreeWay(repo, { base: null, ours: 'a'.repeat(40), theirs: main }),
    ).rejects.toMatchObject({ name: 'GitInputError' })
  })

  it('writes only the tree', async () => {
    await mergeThreeWay(repo, { base: root, ours: main, theirs: side })
    expect(readdirSync(engine.tmp).filter((name) => name.startsWith('merge-'))).toEqual([])
    const commits = shell(repo, ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)'])
    expect(commits.split('\n').filter((type) => type === 'commit')).toHaveLength(5)
  })
})

describe('withObjectsOf', () => {
  it("lets one repository read another's objects, until it is opened without it", async () => {
    const fork = await emptyRepo(engine)
    const [alien] = addCommits(fork, [{ files: { 'f.txt': 'fork\n' } }])
    const both = withObjectsOf(repo, fork)
    expect((await readFile(both, alien!, 'f.txt'))?.content.toString()).toBe('fork\n')
    expect((await readFile(both, main, 'old.txt'))?.content.toString()).toBe('x\ny\nz\n')
    expect(await readFile(repo, alien!, 'f.txt')).toBe(null)
    expect(withObjectsOf(repo, repo)).toBe(repo)
    const pids = engine.catFiles.processIds(both)
    expect(pids).toHaveLength(1)
    await engine.catFiles.closeRepo(fork)
    expect(engine.catFiles.processIds(both)).toEqual([])
    expect(engine.catFiles.processIds(repo)).toHaveLength(1)
  })
})

describe('copyCommits', () => {
  it('copies commits with their history, and only missing ones', async () => {
    const fork = await emptyRepo(engine)
    shell(fork, ['fetch', '-q', repo.gitDir, 'refs/heads/main:refs/heads/main'])
    const [added] = addCommits(fork, [{ files: { 'f.txt': 'fork\n' } }])
    await copyCommits(fork, repo, [added!, main])
    expect((await readFile(repo, added!, 'f.txt'))?.content.toString()).toBe('fork\n')
    shell(repo, ['fsck', '--connectivity-only', added!])
    const packs = () => readdirSync(path.join(repo.gitDir, 'objects/pack')).length
    const before = packs()
    await copyCommits(fork, repo, [added!])
    expect(packs()).toBe(before)
    await expect(copyCommits(fork, repo, ['b'.repeat(40)])).rejects.toMatchObject({ name: 'GitError' })
  })
})
