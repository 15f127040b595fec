import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { keepAround, listRefs, updateRefs } from '../../../../server/git/write/refs.ts'
import { verifyRepository, withWriteLock } from '../../../../server/git/upkeep/repository.ts'
import { dataPaths } from '../../../../server/config.ts'
import { clone, commit, git } from '../../../git-http/remote.ts'
import { tempDir } from '../../../support/git.ts'
import { world } from '../../../support/world.ts'
import { fill, watchEvents, onDisk } from '../../repository/fill.ts'

const READ_ONLY = 'The repository is temporarily read-only. Please try again later.'

let time = Date.parse('2026-11-22T08:00:00Z')
const fast = tempDir()
const vault = tempDir()
const instance = await world({ clock: { now: () => time }, storages: { fast, vault } })
const { as, make, root, drain } = instance
const admin = as(root)
const owner = make.user({ username: 'owner' })

interface Stored {
  id: number
  path_with_namespace: string
  http_url_to_repo: string
  repository_storage: string
}
/** Creates a project and runs its first jobs, because a job that reads the repository would delay the removal. */
const createProject = async (): Promise<Stored> => {
  const made = await make.project({ owner, with: 'readme', visibility: 'public' })
  await drain()
  return made
}
const at = ({ id }: { id: number }) => `/projects/${id}/repository_storage_moves`
const diskPath = (id: number) =>
  instance.ctx().db.one<{ disk_path: string }>('SELECT disk_path FROM projects WHERE id = ?', id)!.disk_path
const state = async (move: { id: number }, kind = 'project') =>
  (await admin.get(`/${kind}_repository_storage_moves/${move.id}`)).body

/** Schedules a move and returns it after it ended. */
async function moved(project: { id: number }, destination_storage_name: string) {
  const { status, body } = await admin.post(at(project), { destination_storage_name })
  expect(status).toBe(201)
  await drain()
  return state(body)
}

/** Delays the last step of a move until `work` ends, by holding the write lock. */
async function halfway(project: { id: number }, work: () => Promise<void>): Promise<void> {
  const entered = Promise.withResolvers<void>()
  const leave = Promise.withResolvers<void>()
  const held = withWriteLock(onDisk(instance, project), () => {
    entered.resolve()
    return leave.promise
  })
  await entered.promise
  try {
    await work()
  } finally {
    leave.resolve()
    await held
    await drain()
  }
}

