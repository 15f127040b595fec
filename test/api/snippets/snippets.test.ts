import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let author: TestUser
let other: TestUser
let outsider: TestUser

// oxlint-disable-next-line typescript/no-explicit-any
const ids = (rows: any[]): number[] => rows.map((row) => row.id)
const params = (more: object = {}) => ({ title: 'A title', file_name: 'a.txt', content: 'hello\n', ...more })

beforeAll(async () => {
  w = await world()
  author = w.make.user({ username: 'author' })
  other = w.make.user({ username: 'other' })
  outsider = w.make.user({ username: 'outsider', external: true })
})

describe('a personal snippet', () => {
  it('is created from one file, and read back', async () => {
    const { status, body } = await w
      .as(author)
      .post('/snippets', params({ description: 'About', visibility: 'public' }))
    expect(status).toBe(201)
    expect(body).toMatchObject({
      title: 'A title',
      description: 'About',
      visibility: 'public',
      project_id: null,
      author: { username: 'author' },
      file_name: 'a.txt',
      web_url: `${w.url}/-/snippets/${body.id}`,
      raw_url: `${w.url}/-/snippets/${body.id}/raw`,
      http_url_to_repo: `${w.url}/snippets/${body.id}.git`,
      files: [{ path: 'a.txt', raw_url: `${w.url}/-/snippets/${body.id}/raw/main/a.txt` }],
    })
    expect(body.repository_storage).toBeUndefined()
    expect((await w.as(w.root).get(`/snippets/${body.id}`)).body.repository_storage).toBe('default')
    const raw = await w.as(null).get(`/snippets/${body.id}/raw`)
    expect(raw.text).toBe('hello\n')
    expect(raw.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await w.as(null).get(`/snippets/${body.id}/files/main/a.txt/raw`)).text).toBe('hello\n')
    expect((await w.as(null).get(`!/-/snippets/${body.id}/raw/main/a.txt`)).text).toBe('hello\n')
    expect((await w.as(null).get(`/snippets/${body.id}/files/main/b.txt/raw`)).body).toEqual({
      message: '404 File Not Found',
    })
    expect((await w.as(null).get(`/snippets/${body.id}/files/nowhere/a.txt/raw`)).status).toBe(404)
  })

  it('is created from several files and changed file by file', async () => {
    const files = [
      { file_path: 'b.md', content: '# B' },
      { file_path: 'dir/a.txt', content: 'a' },
    ]
    const made = await w.as(author).post('/snippets', { title: 'Two', files })
    expect(made.body.visibility).toBe('internal')
    expect(made.body.files.map((file: { path: string }) => file.path)).toEqual(['b.md', 'dir/a.txt'])
    const at = `/snippets/${made.body.id}`
    const changed = await w.as(author).put(at, {
      title: 'Three',
      files: [
        { action: 'move', previous_path: 'b.md', file_path: 'first.md' },
        { action: 'update', file_path: 'dir/a.txt', content: 'changed' },
        { action: 'create', file_path: 'c.txt', content: 'c' },
      ],
    })
    expect(changed.status).toBe(200)
    expect(changed.body.title).toBe('Three')
    expect(changed.body.files.map((file: { path: string }) => file.path)).toEqual([
      'first.md',
      'dir/a.txt',
      'c.txt',
    ])
    expect((await w.as(author).get(`${at}/raw`)).text).toBe('# B')
    expect((await w.as(author).get(`${at}/files/main/dir%2Fa.txt/raw`)).text).toBe('changed')
    const removed = await w.as(author).put(at, { files: [{ action: 'delete', file_path: 'first.md' }] })
    expect(removed.body.file_name).toBe('dir/a.txt')
  })

  it('accepts the older form of a change', async () => {
    const { body } = await w.as(author).post('/snippets', params())
    const at = `/snippets/${body.id}`
    expect((await w.as(author).put(at, { content: 'new' })).status).toBe(200)
    expect((await w.as(author).get(`${at}/raw`)).text).toBe('new')
    expect((await w.as(author).put(at, { file_name: 'b.txt', content: 'newer' })).body.file_name).toBe(
      'b.txt',
    )
    expect((await w.as(author).get(`${at}/raw`)).text).toBe('newer')
    expect((await w.as(author).put(at, { description: '', visibility: 'private' })).body.visibility).toBe(
      'private',
    )
  })

  it('refuses invalid snippets, and leaves nothing behind', async () => {
    const post = async (body: object) => (await w.as(author).post('/snippets', body)).body
    expect(await post({ file_name: 'a', content: 'a' })).toEqual({ error: 'title is missing' })
    expect(await post({ title: 'A' })).toEqual({
      error: 'content, files are missing, exactly one parameter must be provided',
    })
    expect(await post({ ...params(), files: [{ file_path: 'a', content: 'a' }] })).toEqual({
      error: 'content, files are mutually exclusive, file_name, files are mutually exclusive',
    })
    expect(await post({ title: 'A', content: 'a' })).toEqual({ error: 'file_name is missing' })
    expect(await post(params({ visibility: 'secret' }))).toEqual({
      error: 'visibility does not have a valid value',
    })
    expect(await post(params({ title: 'x'.repeat(256) }))).toEqual({
      message: { title: ['is too long (maximum is 255 characters)'] },
    })
    const before = (await w.as(author).get('/snippets')).headers.get('x-total')
    for (const file_name of ['../a', '.git/config', 'a//b']) {
      const { status, body } = await w.as(author).post('/snippets', params({ file_name }))
      expect(status).toBe(400)
      expect(body.message.error).toContain('Repository Error')
    }
    const many = Array.from({ length: 11 }, (_, index) => ({ file_path: `${index}`, content: 'x' }))
    expect(await post({ title: 'Many', files: many })).toEqual({
      message: { error: 'Snippet files can have at most 10 files' },
    })
    expect((await w.as(author).get('/snippets')).headers.get('x-total')).toBe(before)
    expect((await w.as(null).post('/snippets', params())).status).toBe(401)
    expect((await w.as(outsider).post('/snippets', params())).status).toBe(403)
  })

  it('is visible by its visibility, and changed by its author', async () => {
    const [secret, internal, open] = await Promise.all(
      ['private', 'internal', 'public'].map(
        async (visibility) => (await w.as(author).post('/snippets', params({ visibility }))).body.id,
      ),
    )
    const seen = async (user: TestUser | null, id: number) => (await w.as(user).get(`/snippets/${id}`)).status
    const rows = [
      [null, 404, 404, 200],
      [other, 404, 200, 200],
      [outsider, 404, 404, 200],
      [author, 200, 200, 200],
      [w.root, 200, 200, 200],
    ] as const
    for (const [user, ...expected] of rows) {
      const found = [await seen(user, secret), await seen(user, internal), await seen(user, open)]
      expect(found).toEqual(expected)
    }
    expect((await w.as(null).get(`/snippets/${secret}`)).body).toEqual({ message: '404 Snippet Not Found' })
    expect((await w.as(other).put(`/snippets/${open}`, { title: 'Mine' })).status).toBe(403)
    expect((await w.as(other).put(`/snippets/${secret}`, { title: 'Mine' })).status).toBe(404)
    expect((await w.as(null).put(`/snippets/${open}`, { title: 'Mine' })).status).toBe(401)
    expect((await w.as(other).delete(`/snippets/${open}`)).status).toBe(403)
    expect(ids((await w.as(other).get('/snippets/all?per_page=100')).body)).not.toContain(secret)
    expect(ids((await w.as(outsider).get('/snippets/all?per_page=100')).body)).not.toContain(internal)
    expect(ids((await w.as(other).get('/snippets/public?per_page=100')).body)).toContain(open)
    expect(ids((await w.as(other).get('/snippets/public?per_page=100')).body)).not.toContain(internal)
    expect((await w.as(other).get('/snippets')).body).toEqual([])
  })

  it('is deleted with its repository', async () => {
    const { body } = await w.as(author).post('/snippets', params())
    const row = w.ctx().db.one<{ disk_path: string }>('SELECT disk_path FROM snippets WHERE id = ?', body.id)!
    const path = join(w.dataDir, 'repositories', row.disk_path)
    expect(existsSync(path)).toBe(true)
    expect((await w.as(author).delete(`/snippets/${body.id}`)).status).toBe(204)
    expect((await w.as(author).get(`/snippets/${body.id}`)).status).toBe(404)
    await w.drain()
    expect(existsSync(path)).toBe(false)
  })

  it('shows administrators the client that created it', async () => {
    const { body } = await w.as(author).post('/snippets', params(), { 'user-agent': 'a test' })
    const detail = await w.as(w.root).get(`/snippets/${body.id}/user_agent_detail`)
    expect(detail.body).toMatchObject({ user_agent: 'a test', spamcheck_submitted: false })
    expect((await w.as(author).get(`/snippets/${body.id}/user_agent_detail`)).status).toBe(403)
  })
})

