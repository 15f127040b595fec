import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { git } from '../../server/git/args.ts'
import { collectGarbage, packRepository } from '../../server/git/upkeep/collect-garbage.ts'
import { createGit, repoAt } from '../../server/git/process/engine.ts'
import { leftoversIn, sweepAfterCrash } from '../../server/git/upkeep/leftovers.ts'
import { updateRefs } from '../../server/git/write/refs.ts'
import { readHead, removeRepository, writeHead } from '../../server/git/upkeep/repository.ts'
import { branchTip } from '../../server/git/read/revisions.ts'
import { sweepRepository } from '../../server/git/upkeep/stale-locks.ts'
import { endSurvivors } from '../../server/git/process/survivors.ts'
import type { Repo } from '../../server/git/types.ts'
import { emptyRepo, GIT_BINARY, gitEngine, scriptedRepo, shell } from '../support/git.ts'
import { isPossible } from '../support/possible.ts'

/** Writes the files that interrupted git programs leave. */
function plant(repo: Repo, names: readonly string[]): void {
  for (const name of names) {
    const file = path.join(repo.gitDir, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, name.endsWith('.keep') ? 'fetch-pack 12 on here' : '')
  }
}

const there = (repo: Repo, names: readonly string[]) =>
  names.filter((name) => existsSync(path.join(repo.gitDir, name)))

const LOCKS = [
  'refs/heads/main.lock',
  'refs/heads/deep/er.lock',
  'packed-refs.lock',
  'HEAD.lock',
  'gc.pid',
  'objects/info/commit-graphs/commit-graph-chain.lock',
]
const OBJECTS = [
  'objects/tmp_objdir-incoming-abc/12/tmp_obj_x',
  'objects/12/tmp_obj_y',
  'objects/pack/tmp_pack_x',
  'objects/pack/.tmp-12-pack-34.pack',
  `objects/pack/pack-${'0'.repeat(40)}.keep`,
]

describe('locks without an owner', () => {
  it('do not block later writes', async () => {
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }, { files: { a: '2' } }])
    const [first = '', second = ''] = ids
    plant(repo, ['refs/heads/main.lock'])
    await updateRefs(repo, [{ ref: 'refs/heads/main', old: second, new: first }])
    expect(await branchTip(repo, 'main')).toBe(first)
    plant(repo, ['HEAD.lock'])
    await writeHead(repo, 'other')
    expect(await readHead(repo)).toBe('refs/heads/other')
    plant(repo, ['packed-refs.lock', 'objects/info/commit-graphs/commit-graph-chain.lock'])
    await packRepository(repo)
    await updateRefs(repo, [{ ref: 'refs/heads/main', old: first, new: null }])
    plant(repo, ['gc.pid'])
    await collectGarbage(repo)
    expect(await leftoversIn(repo.gitDir)).toEqual([])
    // A conflict is still reported after the removal of a lock.
    await expect(
      updateRefs(repo, [{ ref: 'refs/heads/main', old: first, new: second }]),
    ).rejects.toMatchObject({ problem: 'missing' })
  })

  it('stay while a command writes, and are removed when it has ended', async () => {
    const { repo } = await scriptedRepo([{ files: { a: '1' } }])
    plant(repo, LOCKS)
    const leave = await repo.git.traffic.enter(repo, git`fetch`)
    const swept = sweepRepository(repo)
    // The removal has started, and waits for the other command.
    await branchTip(repo, 'main')
    expect(there(repo, LOCKS)).toEqual(LOCKS)
    leave()
    expect(await swept).toBe(LOCKS.length)
    expect(there(repo, LOCKS)).toEqual([])
  })

  it('are removed during a push, but its objects stay', async () => {
    const { repo } = await scriptedRepo([{ files: { a: '1' } }])
    plant(repo, [...LOCKS, ...OBJECTS])
    const leave = await repo.git.traffic.enter(repo, git`receive-pack`)
    expect(await sweepRepository(repo)).toBe(LOCKS.length)
    expect(there(repo, [...LOCKS, ...OBJECTS])).toEqual(OBJECTS)
    leave()
    await sweepRepository(repo)
    expect(there(repo, OBJECTS)).toEqual([])
    expect(shell(repo, ['rev-parse', 'main'])).toMatch(/^[0-9a-f]{40}$/)
  })

  it('do not block a command after their owner has ended', async () => {
    let refused = () => {}
    const { engine } = gitEngine({ observe: ({ code }) => code !== 0 && refused() })
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }], engine)
    const lock = 'refs/heads/main.lock'
    plant(repo, [lock])
    const leave = await repo.git.traffic.enter(repo, git`pack-refs`)
    refused = () => {
      rmSync(path.join(repo.gitDir, lock))
      leave()
    }
    await updateRefs(repo, [{ ref: 'refs/heads/main', old: ids[0]!, new: null }])
    expect(await branchTip(repo, 'main')).toBeNull()
  })

  it('are distinguished from .keep files of users', async () => {
    const { repo } = await scriptedRepo([{ branch: 'a.lock.b', files: { 'x.lock': '1' } }])
    const keep = path.join(repo.gitDir, 'objects', 'pack', `pack-${'1'.repeat(40)}.keep`)
    writeFileSync(keep, 'kept for the museum')
    expect(await leftoversIn(repo.gitDir)).toEqual([])
  })
})

