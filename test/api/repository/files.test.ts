import { createHash } from 'node:crypto'

import { beforeEach, describe, expect, it } from 'vitest'

import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
const developer = make.user({ username: 'developer' })
const guest = make.user({ username: 'guest' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string

beforeEach(async () => {
  project = await make.project({ visibility: 'private' })
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, guest, 10)
  ids = fill(instance, project, [
    { files: { 'lib/a.rb': 'puts 1\n', 'bin/run': { mode: '100755', content: '#!/bin/sh\n' } } },
    { files: { 'naïve ü.txt': 'ü\n', empty: '' } },
  ])
  at = `/projects/${project.id}/repository/files`
})

const show = (ref: string) => shell(onDisk(instance, project), ['cat-file', '-p', ref])

describe('GET /projects/:id/repository/files/:file_path', () => {
  it('returns the file with content, ids and headers', async () => {
    const { status, body, headers } = await as(developer).get(`${at}/lib%2Fa%2Erb?ref=main`)
    expect(status).toBe(200)
    expect(body).toEqual({
      file_name: 'a.rb',
      file_path: 'lib/a.rb',
      size: 7,
      encoding: 'base64',
      content_sha256: createHash('sha256').update('puts 1\n').digest('hex'),
      ref: 'main',
      blob_id: shell(onDisk(instance, project), ['rev-parse', 'main:lib/a.rb']),
      commit_id: ids[1],
      last_commit_id: ids[0],
      execute_filemode: false,
      content: Buffer.from('puts 1\n').toString('base64'),
    })
    for (const prefix of ['x-service', 'x-gitlab']) {
      expect(headers.get(`${prefix}-last-commit-id`)).toBe(ids[0])
      expect(headers.get(`${prefix}-file-path`)).toBe('lib/a.rb')
      expect(headers.get(`${prefix}-size`)).toBe('7')
    }
    expect((await as(developer).get(`${at}/lib%2Fa%2Erb?ref=main`)).body).toEqual(body)
  })

  it('returns only the headers on HEAD', async () => {
    const { status, text, headers } = await as(developer).head(`${at}/bin%2Frun?ref=main`)
    expect([status, text]).toEqual([200, ''])
    expect(headers.get('x-service-execute-filemode')).toBe('true')
    const raw = await as(developer).head(`${at}/bin%2Frun/raw?ref=main`)
    expect([raw.status, raw.text, raw.headers.get('content-length')]).toEqual([200, '', '10'])
  })

  it('reports missing and invalid parameters', async () => {
    const get = async (path: string) => {
      const { status, body } = await as(developer).get(`${at}/${path}`)
      return [status, body]
    }
    expect(await get('lib%2Fa.rb')).toEqual([400, { error: 'ref is missing' }])
    expect(await get('lib%2Fa.rb?ref=nope')).toEqual([404, { message: '404 Commit Not Found' }])
    expect(await get('lib%2Fnope?ref=main')).toEqual([404, { message: '404 File Not Found' }])
    expect(await get('lib?ref=main')).toEqual([404, { message: '404 File Not Found' }])
    for (const path of ['..%2Fx', 'lib%2F..%2F..%2Fetc', '%2Fetc%2Fpasswd', 'a%2F%2Fb']) {
      expect(await get(`${path}?ref=main`)).toEqual([400, { error: 'file_path should be a valid file path' }])
    }
    expect((await as(guest).get(`${at}/lib%2Fa.rb?ref=main`)).status).toBe(403)
  })

  it('returns the bytes', async () => {
    const raw = await as(developer).get(`${at}/na%C3%AFve%20%C3%BC.txt/raw`)
    expect(raw.text).toBe('ü\n')
    expect(raw.headers.get('content-type')).toBe('text/plain')
    expect(raw.headers.get('x-service-file-path')).toBe('na%C3%AFve%20%C3%BC.txt')
    expect(raw.headers.get('content-disposition')).toContain("filename*=UTF-8''na%C3%AFve%20%C3%BC.txt")
    expect((await as(developer).get(`${at}/empty/raw?ref=main`)).text).toBe('')
    expect((await as(developer).get(`${at}/nope/raw`)).status).toBe(404)
  })

  it('streams a file above the memory limit', async () => {
    const content = Buffer.alloc(5 * 1024 * 1024, 'abcdefghij\n')
    fill(instance, project, [{ files: { 'large.txt': content } }])
    const { text, headers } = await as(developer).get(`${at}/large.txt/raw?ref=main`)
    expect(createHash('sha256').update(text).digest('hex')).toBe(headers.get('x-service-content-sha256'))
    expect(text).toHaveLength(content.length)
  })
})

describe('POST /projects/:id/repository/files/:file_path', () => {
  const file = { branch: 'main', content: 'new\n', commit_message: 'Add a file' }

  it('commits a new file and publishes it', async () => {
    const received = watchEvents(instance, 'refs.updated')
    const { status, body } = await as(developer).post(`${at}/docs%2Fnew.md`, file)
    expect([status, body]).toEqual([201, { file_path: 'docs/new.md', branch: 'main' }])
    expect(show('main:docs/new.md')).toBe('new')
    const commit = show('main')
    expect(commit).toContain(`parent ${ids[1]}`)
    expect(commit).toContain('author DEVELOPER <developer@example.test>')
    expect(received).toMatchObject([{ source: 'api', updates: [{ ref: 'refs/heads/main', old: ids[1] }] }])
  })

  it('accepts another author, Base64, a mode and a new branch', async () => {
    const content = Buffer.from([0, 1, 2, 255])
    const { status } = await as(developer).post(`${at}/tool`, {
      ...file,
      branch: 'feature',
      start_branch: 'main',
      content: content.toString('base64'),
      encoding: 'base64',
      execute_filemode: true,
      author_name: 'Somebody Else',
      author_email: 'else@example.test',
    })
    expect(status).toBe(201)
    const { body } = await as(developer).get(`${at}/tool?ref=feature`)
    expect(body).toMatchObject({ content: content.toString('base64'), execute_filemode: true })
    expect(show('feature')).toContain('author Somebody Else <else@example.test>')
    expect(show('feature')).toContain('committer DEVELOPER')
  })

  it('creates the first commit of an empty project', async () => {
    const empty = await make.project({})
    const { status } = await as(root).post(`/projects/${empty.id}/repository/files/a.txt`, file)
    expect(status).toBe(201)
    const { body } = await as(root).get(`/projects/${empty.id}`)
    expect(body).toMatchObject({ empty_repo: false, default_branch: 'main' })
  })

  it('reports invalid changes', async () => {
    const post = async (path: string, more: object = {}) => {
      const { status, body } = await as(developer).post(`${at}/${path}`, { ...file, ...more })
      return [status, body.message ?? body.error]
    }
    expect(await post('lib%2Fa.rb')).toEqual([400, 'A file with this name already exists'])
    expect(await post('lib')).toEqual([400, 'A directory with this name already exists'])
    expect((await post('lib%2Fa.rb%2Fx'))[0]).toBe(400)
    expect(await post('x', { branch: 'nope' })).toEqual([
      400,
      'You can only create or edit files when you are on a branch',
    ])
    expect(await post('x', { encoding: 'base64', content: '***' })).toEqual([
      400,
      'The content is not valid Base64',
    ])
    expect(await post('..%2Fx')).toEqual([400, 'file_path should be a valid file path'])
    expect((await post('.git%2Fconfig'))[0]).toBe(400)
    expect((await post('x', { commit_message: '' }))[0]).toBe(400)
    const missing = await as(developer).post(`${at}/x`, {})
    expect(missing.body.error).toBe('branch is missing, commit_message is missing, content is missing')
    expect((await as(guest).post(`${at}/x`, file)).status).toBe(403)
  })

  it('respects the protection of the branch', async () => {
    await as(root).post(`/projects/${project.id}/protected_branches`, { name: 'main' })
    const { status, body } = await as(developer).post(`${at}/x`, file)
    expect([status, body]).toEqual([400, { message: 'You are not allowed to push into this branch' }])
    expect((await as(root).post(`${at}/x`, file)).status).toBe(201)
  })
})

describe('PUT and DELETE /projects/:id/repository/files/:file_path', () => {
  const change = { branch: 'main', content: 'changed\n', commit_message: 'Change it' }

  it('changes a file and keeps its mode', async () => {
    const { status, body } = await as(developer).put(`${at}/bin%2Frun`, change)
    expect([status, body]).toEqual([200, { file_path: 'bin/run', branch: 'main' }])
    const { body: file } = await as(developer).get(`${at}/bin%2Frun?ref=main`)
    expect(file).toMatchObject({ execute_filemode: true, size: 8 })
  })

  it('refuses if the file changed after last_commit_id', async () => {
    const stale = { ...change, last_commit_id: ids[1] }
    const { status, body } = await as(developer).put(`${at}/lib%2Fa.rb`, stale)
    expect(status).toBe(400)
    expect(body.message).toMatch(/has changed since you started editing/)
    expect((await as(developer).put(`${at}/lib%2Fa.rb`, { ...change, last_commit_id: ids[0] })).status).toBe(
      200,
    )
  })

  it('returns an error for a missing file', async () => {
    const { status, body } = await as(developer).put(`${at}/nope`, change)
    expect([status, body]).toEqual([400, { message: "A file with this name doesn't exist" }])
    const deleted = await as(developer).delete(`${at}/nope`, { branch: 'main', commit_message: 'x' })
    expect(deleted.status).toBe(400)
  })

  it('deletes a file, also with parameters in the query', async () => {
    const { status } = await as(developer).delete(`${at}/lib%2Fa.rb?branch=main&commit_message=Drop`)
    expect(status).toBe(204)
    expect((await as(developer).get(`${at}/lib%2Fa.rb?ref=main`)).status).toBe(404)
    expect((await as(developer).get(`${at}/lib%2Fa.rb?ref=${ids[0]}`)).status).toBe(200)
  })

  it('lets one of several concurrent changes succeed, and loses no successful one', async () => {
    const all = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => as(developer).post(`${at}/file-${n}`, { ...change, content: `${n}\n` })),
    )
    const made = all.filter((answer) => answer.status === 201).length
    expect(made).toBeGreaterThan(0)
    const { body } = await as(developer).get(`/projects/${project.id}/repository/tree?per_page=100`)
    const there = body.filter((entry: { name: string }) => entry.name.startsWith('file-'))
    expect(there).toHaveLength(made)
  })
})
