import { randomBytes } from 'node:crypto'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { crons } from '../../../../server/domains/admin/maintenance/jobs.ts'
import { countObjects } from '../../../../server/git/upkeep/repository.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { addressOf, clone, commit, git } from '../../../git-http/remote.ts'
import { GIT_BINARY, tempDir } from '../../../support/git.ts'
import { world } from '../../../support/world.ts'
import { fill, onDisk } from '../../repository/fill.ts'

/** A git program that delays the commands named in a file. */
const folder = tempDir()
const slow = join(folder, 'slow')
const gitPath = join(folder, 'git')
writeFileSync(
  gitPath,
  `#!/bin/sh\n[ -f '${slow}' ] && case "$*" in *" $(cat '${slow}')"*) sleep 1.3 ;; esac\nexec '${GIT_BINARY}' "$@"\n`,
)
chmodSync(gitPath, 0o755)

const clock = frozenClock('2026-05-01T10:00:00.000Z')
const fast = join(folder, 'fast')
const w = await world({ gitPath, clock, storages: { fast } })
const { make } = w
const root = w.as(w.root)
const settings = async (params: object) =>
  expect(await root.put('/application/settings', params)).toMatchObject({ status: 200 })

let project: { id: number; path_with_namespace: string }
beforeAll(async () => {
  project = await make.project({ with: 'readme' })
})

let files = 0
const write = (content = 'text', more: object = {}) =>
  root.post(`/projects/${project.id}/repository/files/${++files}.txt`, {
    branch: 'main',
    commit_message: 'Write',
    content,
    ...more,
  })

describe('the storage of repositories', () => {
  it('repository_storages_weighted: selects the storage of new projects, snippets and group wikis', async () => {
    await settings({ repository_storages_weighted: { default: 0, fast: 100 } })
    const { id } = await make.project()
    const group = await make.group()
    expect((await root.get(`/projects/${id}`)).body.repository_storage).toBe('fast')
    const snippet = { title: 'One', files: [{ file_path: 'a.txt', content: 'a' }] }
    expect((await root.post('/snippets', snippet)).body.repository_storage).toBe('fast')
    expect((await root.post(`/groups/${group.id}/wikis`, { title: 'Home', content: 'x' })).status).toBe(201)
    const sql = 'SELECT repository_storage FROM wikis WHERE group_id = ?'
    expect(w.ctx().db.one(sql, group.id)).toEqual({ repository_storage: 'fast' })
    await settings({ repository_storages_weighted: { default: 100 } })
    expect((await root.get(`/projects/${(await make.project()).id}`)).body.repository_storage).toBe('default')
  })
})

describe('the size of repositories', () => {
  it('repository_size_limit: refuses commits and pushes, never deletions', async () => {
    const owner = await make.project({ with: 'readme' })
    const folder = await clone(addressOf(w)(owner, w.root))
    const push = () => git(folder, 'push', '-q', 'origin', 'HEAD:main')
    await settings({ repository_size_limit: 1 })
    commit(folder, 'small.bin', randomBytes(10_000))
    expect((await push()).code).toBe(0)
    commit(folder, 'large.bin', randomBytes(1_200_000))
    const refused = await push()
    expect(refused.code).not.toBe(0)
    expect(refused.stderr.replace(/\s*\nremote: ?/g, ' ')).toContain(
      'Your push to this repository would cause it to exceed the size limit of 1 MiB so it has been rejected. ' +
        'Please contact your administrator for more information.',
    )
    await settings({ repository_size_limit: 0 })
    expect((await push()).code).toBe(0)
    await root.post(`/projects/${owner.id}/repository/branches`, { branch: 'old', ref: 'main' })
    await settings({ repository_size_limit: 1 })
    const at = `/projects/${owner.id}/repository`
    const answer = await root.post(`${at}/files/a.txt`, { branch: 'main', commit_message: 'a', content: 'a' })
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringMatching(
        /^Your changes could not be committed, because this repository has exceeded its size limit of 1 MiB by \d+(\.\d+)? KiB\. Please contact your administrator for more information\.$/,
      ),
    ])
    expect((await root.delete(`${at}/branches/old`)).status).toBe(204)
    await settings({ repository_size_limit: null })
    expect(
      (await root.post(`${at}/files/a.txt`, { branch: 'main', commit_message: 'a', content: 'a' })).status,
    ).toBe(201)
  })
})