describe('the move of a project', () => {
  it('moves code, wiki and every ref, and publishes its states', async () => {
    const project = await createProject()
    const [, tip] = fill(instance, project, [{ files: { a: 'a' } }, { branch: 'next', files: { b: 'b' } }])
    await keepAround(onDisk(instance, project), [tip!])
    const page = { title: 'Home', content: 'A page' }
    expect((await as(owner).post(`/projects/${project.id}/wikis`, page)).status).toBe(201)
    await drain()
    const refs = await listRefs(onDisk(instance, project), 'refs/')
    const received = watchEvents(instance, 'storage_move.changed')
    time += 60_000

    const { status, body } = await admin.post(at(project), { destination_storage_name: 'fast' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      created_at: '2026-11-22T08:01:00.000Z',
      state: 'scheduled',
      source_storage_name: 'default',
      destination_storage_name: 'fast',
      error_message: null,
      project: expect.objectContaining({ id: project.id, path_with_namespace: project.path_with_namespace }),
    })
    await drain()
    expect(await state(body)).toMatchObject({ state: 'finished', error_message: null })
    expect([...new Set(received.map((event) => event['state']))]).toEqual([
      'scheduled',
      'started',
      'replicated',
      'finished',
    ])

    const path = diskPath(project.id)
    const wiki = path.replace('.git', '.wiki.git')
    expect([path, wiki].map((name) => existsSync(join(fast, name)))).toEqual([true, true])
    const old = dataPaths(instance.dataDir).repositories
    expect([path, wiki].map((name) => existsSync(join(old, name)))).toEqual([false, false])
    expect(onDisk(instance, project).gitDir).toBe(join(fast, path))
    expect(await listRefs(onDisk(instance, project), 'refs/')).toEqual(refs)
    expect(await verifyRepository(onDisk(instance, project))).toEqual([])
    expect((await admin.get(`/projects/${project.id}`)).body).toMatchObject({ repository_storage: 'fast' })
    expect((await as(owner).get(`/projects/${project.id}/wikis/Home`)).body.content).toBe('A page')

    // The new folder accepts all writes.
    const file = { branch: 'main', content: 'c', commit_message: 'c' }
    expect((await as(owner).post(`/projects/${project.id}/repository/files/c`, file)).status).toBe(201)
    expect((await as(owner).put(`/projects/${project.id}/wikis/Home`, { content: 'New' })).status).toBe(200)
    expect((await git(tempDir(), 'clone', '-q', project.http_url_to_repo)).code).toBe(0)
  })

  it('moves to another storage and back, and lists the moves, the newest first', async () => {
    const project = await createProject()
    expect(await moved(project, 'fast')).toMatchObject({ state: 'finished' })
    expect(await moved(project, 'default')).toMatchObject({ state: 'finished' })
    const { body, headers } = await admin.get(`${at(project)}?per_page=1`)
    expect(body).toMatchObject([{ source_storage_name: 'fast', destination_storage_name: 'default' }])
    expect(headers.get('x-total')).toBe('2')
    expect((await admin.get(`${at(project)}/${body[0].id}`)).body).toEqual(body[0])
    expect((await admin.get('/project_repository_storage_moves')).body[0]).toEqual(body[0])
    expect((await as(owner).get(`/projects/${project.id}/repository/files/README.md?ref=main`)).status).toBe(
      200,
    )
  })

  it('chooses another storage by weight if none is given', async () => {
    const project = await createProject()
    const weights = { repository_storages_weighted: { default: 50, vault: 50 } }
    expect((await admin.put('/application/settings', weights)).status).toBe(200)
    const { body } = await admin.post(at(project))
    expect(body.destination_storage_name).not.toBe(project.repository_storage)
    await drain()
    const back = { repository_storages_weighted: { default: 100 } }
    expect((await admin.put('/application/settings', back)).body.repository_storages_weighted).toEqual({
      default: 100,
    })
  })

  it('is started by an administrator who edits the project', async () => {
    const project = await createProject()
    const { status, body } = await admin.put(`/projects/${project.id}`, { repository_storage: 'vault' })
    expect([status, body.repository_storage]).toEqual([200, 'default'])
    await drain()
    expect((await admin.get(`/projects/${project.id}`)).body.repository_storage).toBe('vault')
    expect(existsSync(join(vault, diskPath(project.id)))).toBe(true)
    const unknown = await admin.put(`/projects/${project.id}`, { repository_storage: 'nowhere' })
    expect(unknown.status).toBe(400)
  })

  it('refuses invalid moves', async () => {
    const project = await createProject()
    const unknown = await admin.post(at(project), { destination_storage_name: 'nowhere' })
    expect(unknown.body).toEqual({ error: 'destination_storage_name does not have a valid value' })
    expect(unknown.status).toBe(400)
    expect((await as(owner).post(at(project))).status).toBe(403)
    expect((await as(owner).get(at(project))).status).toBe(403)
    expect((await as(null).get('/project_repository_storage_moves')).status).toBe(401)
    expect((await admin.get(`${at(project)}/99999`)).status).toBe(404)
    expect((await admin.get('/project_repository_storage_moves/99999')).status).toBe(404)
    expect((await admin.post('/projects/99999/repository_storage_moves')).status).toBe(404)
    await halfway(project, async () => {
      expect((await admin.post(at(project), { destination_storage_name: 'fast' })).status).toBe(201)
      const { status, body } = await admin.post(at(project))
      expect([status, body]).toEqual([400, { message: { project: ['is read-only'] } }])
    })
  })
})

