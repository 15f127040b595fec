import { beforeAll, describe, expect, it } from 'vitest'

import { readBlobQuery } from '../../../server/domains/search/service-code.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let team: any
// oxlint-disable-next-line typescript/no-explicit-any
let code: any

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'marguerite' })
  stranger = w.make.user({ username: 'stranger' })
  team = await w.make.group({ owner, name: 'Lighthouse', path: 'lighthouse' })
  code = await w.make.project({ owner, name: 'lamp', namespace_id: team.id })
  await w.make.project({ owner, name: 'lamp-public', visibility: 'public' })
  await w.as(owner).post(`/projects/${code.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Light the lamp',
    actions: [
      { action: 'create', file_path: 'src/beam.ts', content: 'one\ntwo\nthe BEAM turns\nfour\nfive\nsix\n' },
      { action: 'create', file_path: 'docs/beam.md', content: 'nothing here\n' },
      { action: 'create', file_path: 'README.md', content: 'a beam of light\n' },
    ],
  })
})

// oxlint-disable-next-line typescript/no-explicit-any
const paths = (rows: any[]): string[] => rows.map((row) => row.path)

describe('the instance', () => {
  it('finds projects that the caller may see', async () => {
    const { status, body } = await w.as(owner).get('/search?scope=projects&search=lamp')
    expect(status).toBe(200)
    expect(body.map((row: { path: string }) => row.path).sort()).toEqual(['lamp', 'lamp-public'])
    expect(paths((await w.as(stranger).get('/search?scope=projects&search=lamp')).body)).toEqual([
      'lamp-public',
    ])
  })

  it('finds users, an exact name first', async () => {
    w.make.user({ username: 'amarguerite' })
    const { body } = await w.as(stranger).get('/search?scope=users&search=marguerite')
    expect(body.map((row: { username: string }) => row.username)).toEqual(['marguerite', 'amarguerite'])
    expect((await w.as(stranger).get('/search?scope=users&search=ma')).body.length).toBe(2)
  })

  it('finds snippets by their titles', async () => {
    const snippet = { file_name: 'a', content: 'a', visibility: 'private' }
    await w.as(owner).post('/snippets', { ...snippet, title: 'How to light a lamp' })
    const find = async (user: TestUser, search: string) =>
      (await w.as(user).get(`/search?scope=snippet_titles&search=${search}`)).body
    expect((await find(owner, 'light+lamp'))[0].title).toBe('How to light a lamp')
    expect(await find(owner, 'light+nothing')).toEqual([])
    expect(await find(stranger, 'light')).toEqual([])
  })

  it('returns 400 for invalid parameters', async () => {
    const get = async (query: string) => (await w.as(owner).get(`/search?${query}`)).body
    expect(await get('search=a')).toEqual({ error: 'scope is missing' })
    expect(await get('scope=projects')).toEqual({ error: 'search is missing' })
    expect(await get('scope=moon&search=a')).toEqual({ error: 'scope does not have a valid value' })
    expect(await get('scope=projects&search=+')).toEqual({ error: 'search is empty' })
    expect((await get('scope=commits&search=a')).message.error).toContain('one project at a time')
    expect((await w.as(null).get('/search?scope=projects&search=a')).status).toBe(401)
  })
})

describe('a group', () => {
  it('finds its projects and members', async () => {
    for (const path of ['/search', '/-/search']) {
      const at = `/groups/${team.id}${path}`
      expect(paths((await w.as(owner).get(`${at}?scope=projects&search=lamp`)).body)).toEqual(['lamp'])
      const people = await w.as(owner).get(`${at}?scope=users&search=mar`)
      expect(people.body.map((row: { username: string }) => row.username)).toEqual(['marguerite'])
    }
    expect((await w.as(stranger).get(`/groups/${team.id}/search?scope=users&search=a`)).status).toBe(404)
  })
})

describe('a project', () => {
  it('finds lines of code, and files by name', async () => {
    const { status, body, headers } = await w
      .as(owner)
      .get(`/projects/${code.id}/search?scope=blobs&search=beam`)
    expect(status).toBe(200)
    expect(body[1]).toEqual({
      basename: 'src/beam',
      data: 'one\ntwo\nthe BEAM turns\nfour\nfive\n',
      path: 'src/beam.ts',
      filename: 'src/beam.ts',
      id: null,
      ref: expect.stringMatching(/^[0-9a-f]{40}$/),
      startline: 1,
      project_id: code.id,
    })
    expect(paths(body)).toEqual(['README.md', 'src/beam.ts', 'docs/beam.md'])
    expect(headers.get('x-total')).toBe('3')
    const second = await w
      .as(owner)
      .get(`/projects/${code.id}/-/search?scope=blobs&search=beam&ref=main&per_page=1&page=2`)
    expect(paths(second.body)).toEqual(['src/beam.ts'])
    expect(second.body[0].ref).toBe('main')
  })

  it('filters by name, path and extension', async () => {
    const find = async (search: string) =>
      paths(
        (
          await w
            .as(owner)
            .get(`/projects/${code.id}/search?scope=blobs&search=${encodeURIComponent(search)}`)
        ).body,
      )
    expect(await find('beam extension:ts')).toEqual(['src/beam.ts'])
    expect(await find('beam path:docs')).toEqual(['docs/beam.md'])
    expect(await find('filename:b*.md')).toEqual(['docs/beam.md'])
    expect(await find('beam -extension:md')).toEqual(['src/beam.ts'])
    expect(await find('filename:B*EA*.*d')).toEqual(['docs/beam.md'])
    expect(await find('filename:beam*m.md')).toEqual([])
    expect(await find('filename:beam.md*')).toEqual(['docs/beam.md'])
    expect(await find('path:docs*beam.md')).toEqual(['docs/beam.md'])
    expect(await find('$(touch x)')).toEqual([])
    expect(await find('-O--open-files-in-pager')).toEqual([])
  })

  it('is fast with many wildcards', async () => {
    const { accepts } = readBlobQuery(`filename:${'*a'.repeat(40)}*b`)
    expect(accepts('a'.repeat(4000))).toBe(false)
    expect(accepts(`${'a'.repeat(4000)}b`)).toBe(true)
  })

  it('finds commits by message and id', async () => {
    const at = `/projects/${code.id}/search?scope=commits`
    const [found] = (await w.as(owner).get(`${at}&search=light+THE`)).body
    expect(found.title).toBe('Light the lamp')
    expect((await w.as(owner).get(`${at}&search=${found.short_id}`)).body[0].id).toBe(found.id)
    expect((await w.as(owner).get(`${at}&search=dark`)).body).toEqual([])
    expect((await w.as(owner).get(`${at}&search=light&ref=nowhere`)).body).toEqual([])
  })

  it('returns 403 to users who may not read the code', async () => {
    const guest = w.make.user()
    await w.make.member('projects', code.id, guest, 10)
    const at = `/projects/${code.id}/search`
    expect((await w.as(guest).get(`${at}?scope=blobs&search=beam`)).status).toBe(403)
    expect((await w.as(guest).get(`${at}?scope=users&search=mar`)).status).toBe(200)
    expect((await w.as(stranger).get(`${at}?scope=blobs&search=beam`)).status).toBe(404)
    const empty = await w.make.project({ owner })
    expect((await w.as(owner).get(`/projects/${empty.id}/search?scope=blobs&search=a`)).body).toEqual([])
  })
})
