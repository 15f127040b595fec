import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { collectLeftovers } from '../../../server/domains/admin/maintenance/jobs.ts'
import { removeOrphans } from '../../../server/domains/markdown/uploads/service.ts'
import { removeOrphanedAvatars } from '../../../server/domains/storage/jobs.ts'
import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { git } from '../../../server/git/args.ts'
import { verifyRepository } from '../../../server/git/upkeep/repository.ts'
import { world } from '../../support/world.ts'

const w = await world()
const root = w.as(w.root)
const TWO_DAYS_AGO = Date.now() / 1000 - 2 * 86_400
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Writes a file with an old or a current time. */
function plant(file: string, age: 'old' | 'new' = 'old'): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'left')
  if (age === 'old') for (const path of [file, dirname(file)]) utimesSync(path, TWO_DAYS_AGO, TWO_DAYS_AGO)
  return file
}

// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let gitDir: string
const repo = () => repoOf(w.ctx(), projectById(w.ctx().db, project.id)!)

beforeAll(async () => {
  project = await w.make.project({ with: 'readme' })
  gitDir = repo().gitDir
})

describe('leftovers of earlier crashes', () => {
  it('are removed: incomplete repositories, locks, unfinished objects and temporary files', async () => {
    const orphan = join(w.dataDir, 'repositories', '@hashed', 'aa', 'bb', 'cc.git')
    const removed = [
      plant(`${gitDir}.new-abc123/HEAD`),
      plant(`${gitDir}.deleted-abc123/repository/HEAD`),
      plant(`${orphan}.new-abc123/objects/info/x`),
      plant(join(gitDir, 'objects', 'tmp_obj_left')),
      plant(join(gitDir, 'refs', 'heads', 'other.lock')),
      plant(join(w.dataDir, 'tmp', 'upload-left', 'file')),
    ]
    for (const path of [`${gitDir}.deleted-abc123`, `${orphan}.new-abc123/objects`, `${orphan}.new-abc123`])
      utimesSync(path, TWO_DAYS_AGO, TWO_DAYS_AGO)
    const remaining = [
      plant(`${gitDir}.new-def456/HEAD`, 'new'),
      // A file in the folder is new, as in a long import.
      plant(`${gitDir}.new-789abc/objects/pack/tmp_pack`, 'new'),
      plant(join(gitDir, 'objects', 'tmp_obj_new'), 'new'),
      plant(join(w.dataDir, 'tmp', 'upload-new', 'file'), 'new'),
      // A repository without a row may be the only copy.
      plant(join(orphan, 'HEAD')),
    ]
    utimesSync(`${gitDir}.new-789abc`, TWO_DAYS_AGO, TWO_DAYS_AGO)
    await w.drain()
    w.ctx().git.openWrites.close()
    await collectLeftovers(w.ctx())
    expect(removed.filter((file) => existsSync(file))).toEqual([])
    expect(remaining.filter((file) => !existsSync(file))).toEqual([])
    expect(await verifyRepository(repo())).toEqual([])
  })

  it('stay in a repository that is being written to', async () => {
    const draft = plant(`${gitDir}.new-aaaaaa/HEAD`)
    const lock = plant(join(gitDir, 'refs', 'heads', 'mine.lock'))
    const leave = await repo().git.traffic.enter(repo(), git`fetch`)
    const collected = collectLeftovers(w.ctx())
    // The removal waits until the write ends, which also removes its own lock.
    await root.get(`/projects/${project.id}/repository/branches`)
    expect([draft, lock].filter((file) => existsSync(file))).toEqual([draft, lock])
    leave()
    await collected
    expect(existsSync(draft)).toBe(true)
    expect(existsSync(lock)).toBe(false)
  })

  it('are removed from uploads and avatars, except files with a row', async () => {
    const form = new FormData()
    form.set('file', new Blob(['kept']), 'kept.txt')
    const { body } = await root.post(`/projects/${project.id}/uploads`, form)
    const picture = new FormData()
    picture.set('avatar', new Blob([PNG]), 'kept.png')
    await root.put(`/projects/${project.id}`, picture)
    const uploads = join(w.dataDir, 'uploads')
    const avatars = join(uploads, '-', 'system')
    const remaining = [
      join(uploads, 'project', String(project.id), ...body.url.split('/').slice(-2)),
      join(avatars, 'project', 'avatar', String(project.id), 'kept.png'),
      plant(join(uploads, 'project', String(project.id), 'f'.repeat(32), 'new.txt'), 'new'),
      plant(join(avatars, 'user', 'avatar', '4711', 'new.png'), 'new'),
    ]
    for (const file of remaining.slice(0, 2))
      for (const path of [file, dirname(file)]) utimesSync(path, TWO_DAYS_AGO, TWO_DAYS_AGO)
    const removed = [
      plant(join(uploads, 'project', String(project.id), 'a'.repeat(32), 'left.txt')),
      plant(join(uploads, 'project', '4711', 'b'.repeat(32), 'left.txt')),
      plant(join(avatars, 'project', 'avatar', String(project.id), 'left.png')),
      plant(join(avatars, 'group', 'avatar', '4711', 'left.png')),
    ]
    await removeOrphans(w.ctx())
    await removeOrphanedAvatars(w.ctx())
    expect(removed.filter((file) => existsSync(file))).toEqual([])
    expect(remaining.filter((file) => !existsSync(file))).toEqual([])
    expect(existsSync(join(uploads, 'project', '4711'))).toBe(false)
  })
})