describe('a project during its move', () => {
  it('is readable, and refuses changes from outside', async () => {
    const project = await createProject()
    const folder = await clone(project.http_url_to_repo.replace('://', `://owner:${owner.token}@`))
    commit(folder, 'late.txt', 'late')
    const wiki = { title: 'Late', content: 'late' }
    await as(owner).post(`/projects/${project.id}/wikis`, { title: 'Home', content: 'Home' })
    const change = { branch: 'change', start_branch: 'main', content: 'new', commit_message: 'new' }
    await as(owner).post(`/projects/${project.id}/repository/files/new`, change)
    const params = { source_branch: 'change', target_branch: 'main', title: 'Change' }
    const { iid } = (await as(owner).post(`/projects/${project.id}/merge_requests`, params)).body
    await drain()
    const merge = () => as(owner).put(`/projects/${project.id}/merge_requests/${iid}/merge`)
    await halfway(project, async () => {
      await admin.post(at(project), { destination_storage_name: 'fast' })
      const { code, stderr } = await git(folder, 'push', 'origin', 'HEAD:main')
      expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(READ_ONLY)])
      const file = { branch: 'main', content: 'late', commit_message: 'late' }
      const saved = await as(owner).post(`/projects/${project.id}/repository/files/late`, file)
      expect(saved.status).toBeGreaterThanOrEqual(400)
      expect(saved.text).toContain(READ_ONLY)
      const page = await as(owner).post(`/projects/${project.id}/wikis`, wiki)
      expect(page.status).toBeGreaterThanOrEqual(400)
      expect(page.text).toContain(READ_ONLY)
      expect((await merge()).status).toBeGreaterThanOrEqual(400)
      expect(
        (await as(owner).get(`/projects/${project.id}/repository/files/README.md?ref=main`)).status,
      ).toBe(200)
      expect((await git(tempDir(), 'clone', '-q', project.http_url_to_repo)).code).toBe(0)
    })
    // After the move the same push and the same merge succeed.
    expect((await merge()).body.state).toBe('merged')
    expect((await git(folder, 'pull', '-q', '--rebase', 'origin', 'main')).code).toBe(0)
    expect((await git(folder, 'push', 'origin', 'HEAD:main')).code).toBe(0)
    expect(readdirSync(fast, { recursive: true }).filter((name) => String(name).includes('.moving'))).toEqual(
      [],
    )
  })

  it('keeps internal writes', async () => {
    const project = await createProject()
    const [tip] = fill(instance, project, [{ files: { a: 'a' } }])
    // A handle from before the move, as in a running merge or pipeline.
    const handle = onDisk(instance, project)
    const writing: Promise<void>[] = []
    await halfway(project, async () => {
      const { body } = await admin.post(at(project), { destination_storage_name: 'fast' })
      await expect.poll(async () => (await state(body)).state, { interval: 5 }).toBe('started')
      await keepAround(handle, [tip!])
      // These writes start during the move.
      const refs = Array.from({ length: 20 }, (_, index) => `refs/pipelines/${index}`)
      for (const ref of refs) writing.push(updateRefs(handle, [{ ref, new: tip! }]))
    })
    await Promise.all(writing)
    expect(onDisk(instance, project).gitDir.startsWith(fast)).toBe(true)
    const names = (await listRefs(handle, 'refs/')).map(({ ref }) => ref)
    expect(names.filter((name) => name.startsWith('refs/pipelines/'))).toHaveLength(20)
    expect(names).toContain(`refs/keep-around/${tip}`)
  })

  it('keeps the old copy for running reads', async () => {
    const project = await createProject()
    const old = onDisk(instance, project).gitDir
    const leave = instance.ctx().git.traffic.read([old])
    expect(await moved(project, 'fast')).toMatchObject({ state: 'replicated' })
    expect(existsSync(old)).toBe(true)
    // The repository cannot move back before its old folder is removed.
    const { body } = await admin.post(at(project), { destination_storage_name: 'default' })
    time += 2000
    await drain()
    expect((await state(body)).state).toBe('scheduled')
    leave()
    for (let round = 0; round < 3; round++) {
      time += 2000
      await drain()
    }
    expect((await state(body)).state).toBe('finished')
    expect(onDisk(instance, project).gitDir).toBe(old)
    expect(await verifyRepository(onDisk(instance, project))).toEqual([])
  })

  it('can be deleted', async () => {
    const project = await createProject()
    const path = diskPath(project.id)
    await halfway(project, async () => {
      const { body } = await admin.post(at(project), { destination_storage_name: 'fast' })
      await expect.poll(async () => (await state(body)).state, { interval: 5 }).toBe('started')
      expect((await admin.delete(`/projects/${project.id}`)).status).toBe(202)
    })
    expect(existsSync(join(fast, path))).toBe(false)
    expect(existsSync(join(fast, `${path}.moving`))).toBe(false)
    expect(existsSync(join(dataPaths(instance.dataDir).repositories, path))).toBe(false)
  })
})