describe('a snippet of a project', () => {
  it('belongs to the members of the project', async () => {
    const project = await w.make.project({ owner: author, visibility: 'public' })
    const guest = w.make.user()
    const reporter = w.make.user()
    const maintainer = w.make.user()
    await w.make.member('projects', project.id, guest, 10)
    await w.make.member('projects', project.id, reporter, 20)
    await w.make.member('projects', project.id, maintainer, 40)
    const at = `/projects/${project.id}/snippets`
    expect((await w.as(reporter).post(at, params())).body).toEqual({ error: 'visibility is missing' })
    expect((await w.as(guest).post(at, params({ visibility: 'public' }))).status).toBe(403)
    const { body } = await w.as(reporter).post(at, params({ visibility: 'private' }))
    expect(body).toMatchObject({
      project_id: project.id,
      web_url: `${project.web_url}/-/snippets/${body.id}`,
      http_url_to_repo: `${project.web_url}/snippets/${body.id}.git`,
    })
    expect((await w.as(guest).get(`${at}/${body.id}`)).status).toBe(200)
    expect((await w.as(guest).get(`${at}/${body.id}/raw`)).text).toBe('hello\n')
    expect((await w.as(null).get(`${at}/${body.id}`)).status).toBe(404)
    expect((await w.as(other).get(at)).body).toEqual([])
    expect(ids((await w.as(guest).get(at)).body)).toEqual([body.id])
    expect((await w.as(guest).put(`${at}/${body.id}`, { title: 'x' })).status).toBe(403)
    expect((await w.as(maintainer).put(`${at}/${body.id}`, { title: 'x' })).body.title).toBe('x')
    expect((await w.as(other).get(`/snippets/${body.id}`)).status).toBe(404)
    expect((await w.as(guest).get(`/snippets/${body.id}`)).status).toBe(200)
    const elsewhere = await w.make.project({ owner: author })
    expect((await w.as(author).get(`/projects/${elsewhere.id}/snippets/${body.id}`)).status).toBe(404)
    await w.as(author).put(`/projects/${project.id}`, { snippets_access_level: 'disabled' })
    expect((await w.as(guest).get(at)).status).toBe(403)
    expect((await w.as(guest).get(`/snippets/${body.id}`)).status).toBe(404)
    await w.as(author).put(`/projects/${project.id}`, { snippets_access_level: 'enabled' })
    expect((await w.as(reporter).delete(`${at}/${body.id}`)).status).toBe(204)
  })

  it('is deleted with its project, including the repository', async () => {
    const project = await w.make.project({ owner: author })
    await w.as(author).post(`/projects/${project.id}/snippets`, params({ visibility: 'private' }))
    const folder = join(w.dataDir, 'repositories', '@snippets', 'projects', String(project.id))
    expect(existsSync(folder)).toBe(true)
    await w.as(author).delete(`/projects/${project.id}`)
    await w.drain()
    expect(existsSync(folder)).toBe(false)
  })
})
