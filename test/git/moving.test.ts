import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { reasonOf } from '../../server/domains/admin/storage_moves/request.ts'
import { git } from '../../server/git/args.ts'
import {
  checkConnected,
  copyFolder,
  folderSize,
  refsChecksum,
} from '../../server/git/upkeep/copy-repository.ts'
import { repoAt } from '../../server/git/process/engine.ts'
import { packRepository } from '../../server/git/upkeep/collect-garbage.ts'
import { GitError } from '../../server/git/errors.ts'
import { updateRefs } from '../../server/git/write/refs.ts'
import { removeRepository, verifyRepository } from '../../server/git/upkeep/repository.ts'
import { branchTip } from '../../server/git/read/revisions.ts'
import { Traffic } from '../../server/git/process/traffic.ts'
import { addCommits, emptyRepo, gitEngine, tempDir } from '../support/git.ts'

describe('copying a repository', () => {
  it('copies changes when repeated, and skips unfinished work', async () => {
    const repo = await emptyRepo()
    addCommits(repo, [{ files: { a: 'a' } }, { branch: 'gone', files: { b: 'b' } }])
    const into = path.join(tempDir(), 'copy.git')
    mkdirSync(into)
    mkdirSync(path.join(repo.gitDir, 'objects', 'tmp_objdir-incoming-x'))
    writeFileSync(path.join(repo.gitDir, 'objects', 'tmp_objdir-incoming-x', 'half'), 'half')
    writeFileSync(path.join(repo.gitDir, 'HEAD.lock'), '')
    let copied = 0
    await copyFolder(repo.gitDir, into, { onBytes: (bytes) => (copied += bytes) })
    expect(copied).toBe(await folderSize(repo.gitDir))
    expect(
      readdirSync(into, { recursive: true }).filter((name) => /incoming|lock/.test(String(name))),
    ).toEqual([])

    rmSync(path.join(repo.gitDir, 'HEAD.lock'))
    const [tip] = addCommits(repo, [{ files: { c: 'c' } }])
    await updateRefs(repo, [{ ref: 'refs/heads/gone', new: null }])
    await packRepository(repo)
    await copyFolder(repo.gitDir, into)
    const copy = repoAt(repo.git, into)
    expect(await refsChecksum(copy)).toBe(await refsChecksum(repo))
    expect(await branchTip(copy, 'main')).toBe(tip)
    expect(await branchTip(copy, 'gone')).toBeNull()
    expect(await verifyRepository(copy)).toEqual([])
    await checkConnected(copy)
  })

  it('is complete while folders come and go', async () => {
    const repo = await emptyRepo()
    addCommits(repo, [{ files: { a: 'a' } }])
    const bytes = await folderSize(repo.gitDir)
    let isOver = false
    // Packing deletes a folder that it emptied in the same way.
    const changing = (async () => {
      for (let round = 0; !isOver; round++) {
        const folder = path.join(repo.gitDir, 'refs', 'heads', `topic-${round}`)
        await mkdir(path.join(folder, 'empty'), { recursive: true })
        await rm(folder, { recursive: true })
      }
    })()
    const sizes: number[] = []
    try {
      for (let round = 0; round < 300; round++) sizes.push(await folderSize(repo.gitDir))
    } finally {
      isOver = true
      await changing
    }
    expect(sizes).toEqual(sizes.map(() => bytes))
  })

  it('reports missing content', async () => {
    const repo = await emptyRepo()
    addCommits(repo, [{ files: { a: 'a' } }])
    const into = path.join(tempDir(), 'copy.git')
    await copyFolder(repo.gitDir, into)
    const copy = repoAt(repo.git, into)
    rmSync(path.join(into, 'objects'), { recursive: true })
    mkdirSync(path.join(into, 'objects'))
    await expect(checkConnected(copy)).rejects.toBeInstanceOf(GitError)
  })

  it('stops on its signal', async () => {
    const repo = await emptyRepo()
    addCommits(repo, [{ files: { a: 'a' } }])
    const signal = AbortSignal.abort(new Error('over'))
    await expect(copyFolder(repo.gitDir, path.join(tempDir(), 'copy.git'), { signal })).rejects.toThrow(
      'over',
    )
  })
})

describe('a repository that is moved', () => {
  it('keeps its handles valid; writers wait, readers continue', async () => {
    const { engine } = gitEngine()
    const traffic = new Traffic(engine.openWrites)
    const [from, to] = [tempDir(), tempDir()]
    const handle = repoAt({ ...engine, traffic }, from, 'key')
    const fixed = { ...handle }
    const order: string[] = []
    let writer: Promise<() => void> | undefined
    await traffic.runExclusively(['key'], 1000, async () => {
      const leave = traffic.enter(handle, git`rev-parse HEAD`) as () => void
      expect(traffic.readersOf(from)).toBe(1)
      leave()
      writer = Promise.resolve(traffic.enter(handle, git`update-ref`)).then((done) => {
        order.push(`writes to ${handle.gitDir}`)
        return done
      })
      await Promise.resolve()
      order.push('moved')
      traffic.moveTo('key', to)
    })
    ;(await writer!)()
    expect(order).toEqual(['moved', `writes to ${to}`])
    expect([handle.gitDir, fixed.gitDir]).toEqual([to, from])
    expect([from, to].map((dir) => traffic.readersOf(dir))).toEqual([0, 0])
  })

  it('waits for running writes', async () => {
    const { engine } = gitEngine()
    const traffic = new Traffic(engine.openWrites)
    const leave = await traffic.enter(repoAt(engine, tempDir(), 'key'), git`fetch`)
    expect(await traffic.runExclusively(['key'], 20, async () => 'moved')).toBeUndefined()
    setImmediate(leave)
    expect(await traffic.runExclusively(['key'], 5000, async () => 'moved')).toBe('moved')
  })

  it('deletes the leftovers of an earlier removal', async () => {
    const repo = await emptyRepo()
    const left = `${repo.gitDir}.deleted-cut-off`
    mkdirSync(left)
    await removeRepository(repo)
    expect([repo.gitDir, left].map((dir) => existsSync(dir))).toEqual([false, false])
  })
})

describe('the reason of a failed move', () => {
  it.each([
    ['ENOSPC', 'There is not enough space in the storage "fast".'],
    ['EDQUOT', 'There is not enough space in the storage "fast".'],
    ['EROFS', 'The storage "fast" cannot be written.'],
    ['EIO', 'The storage "fast" cannot be reached.'],
    ['EWHAT', 'The repository could not be moved because of an error in the server.'],
  ])('is a sentence: %s', (code, sentence) => {
    expect(reasonOf(Object.assign(new Error('x'), { code }), { destination: 'fast' })).toBe(sentence)
  })
})
