import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
const developer = make.user({ username: 'developer' })
const project = await make.project({ visibility: 'private' })
await make.member('projects', project.id, developer, 30)
const [first, second] = fill(instance, project, [
  {
    files: {
      'README.md': '# Hello\n',
      'lib/a.rb': 'puts 1\n',
      'lib/deep/b.rb': 'puts 2\n',
      'bin/run': { mode: '100755', content: '#!/bin/sh\n' },
      'naïve ü.txt': 'ü\n',
      '--option': 'x\n',
    },
  },
  { files: { vendored: { mode: '160000', content: 'a'.repeat(40) }, 'README.md': '# Hello again\n' } },
])
const at = `/projects/${project.id}/repository/tree`
const names = (body: { name: string }[]) => body.map((entry) => entry.name)

describe('GET /projects/:id/repository/tree', () => {
  it('lists the root, folders first', async () => {
    const { status, body, headers } = await as(developer).get(at)
    expect(status).toBe(200)
    expect(names(body)).toEqual(['bin', 'lib', '--option', 'README.md', 'naïve ü.txt', 'vendored'])
    expect(body[0]).toEqual({
      id: expect.any(String),
      name: 'bin',
      type: 'tree',
      path: 'bin',
      mode: '040000',
    })
    expect(body[5]).toMatchObject({ type: 'commit', mode: '160000', id: 'a'.repeat(40) })
    expect(headers.get('x-total')).toBe('6')
  })

  it('lists a folder, also recursively', async () => {
    expect(names((await as(developer).get(`${at}?path=lib`)).body)).toEqual(['deep', 'a.rb'])
    const all = await as(developer).get(`${at}?recursive=true&path=lib/`)
    expect(all.body.map((entry: { path: string }) => entry.path)).toEqual([
      'lib/deep',
      'lib/a.rb',
      'lib/deep/b.rb',
    ])
  })

  it('accepts any kind of ref', async () => {
    for (const ref of ['main', 'refs/heads/main', second!, second!.slice(0, 10)]) {
      expect((await as(developer).get(`${at}?ref=${ref}`)).body).toHaveLength(6)
    }
    expect((await as(developer).get(`${at}?ref=${first}`)).body).toHaveLength(5)
  })

  it('pages by number and by token, and lists everything without paging', async () => {
    expect(names((await as(developer).get(`${at}?per_page=4&page=2`)).body)).toEqual([
      'naïve ü.txt',
      'vendored',
    ])
    const found: string[] = []
    let next: string | undefined = `${at}?pagination=keyset&per_page=2&recursive=true`
    while (next) {
      const { body, headers } = await as(developer).get(next)
      found.push(...body.map((entry: { path: string }) => entry.path))
      const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      next = link && `!${link.slice(instance.url.length)}`
    }
    const whole = await as(developer).get(`${at}?pagination=none&recursive=true&per_page=2`)
    expect(whole.body.map((entry: { path: string }) => entry.path)).toEqual(found)
    for (const name of ['x-page', 'x-total', 'link']) expect(whole.headers.has(name)).toBe(false)
    const folder = await as(developer).get(`${at}?pagination=none&per_page=2`)
    expect([folder.body.length, folder.headers.get('x-page')]).toEqual([2, '1'])
    expect(found).toHaveLength(10)
    const { body } = await as(developer).get(
      `${at}?pagination=keyset&page_token=${whole.body[0].id}&per_page=1`,
    )
    expect(names(body)).toEqual(['lib'])
  })

  it('returns 404 for an unknown ref or path, and 400 for a path outside of the repository', async () => {
    expect((await as(developer).get(`${at}?ref=nope`)).body).toEqual({ message: '404 Tree Not Found' })
    for (const path of ['nope', 'README.md', 'lib/a.rb/x']) {
      const { status, body } = await as(developer).get(`${at}?path=${path}`)
      expect(status).toBe(404)
      expect(body).toEqual({ message: '404 invalid revision or path Not Found' })
    }
    for (const path of ['../x', 'lib/../../x', './x', 'lib//a.rb']) {
      expect((await as(developer).get(`${at}?path=${path}`)).status, path).toBe(400)
    }
    expect((await as(developer).get(`${at}?ref=--all`)).status).toBe(404)
    expect((await as(developer).get(`${at}?path=%00`)).status).toBe(400)
  })

  it('returns 404 for an empty repository', async () => {
    const empty = await make.project({})
    const { status, body } = await as(root).get(`/projects/${empty.id}/repository/tree`)
    expect([status, body]).toEqual([404, { message: '404 Tree Not Found' }])
  })
})

describe('GET /projects/:id/repository/blobs/:sha', () => {
  const blobs = `/projects/${project.id}/repository/blobs`

  it('returns a blob and its bytes', async () => {
    const { body: tree } = await as(developer).get(`${at}?path=lib`)
    const { id } = tree[1]
    expect((await as(developer).get(`${blobs}/${id}`)).body).toEqual({
      size: 7,
      encoding: 'base64',
      content: Buffer.from('puts 1\n').toString('base64'),
      sha: id,
    })
    const raw = await as(developer).get(`${blobs}/${id}/raw`)
    expect(raw.text).toBe('puts 1\n')
    expect(raw.headers.get('content-disposition')).toBe('attachment')
    const head = await as(developer).head(`${blobs}/${id}/raw`)
    expect([head.status, head.headers.get('content-length'), head.text]).toEqual([200, '7', ''])
  })

  it('returns 404 for ids that are no blob', async () => {
    for (const id of ['0'.repeat(40), first!, 'main', '--all', 'x']) {
      for (const rest of ['', '/raw']) {
        const { status, body } = await as(developer).get(`${blobs}/${id}${rest}`)
        expect([status, body]).toEqual([404, { message: '404 Blob Not Found' }])
      }
    }
  })
})

describe('the last commits of the entries of a folder', () => {
  const last = (query = '', user: typeof developer | null = developer) =>
    as(user).get(`/-/projects/${project.id}/repository/last_commits${query}`)
  const byName = (body: { name: string; commit_id: string }[]) =>
    Object.fromEntries(body.map((entry) => [entry.name, entry.commit_id]))

  it('are those that changed each of them', async () => {
    const { status, body } = await last()
    expect(status).toBe(200)
    expect(byName(body)).toMatchObject({
      lib: first,
      'README.md': second,
      vendored: second,
      '--option': first,
    })
    expect(body).toContainEqual(
      expect.objectContaining({ name: 'lib', author_name: 'Ada Author', committed_date: expect.any(String) }),
    )
    expect(byName((await last('?path=lib')).body)).toEqual({ 'a.rb': first, deep: first })
    expect(byName((await last(`?ref=${first}`)).body)['README.md']).toBe(first)
  })

  it('are refused for unknown refs and folders, and to strangers', async () => {
    expect((await last('?ref=nope')).status).toBe(404)
    expect((await last('?path=nope')).status).toBe(404)
    expect((await last('?path=../x')).status).toBe(400)
    expect((await last('', null)).status).toBe(404)
  })
})
