import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isPossible } from '../support/possible.ts'
import { git } from '../../server/git/args.ts'
import { discoverGit, GitNotFoundError, isNewEnough } from '../../server/git/process/discover.ts'
import { repoAt } from '../../server/git/process/engine.ts'
import { GitInputError } from '../../server/git/errors.ts'
import { collectGarbage, packRepository, repackRepository } from '../../server/git/upkeep/collect-garbage.ts'
import {
  createBareRepository,
  hasBranches,
  isEmpty,
  moveRepository,
  readHead,
  removeRepository,
  repositoryExists,
  repositorySize,
  verifyRepository,
  withWriteLock,
  writeHead,
} from '../../server/git/upkeep/repository.ts'
import { updateRefs } from '../../server/git/write/refs.ts'
import { addCommits, emptyRepo, GIT_BINARY, gitEngine, scriptedRepo, shell, tempDir } from '../support/git.ts'

describe('a bare repository', () => {
  it('is created with its default branch, and creating it again changes nothing', async () => {
    const repo = repoAt(gitEngine().engine, path.join(tempDir(), 'deep', 'er', 'x.git'))
    expect(await repositoryExists(repo)).toBe(false)
    await createBareRepository(repo, { defaultBranch: 'trunk/ä' })
    expect(await repositoryExists(repo)).toBe(true)
    expect(await readHead(repo)).toBe('refs/heads/trunk/ä')
    await createBareRepository(repo, { defaultBranch: 'other' })
    expect(await readHead(repo)).toBe('refs/heads/trunk/ä')
    expect(readdirSync(path.dirname(repo.gitDir))).toEqual(['x.git'])
  })

  it('is created once by concurrent requests', async () => {
    const repo = repoAt(gitEngine().engine, path.join(tempDir(), 'x.git'))
    await Promise.all(Array.from({ length: 6 }, () => createBareRepository(repo, { defaultBranch: 'main' })))
    expect(readdirSync(path.dirname(repo.gitDir))).toEqual(['x.git'])
    expect(shell(repo, ['rev-parse', '--is-bare-repository'])).toBe('true')
  })

  it('is not created with an invalid default branch', async () => {
    const repo = repoAt(gitEngine().engine, path.join(tempDir(), 'x.git'))
    await expect(createBareRepository(repo, { defaultBranch: '--upload-pack=x' })).rejects.toThrow(
      GitInputError,
    )
    expect(existsSync(repo.gitDir)).toBe(false)
  })

  it('leaves nothing behind if its creation fails', async () => {
    const folder = tempDir()
    writeFileSync(path.join(folder, 'x.git'), 'a file in the way')
    const repo = repoAt(gitEngine().engine, path.join(folder, 'x.git'))
    await expect(createBareRepository(repo, { defaultBranch: 'main' })).rejects.toThrow('ENOTDIR')
    expect(readdirSync(folder)).toEqual(['x.git'])
  })

  it('is deleted together with its cached data', async () => {
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }])
    expect(await repo.git.catFiles.info(repo, ids[0]!)).not.toBeNull()
    await removeRepository(repo)
    expect(repo.git.catFiles.processIds(repo)).toEqual([])
    expect(readdirSync(path.dirname(repo.gitDir))).toEqual([])
    await removeRepository(repo)
    expect(await repositoryExists(repo)).toBe(false)
  })

  it('is moved, but never over something that exists', async () => {
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }])
    const target = repoAt(repo.git, path.join(tempDir(), 'y', 'z.git'))
    await moveRepository(repo, target)
    expect(await repositoryExists(repo)).toBe(false)
    expect(shell(target, ['rev-parse', 'main'])).toBe(ids[0])
    await expect(moveRepository(target, await emptyRepo(repo.git))).rejects.toThrow('already')
  })

  it('reports whether it has branches and refs', async () => {
    const repo = await emptyRepo()
    expect([await hasBranches(repo), await isEmpty(repo)]).toEqual([false, true])
    const [first] = addCommits(repo, [{ branch: 'x', files: { a: '1' } }])
    expect([await hasBranches(repo), await isEmpty(repo)]).toEqual([true, false])
    await updateRefs(repo, [
      { ref: 'refs/keep-around/x', new: first! },
      { ref: 'refs/heads/x', new: null },
    ])
    expect([await hasBranches(repo), await isEmpty(repo)]).toEqual([false, false])
  })

  it('changes its HEAD', async () => {
    const repo = await emptyRepo()
    await writeHead(repo, 'next')
    expect(await readHead(repo)).toBe('refs/heads/next')
    await expect(writeHead(repo, '../config')).rejects.toThrow(GitInputError)
  })

  it('grows with its content, packs itself and stays valid', async () => {
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }])
    const before = await repositorySize(repo)
    addCommits(repo, [
      { files: { b: Buffer.from(Array.from({ length: 200_000 }, (_, n) => (n * n * 31) % 251)) } },
    ])
    expect(await repositorySize(repo)).toBeGreaterThan(before)
    await repo.git.catFiles.info(repo, ids[0]!)
    const readers = repo.git.catFiles.processIds(repo)
    await packRepository(repo)
    expect(await verifyRepository(repo)).toEqual([])
    expect(await repo.git.catFiles.info(repo, `${ids[0]}^{tree}`)).not.toBeNull()
    // The reader that knew the old packed refs was replaced.
    expect(repo.git.catFiles.processIds(repo)).not.toEqual(readers)
    expect(shell(repo, ['count-objects', '-v'])).toContain('count: 0')
  })

  it.each([
    ['packed', packRepository],
    ['packed anew', repackRepository],
    ['collected', collectGarbage],
  ])('keeps the folder of an object that is being written while it is %s', async (_, pack) => {
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }])
    const objects = path.join(repo.gitDir, 'objects')
    const isThere = () => existsSync(path.join(objects, ids[0]!.slice(0, 2)))
    // Another command has found or created the folder, and is about to write to it.
    const leave = await repo.git.traffic.enter(repo, git`unpack-objects`)
    await pack(repo)
    expect(isThere()).toBe(true)
    leave()
    await pack(repo)
    expect(isThere()).toBe(false)
    expect(readdirSync(objects).toSorted()).toEqual(['info', 'pack'])
    expect(await verifyRepository(repo)).toEqual([])
  })

  it('reports damage', async () => {
    const { repo } = await scriptedRepo([{ files: { a: '1' } }])
    const blob = shell(repo, ['hash-object', '-w', '--stdin'], 'soon damaged')
    const file = path.join(repo.gitDir, 'objects', blob.slice(0, 2), blob.slice(2))
    chmodSync(file, 0o644)
    writeFileSync(file, 'damaged')
    expect((await verifyRepository(repo)).length).toBeGreaterThan(0)
  })

  it('has one writer at a time', async () => {
    const repo = await emptyRepo()
    const order: string[] = []
    const turn = (name: string) =>
      withWriteLock(repo, async () => {
        order.push(`${name} in`)
        await readHead(repo)
        order.push(`${name} out`)
      })
    const failing = withWriteLock(repo, () => Promise.reject(new Error('no')))
    await Promise.all([turn('a'), turn('b'), expect(failing).rejects.toThrow('no'), turn('c')])
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
  })
})