describe('housekeeping', () => {
  const counts = async () => countObjects(onDisk(w, project))
  const push = async () => {
    expect((await write()).status).toBe(201)
    await w.drain()
    // Packing starts after a series of pushes.
    clock.advance(6 * 60_000)
    await w.drain()
  }
  const periods = {
    housekeeping_incremental_repack_period: 2,
    housekeeping_full_repack_period: 4,
    housekeeping_gc_period: 6,
    housekeeping_optimize_repository_period: 1000,
  }

  it.each([
    { settings: ['housekeeping_incremental_repack_period', 'housekeeping_enabled'], pushes: 2, task: 'pack' },
    { settings: ['housekeeping_full_repack_period'], pushes: 2, task: 'repack' },
    { settings: ['housekeeping_gc_period'], pushes: 2, task: 'gc' },
  ])('$settings: packs after some pushes', async ({ pushes, task }) => {
    w.ctx().db.exec(
      'UPDATE projects SET pushes_count = ? WHERE id = ?',
      { pack: 0, repack: 2, gc: 4 }[task]!,
      project.id,
    )
    await settings({ ...periods, housekeeping_enabled: true })
    for (let count = 1; count < pushes; count += 1) await push()
    expect((await counts()).loose).toBeGreaterThan(0)
    await push()
    expect(await counts()).toMatchObject({ loose: 0, packs: 1 })
    const sql = `SELECT json_extract(args, '$.task') AS task FROM jobs WHERE name = 'repository.housekeeping' ORDER BY id DESC`
    expect(w.ctx().db.one(sql)).toEqual({ task })
  })

  it('housekeeping_optimize_repository_period: sets all periods', async () => {
    w.ctx().db.exec('UPDATE projects SET pushes_count = 0 WHERE id = ?', project.id)
    const never = { incremental: 1000, full: 1000, gc: 1000 }
    const others = Object.entries(never).map(([name, value]) => [
      `housekeeping_${name}${name === 'gc' ? '' : '_repack'}_period`,
      value,
    ])
    await settings({ ...Object.fromEntries(others), housekeeping_optimize_repository_period: 1 })
    await push()
    expect((await counts()).loose).toBe(0)
    await settings({ housekeeping_enabled: false })
    await push()
    expect((await counts()).loose).toBeGreaterThan(0)
  })
})

describe('repository checks', () => {
  it('repository_checks_enabled: finds damage, and notifies administrators', async () => {
    const owner = await make.project()
    fill(w, owner, [{ files: { 'a.txt': 'a' } }])
    // The setting is disabled while time passes, so that the cron of the instance runs no checks.
    await settings({ repository_checks_enabled: false })
    clock.advance(2 * 86_400_000)
    const look = async () => {
      await crons[0]!.run(w.ctx())
      await w.drain()
    }
    const damaged = async () =>
      (await root.get('/projects?repository_checksum_failed=true')).body.map(
        (project: { id: number }) => project.id,
      )
    const checked = () =>
      w
        .ctx()
        .db.one<{ at: string }>('SELECT last_repository_check_at AS at FROM projects WHERE id = ?', owner.id)!
        .at
    await look()
    expect(checked()).toBeNull()
    await settings({ repository_checks_enabled: true })
    await look()
    expect([checked(), await damaged()]).toEqual([w.ctx().now, []])
    // The repository is damaged.
    const { gitDir } = onDisk(w, owner)
    rmSync(join(gitDir, 'objects'), { recursive: true })
    await look()
    expect(await damaged()).toEqual([])
    clock.advance(31 * 86_400_000)
    await look()
    expect(await damaged()).toEqual([owner.id])
    const { body } = await root.get('/-/admin/overview')
    expect(body.health.at(-1)).toEqual({
      name: 'Contents of repositories',
      problem: `Damaged: ${owner.path_with_namespace}.`,
    })
    const subjects = () =>
      w
        .ctx()
        .db.many<{ subject: string }>('SELECT subject FROM mails')
        .map((row) => row.subject)
    expect(subjects()).toEqual([`${owner.path_with_namespace} | The repository is damaged`])
    clock.advance(31 * 86_400_000)
    await look()
    // Old emails are deleted, and there is no new one.
    expect(subjects()).toEqual([])
  })
})

describe('timeouts of git', () => {
  const at = () => `/projects/${project.id}/repository`
  const ask = async (command: string, path: string) => {
    await write()
    writeFileSync(slow, command)
    const { status } = await root.get(at() + path)
    rmSync(slow)
    return status
  }

  it.each([
    { setting: 'gitaly_timeout_fast', command: 'for-each-ref', path: '/branches?sort=updated_desc' },
    { setting: 'gitaly_timeout_medium', command: 'log', path: '/commits?path=README.md' },
    { setting: 'gitaly_timeout_default', command: 'diff', path: '/commits/main/diff' },
  ])('$setting: ends slower commands', async ({ setting, command, path }) => {
    const none = { gitaly_timeout_fast: 0, gitaly_timeout_medium: 0, gitaly_timeout_default: 0 }
    const larger = { gitaly_timeout_default: 20, gitaly_timeout_medium: 20 }
    await settings({ ...none, ...(setting === 'gitaly_timeout_default' ? {} : larger), [setting]: 1 })
    expect(await ask(command, path)).toBe(503)
    await settings(none)
    expect(await ask(command, path)).toBe(200)
  })
})