describe('a failed move', () => {
  const writable = async (project: Stored) => {
    const file = { branch: 'main', content: 'x', commit_message: 'x' }
    return (await as(owner).post(`/projects/${project.id}/repository/files/x`, file)).status
  }

  it('reports that the repository is already in the storage', async () => {
    const project = await createProject()
    const { state: ended, error_message } = await moved(project, 'default')
    expect([ended, error_message]).toEqual(['failed', 'The repository is already in the storage "default".'])
    expect(await writable(project)).toBe(201)
  })

  it('reports that the repository is missing', async () => {
    const project = await createProject()
    const path = onDisk(instance, project).gitDir
    renameSync(path, `${path}.away`)
    const { state: ended, error_message } = await moved(project, 'fast')
    expect([ended, error_message]).toEqual(['failed', 'The repository is not in the storage "default".'])
    renameSync(`${path}.away`, path)
    expect(await writable(project)).toBe(201)
  })

  it('reports a missing storage, and leaves nothing behind', async () => {
    const project = await createProject()
    renameSync(vault, `${vault}.away`)
    const { state: ended, error_message } = await moved(project, 'vault')
    expect([ended, error_message]).toEqual(['failed', 'The folder of the storage "vault" does not exist.'])
    expect(existsSync(vault)).toBe(false)
    renameSync(`${vault}.away`, vault)
    expect(await writable(project)).toBe(201)
  })

  it('reports a damaged repository, and leaves it in its storage', async () => {
    const project = await createProject()
    const { gitDir } = onDisk(instance, project)
    const [blob] = (await as(owner).get(`/projects/${project.id}/repository/tree`)).body
    const file = join(gitDir, 'objects', blob.id.slice(0, 2), blob.id.slice(2))
    renameSync(file, `${gitDir}.blob`)
    const { state: ended, error_message } = await moved(project, 'vault')
    expect([ended, error_message]).toEqual([
      'failed',
      'The repository cannot be read completely; it may be damaged.',
    ])
    renameSync(`${gitDir}.blob`, file)
    expect(existsSync(join(vault, diskPath(project.id)))).toBe(false)
    expect(existsSync(join(vault, `${diskPath(project.id)}.moving`))).toBe(false)
    expect(await writable(project)).toBe(201)
  })

  it('removes an incomplete copy of an earlier move', async () => {
    const project = await createProject()
    const path = diskPath(project.id)
    for (const name of [path, `${path}.moving`]) mkdirSync(join(vault, name, 'refs'), { recursive: true })
    expect(await moved(project, 'vault')).toMatchObject({ state: 'finished' })
    expect(existsSync(join(vault, `${path}.moving`))).toBe(false)
    expect(await verifyRepository(onDisk(instance, project))).toEqual([])
  })
})

describe('snippets and group wikis', () => {
  it('move like projects', async () => {
    const files = [{ file_path: 'a.txt', content: 'a' }]
    const params = { title: 'Snippet', visibility: 'public', files }
    const snippet = (await as(owner).post('/snippets', params)).body
    await drain()
    const path = `/snippets/${snippet.id}/repository_storage_moves`
    const { status, body } = await admin.post(path, { destination_storage_name: 'fast' })
    expect(status).toBe(201)
    expect(body.snippet).toEqual({
      id: snippet.id,
      title: 'Snippet',
      description: null,
      visibility: 'public',
      updated_at: snippet.updated_at,
      created_at: snippet.created_at,
      project_id: null,
      web_url: snippet.web_url,
      raw_url: snippet.raw_url,
      ssh_url_to_repo: snippet.ssh_url_to_repo,
      http_url_to_repo: snippet.http_url_to_repo,
    })
    await drain()
    expect((await state(body, 'snippet')).state).toBe('finished')
    expect((await admin.get(`${path}/${body.id}`)).body.state).toBe('finished')
    expect((await admin.get(path)).body).toHaveLength(1)
    expect((await admin.get('/snippet_repository_storage_moves')).body).toHaveLength(1)
    expect((await as(owner).get(`/snippets/${snippet.id}/raw`)).text).toBe('a')
    expect((await admin.get(`/snippets/${snippet.id}`)).body.repository_storage).toBe('fast')
    expect((await admin.get(`/snippets/99999/repository_storage_moves`)).status).toBe(404)
    expect((await as(owner).get(path)).status).toBe(403)

    instance.ctx().db.exec('UPDATE snippets SET repository_read_only = 1 WHERE id = ?', snippet.id)
    const edited = await as(owner).put(`/snippets/${snippet.id}`, { content: 'b' })
    expect([edited.status, edited.text]).toEqual([403, expect.stringContaining(READ_ONLY)])
    const again = await admin.post(path)
    expect([again.status, again.body]).toEqual([400, { message: { snippet: ['is read-only'] } }])
  })

  it('move the wiki of a group if it exists', async () => {
    const group = await make.group({ owner })
    const path = `/groups/${group.id}/repository_storage_moves`
    const early = await admin.post(path, { destination_storage_name: 'fast' })
    expect([early.status, early.body]).toEqual([400, { message: { group: ['has no repository'] } }])
    await as(owner).post(`/groups/${group.id}/wikis`, { title: 'Home', content: 'A page' })
    await drain()
    const { status, body } = await admin.post(path, { destination_storage_name: 'fast' })
    expect([status, body.group]).toEqual([201, { id: group.id, web_url: group.web_url, name: group.name }])
    await drain()
    expect((await state(body, 'group')).state).toBe('finished')
    expect((await admin.get(path)).body).toHaveLength(1)
    expect((await admin.get(`${path}/${body.id}`)).status).toBe(200)
    expect((await admin.get('/group_repository_storage_moves')).body).toHaveLength(1)
    expect((await as(owner).get(`/groups/${group.id}/wikis/Home`)).body.content).toBe('A page')
    expect(readdirSync(join(fast, '@groups'), { recursive: true }).join()).toContain(`${group.id}.wiki.git`)
  })
})