describe('finding git', () => {
  it('finds the git of this machine with its version', async () => {
    const found = await discoverGit({ path: path.dirname(GIT_BINARY) })
    expect(found.binary).toBe(GIT_BINARY)
    expect(isNewEnough(found.version)).toBe(true)
  })

  it('reports in one sentence that there is none', async () => {
    await expect(discoverGit({ path: tempDir() })).rejects.toThrow(GitNotFoundError)
    await expect(discoverGit({ path: tempDir() })).rejects.toThrow(/^Git was not found; .*\.$/)
  })

  it('does not search elsewhere if the setting is wrong', async () => {
    await expect(discoverGit({ setting: '/nonexistent/git' })).rejects.toThrow(/settings/)
  })

  it.runIf(isPossible(process.platform !== 'win32', 'Windows runs no shell script as git.'))(
    'refuses an old git and a program that is no git',
    async () => {
      const fake = path.join(tempDir(), 'git')
      writeFileSync(fake, '#!/bin/sh\necho git version 2.30.1\n', { mode: 0o755 })
      await expect(discoverGit({ bundled: fake })).rejects.toThrow(
        /^Git 2\.38 or newer is needed, .* version 2\.30\.1/,
      )
      writeFileSync(fake, '#!/bin/sh\necho hello\n', { mode: 0o755 })
      await expect(discoverGit({ setting: fake })).rejects.toThrow('does not answer like git')
    },
  )

  it('compares versions by number', () => {
    expect(['2.38', '2.38.0', '2.45.1.windows.1', '3.0.0', '10.1'].map(isNewEnough)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ])
    expect(['2.37.9', '2.9.0', '1.99'].map(isNewEnough)).toEqual([false, false, false])
  })
})
