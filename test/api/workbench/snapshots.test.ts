import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { collectGarbage } from '../../../server/git/upkeep/collect-garbage.ts'
import { repoAt } from '../../../server/git/process/engine.ts'
import { refsOf, repositoriesBelow } from '../../support/same-instance.ts'
import { world } from '../../support/world.ts'
import { onDisk, watchEvents } from '../repository/fill.ts'

const here = await world()
const root = here.as(here.root)
const user = here.make.user()
const at = '/-/workbench/snapshots'
const save = (name: string, more: object = {}) => root.post(at, { name, ...more })
const restore = (name: string) => root.post(`${at}/${name}/restore`)
const names = async () => (await root.get(at)).body.map((snapshot: { name: string }) => snapshot.name)
const commit = (id: number, file_path: string) =>
  root.post(`/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: file_path,
    actions: [{ action: 'create', file_path, content: file_path }],
  })
const inDir = (dir: string, args: string[]) => execFileSync('git', ['--git-dir', dir, ...args])
const stored = join(here.dataDir, 'repositories')
const allRefs = () =>
  Object.fromEntries(repositoriesBelow(stored).map((path) => [path, refsOf(join(stored, path))]))

describe('a snapshot', () => {
  it('restores rows, refs and files', async () => {
    const project = await here.make.project({ with: 'readme' })
    const picture = new FormData()
    picture.set('file', new Blob(['hello']), 'hello.txt')
    const upload = (await root.post(`/projects/${project.id}/uploads`, picture)).body
    await here.drain()
    const refs = allRefs()
    const saved = await save('first')
    expect(saved).toMatchObject({ status: 201, body: { name: 'first', repositories: 1, files: 1 } })

    expect((await commit(project.id, 'new.txt')).status).toBe(201)
    await root.post(`/projects/${project.id}/issues`, { title: 'Later' })
    await root.post(`/projects/${project.id}/repository/branches`, { branch: 'later', ref: 'main' })
    const other = await here.make.project({ with: 'readme' })
    await here.drain()
    const heard = watchEvents(here, 'snapshot.restored')

    expect((await restore('first')).status).toBe(201)
    expect(heard).toEqual([{ snapshot: 'first' }])
    expect((await root.get(`/projects/${other.id}`)).status).toBe(404)
    expect((await root.get(`/projects/${project.id}/issues`)).body).toEqual([])
    expect((await root.get(`/projects/${project.id}/repository/branches`)).body).toHaveLength(1)
    expect((await root.get(`/projects/${project.id}/repository/files/new.txt?ref=main`)).status).toBe(404)
    expect(allRefs()).toEqual(refs)
    const file = await fetch(here.url + upload.full_path, { headers: { 'private-token': here.root.token } })
    expect(await file.text()).toBe('hello')
    // New records can be created after the restore.
    expect((await commit(project.id, 'again.txt')).status).toBe(201)
    expect((await here.make.project({ with: 'readme' })).id).toBe(other.id)
    await here.drain()
  })

  it('restores deleted records, and objects that garbage collection would have pruned', async () => {
    const project = await here.make.project({ with: 'readme' })
    await commit(project.id, 'a.txt')
    await here.drain()
    const dir = onDisk(here, project).gitDir
    const before = refsOf(dir)
    expect((await save('second')).status).toBe(201)
    await root.delete(`/projects/${project.id}/repository/branches/main`)
    inDir(dir, ['update-ref', '-d', 'refs/heads/main'])
    inDir(dir, ['reflog', 'expire', '--expire=now', '--all'])
    const { git } = here.ctx()
    await collectGarbage(repoAt(git, dir, 'for the test'))
    inDir(dir, ['cat-file', '-e', before.refs[0]!.split(' ')[0]!])
    await root.delete(`/projects/${project.id}`)
    await root.delete(
      `/projects/${project.id}?permanently_remove=true&full_path=${project.path_with_namespace}`,
    )
    await here.drain()
    expect((await root.get(`/projects/${project.id}`)).status).toBe(404)

    expect((await restore('second')).status).toBe(201)
    expect((await root.get(`/projects/${project.id}/repository/files/a.txt?ref=main`)).status).toBe(200)
    expect(refsOf(dir)).toEqual(before)
    // The stored repository is deleted with the last snapshot that needs it.
    await root.delete(`/projects/${project.id}`)
    await root.delete(
      `/projects/${project.id}?permanently_remove=true&full_path=${project.path_with_namespace}`,
    )
    await here.drain()
    const setAside = () => readdirSync(join(dir, '..')).filter((name) => name.startsWith('.kept-'))
    expect(setAside().length + (existsSync(dir) ? 1 : 0)).toBe(1)
    await restore('second')
    expect(refsOf(dir)).toEqual(before)
    expect((await root.delete(`${at}/second`)).status).toBe(204)
    expect(setAside()).toEqual([])
  })

  it('blocks requests while it is restored, and loses none', async () => {
    const project = await here.make.project({ with: 'readme' })
    await here.drain()
    await save('busy')
    let isOver = false
    const statuses = new Set<number>()
    const ask = async () => {
      while (!isOver) {
        const answers = await Promise.all([
          root.get(`/projects/${project.id}`),
          root.get(`/projects/${project.id}/repository/tree`),
          root.post(`/projects/${project.id}/labels`, { name: `l${Math.random()}`, color: '#fff000' }),
        ])
        for (const { status } of answers) statuses.add(status)
      }
    }
    const clients = Promise.all(Array.from({ length: 8 }, ask))
    for (let round = 0; round < 5; round++) expect((await restore('busy')).status).toBe(201)
    isOver = true
    await clients
    expect([...statuses].sort()).toEqual([200, 201])
  })

  it('is restored by only one of two concurrent requests', async () => {
    const [first, ...others] = (await Promise.all(['busy', 'busy', 'busy'].map(restore)))
      .map(({ status }) => status)
      .sort()
    expect(first).toBe(201)
    // The other request waited for the end of the first one, or was refused.
    for (const status of others) expect([201, 409]).toContain(status)
  })

  it('restores the clock and the counters', async () => {
    await root.put('/application/settings', {
      throttle_unauthenticated_api_enabled: true,
      throttle_unauthenticated_api_requests_per_period: 1,
      throttle_unauthenticated_api_period_in_seconds: 3600,
    })
    const time = '2030-01-01T00:00:00.000Z'
    await root.post('/-/workbench/clock', { action: 'freeze', time })
    await save('then')
    const status = async () => (await here.as(null).get('/projects')).status
    expect([await status(), await status()]).toEqual([200, 429])
    await root.post('/-/workbench/clock', { action: 'advance', by: '10 minutes' })
    await restore('then')
    expect((await root.get('/-/workbench/clock')).body).toMatchObject({ mode: 'frozen', now: time })
    expect(await status()).toBe(200)
    await restore('busy')
    expect((await root.get('/-/workbench/clock')).body).toMatchObject({ mode: 'real' })
  })

  it('returns 400, 404 or 409 for invalid, unknown and unusable snapshots', async () => {
    expect((await save('busy')).status).toBe(409)
    expect((await save('busy', { replace: true })).status).toBe(201)
    for (const name of ['../x', '.hidden', 'a/b', '', 'x'.repeat(101)])
      expect((await save(name)).status).toBe(400)
    expect((await restore('unknown')).status).toBe(404)
    expect((await root.delete(`${at}/unknown`)).status).toBe(404)
    const file = join(here.dataDir, 'snapshots/busy/manifest.json')
    const text = readFileSync(file, 'utf8')
    for (const change of [{ schema: '9999_later' }, { key: 'other' }, { database_bytes: 1 }]) {
      writeFileSync(file, JSON.stringify({ ...JSON.parse(text), ...change }))
      expect(await restore('busy')).toMatchObject({ status: 409, body: { message: expect.any(String) } })
    }
    writeFileSync(file, text)
    expect((await restore('busy')).status).toBe(201)
  })

  it('is visible to administrators only, and can be deleted', async () => {
    const other = here.make.user()
    for (const answer of [
      await here.as(other).get(at),
      await here.as(other).post(at, { name: 'mine' }),
      await here.as(other).post(`${at}/busy/restore`),
      await here.as(other).delete(`${at}/busy`),
    ])
      expect(answer.status).toBe(403)
    for (const name of await names()) expect((await root.delete(`${at}/${name}`)).status).toBe(204)
    expect(await names()).toEqual([])
    expect(readdirSync(join(here.dataDir, 'snapshots')).filter((name) => !name.startsWith('.'))).toEqual([])
    expect(user.id).toBeGreaterThan(0)
  })
})