describe('the start after a crash', () => {
  it('cleans up only repositories with a write under way', async () => {
    const { engine } = gitEngine()
    const [dirty, clean] = [await emptyRepo(engine), await emptyRepo(engine)]
    await engine.close()
    const before = createGit({ binary: GIT_BINARY, home: engine.home })
    // The instance was killed, so the repository is still marked as being written to.
    before.openWrites.enter(dirty.gitDir)
    plant(dirty, [...LOCKS, ...OBJECTS])
    plant(clean, LOCKS)
    for (const suffix of ['new-abc', 'deleted-abc']) mkdirSync(`${dirty.gitDir}.${suffix}`)
    const next = createGit({ binary: GIT_BINARY, home: engine.home })
    expect(await sweepAfterCrash(next)).toEqual({
      repositories: 1,
      removed: LOCKS.length + OBJECTS.length + 2,
      survivors: 0,
      problems: [],
    })
    expect(there(dirty, [...LOCKS, ...OBJECTS])).toEqual([])
    expect(there(clean, LOCKS)).toEqual(LOCKS)
    expect(readdirSync(path.dirname(dirty.gitDir))).toEqual(['repo.git'])
    expect((await sweepAfterCrash(next)).repositories).toBe(0)
    await next.close()
  })

  it('finds nothing after a regular stop', async () => {
    const { engine } = gitEngine()
    const repo = await emptyRepo(engine)
    await writeHead(repo, 'other')
    expect(engine.openWrites.interrupted()).toEqual([repo.gitDir])
    await engine.close()
    expect(engine.openWrites.interrupted()).toEqual([])
  })

  it('cleans up interrupted creations and removals of repositories', async () => {
    const { engine } = gitEngine()
    const repo = repoAt(engine, path.join(path.dirname((await emptyRepo(engine)).gitDir), 'second.git'))
    await removeRepository(repo)
    expect(engine.openWrites.interrupted()).toContain(repo.gitDir)
    await engine.close()
  })

  it('ends git programs of the previous instance', async () => {
    if (!isPossible(process.platform !== 'win32', 'processes end with their parent on Windows')) return
    const repo = await emptyRepo()
    const survivor = spawn(GIT_BINARY, [`--git-dir=${repo.gitDir}`, 'cat-file', '--batch'], {
      env: { ...repo.git.environment },
    })
    await once(survivor, 'spawn')
    const ended = once(survivor, 'exit')
    expect(await endSurvivors(repo.git.home, [repo.gitDir])).toBe(0)
    expect(await ended).toEqual([null, 'SIGTERM'])
  })
})