describe('moving all repositories of a storage', () => {
  it('schedules one move for each repository in the background', async () => {
    await moved(await createProject(), 'vault')
    const before = instance
      .ctx()
      .db.many<{ id: number }>("SELECT id FROM projects WHERE repository_storage = 'vault'")
    const { status, body } = await admin.post('/project_repository_storage_moves', {
      source_storage_name: 'vault',
      destination_storage_name: 'fast',
    })
    expect([status, body]).toEqual([202, { message: '202 Accepted' }])
    await drain()
    expect((await admin.get('/projects?repository_storage=vault')).body).toEqual([])
    for (const row of before)
      expect((await admin.get(at(row))).body[0]).toMatchObject({
        state: 'finished',
        source_storage_name: 'vault',
      })
    expect(readdirSync(vault, { recursive: true }).filter((name) => String(name).endsWith('.git'))).toEqual(
      [],
    )
  })

  it('works in several batches', async () => {
    const files = [{ file_path: 'a', content: 'a' }]
    const snippet = (await as(owner).post('/snippets', { title: 'One', files })).body
    const { db } = instance.ctx()
    // The copies have no repository on disk, so their moves fail. This does not affect the test.
    const copied = `INSERT INTO snippets (author_id, title, visibility, disk_path, default_branch, repository_state, created_at,
      updated_at) SELECT author_id, 'Copy', visibility, disk_path || '.' || value, default_branch, 'ready', created_at, updated_at
      FROM snippets, json_each(?) WHERE snippets.id = ?`
    db.exec(copied, JSON.stringify(Array.from({ length: 45 }, (_, index) => index)), snippet.id)
    const params = { source_storage_name: 'default', destination_storage_name: 'vault' }
    expect((await admin.post('/snippet_repository_storage_moves', params)).status).toBe(202)
    await drain()
    const count = 'SELECT count(DISTINCT snippet_id) AS count FROM repository_storage_moves WHERE state = ?'
    expect(db.one(count, 'failed')).toEqual({ count: 45 })
    expect(db.one('SELECT sum(repository_read_only) AS sum FROM snippets WHERE id > ?', snippet.id)).toEqual({
      sum: 0,
    })
    expect((await as(owner).get(`/snippets/${snippet.id}/raw`)).text).toBe('a')
    expect((await admin.get(`/snippets/${snippet.id}`)).body.repository_storage).toBe('vault')
    expect(
      (await admin.post('/group_repository_storage_moves', { ...params, source_storage_name: 'fast' }))
        .status,
    ).toBe(202)
    await drain()
  })

  it.each([
    [{}, 'source_storage_name is missing'],
    [{ source_storage_name: 'nowhere' }, 'source_storage_name does not have a valid value'],
    [
      { source_storage_name: 'fast', destination_storage_name: 'nowhere' },
      'destination_storage_name does not have a valid value',
    ],
    [
      { source_storage_name: 'fast', destination_storage_name: 'fast' },
      'destination_storage_name does not have a valid value',
    ],
  ])('refuses %j', async (params, error) => {
    for (const kind of ['project', 'snippet', 'group']) {
      const { status, body } = await admin.post(`/${kind}_repository_storage_moves`, params)
      expect([status, body]).toEqual([400, { error }])
      if (!('source_storage_name' in params)) continue
      expect((await as(owner).post(`/${kind}_repository_storage_moves`, params)).status).toBe(403)
    }
  })
})
