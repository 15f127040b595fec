import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string

beforeAll(async () => {
  project = await make.project()
  ids = fill(instance, project, [
    { author: 'Cleo', email: 'a@example.test', files: { a: '1' } },
    { author: 'Cleo', email: 'a@example.test', files: { a: '2' } },
    { author: 'ada', email: 'c@example.test', files: { a: '3' } },
    { branch: 'side', from: ':1', author: 'Bea', email: 'b@example.test', files: { b: '1' } },
    { author: 'Merger', merge: [':4'], files: {} },
  ])
  at = `/projects/${project.id}/repository`
})

describe('GET /projects/:id/repository/contributors', () => {
  const names = async (query = '') => {
    const { body } = await as(root).get(`${at}/contributors${query}`)
    return body.map((contributor: { name: string }) => contributor.name)
  }

  it('lists authors, fewest commits first', async () => {
    const { status, body, headers } = await as(root).get(`${at}/contributors?order_by=commits&sort=desc`)
    expect([status, headers.get('x-total')]).toEqual([200, '3'])
    expect(body[0]).toEqual({
      name: 'Cleo',
      email: 'a@example.test',
      commits: 2,
      additions: 0,
      deletions: 0,
    })
    expect(await names()).toEqual(['Bea', 'ada', 'Cleo'])
  })

  it('orders by name or email, pages, and accepts a ref', async () => {
    expect(await names('?order_by=name')).toEqual(['ada', 'Bea', 'Cleo'])
    expect(await names('?order_by=email&sort=desc')).toEqual(['ada', 'Bea', 'Cleo'])
    expect(await names('?order_by=email&per_page=1&page=2')).toEqual(['Bea'])
    expect(await names('?ref=side')).toEqual(['Cleo', 'Bea'])
  })

  it('returns 404 for an unknown ref and an empty repository', async () => {
    expect((await as(root).get(`${at}/contributors?ref=nope`)).body).toEqual({ message: '404 Ref Not Found' })
    const empty = await make.project()
    expect((await as(root).get(`/projects/${empty.id}/repository/contributors`)).status).toBe(404)
    expect((await as(root).get(`${at}/contributors?order_by=size`)).body).toEqual({
      error: 'order_by does not have a valid value',
    })
  })
})

describe('the commits that the charts count', () => {
  const charts = (query = '', of = project) =>
    as(root).get(`/-/projects/${of.id}/contributors/charts${query}`)

  it('are those of each week without merges, of all people or one, on a ref', async () => {
    const { status, body } = await charts()
    expect(status).toBe(200)
    expect(body).toEqual({ cut: false, weeks: [{ week: '2024-01-01', commits: 4 }] })
    expect((await charts('?author=A@example.test')).body.weeks).toEqual([{ week: '2024-01-01', commits: 2 }])
    expect((await charts('?author=b@example.test&ref=side')).body.weeks).toHaveLength(1)
    expect((await charts('?author=nobody@example.test')).body.weeks).toEqual([])
  })

  it('begin with Mondays, and use the names of .mailmap', async () => {
    const other = await make.project()
    const [sunday, monday] = [Date.UTC(2024, 0, 7, 23, 59), Date.UTC(2024, 0, 8)].map((ms) => ms / 1000)
    fill(instance, other, [
      { email: 'old@example.test', time: sunday!, files: { a: '1' } },
      {
        email: 'new@example.test',
        time: monday!,
        files: { '.mailmap': 'Ada <new@example.test> <old@example.test>\n' },
      },
    ])
    const weeks = [
      { week: '2024-01-01', commits: 1 },
      { week: '2024-01-08', commits: 1 },
    ]
    expect((await charts('?author=new@example.test', other)).body.weeks).toEqual(weeks)
  })

  it('are refused for an unknown ref and an empty repository', async () => {
    expect((await charts('?ref=nope')).body).toEqual({ message: '404 Ref Not Found' })
    expect((await charts('', await make.project())).status).toBe(404)
  })
})

describe('GET /projects/:id/repository/commits/:sha/sequence', () => {
  it('counts a commit and all of its ancestors', async () => {
    const count = async (sha: string, query = '') =>
      (await as(root).get(`${at}/commits/${sha}/sequence${query}`)).body
    expect(await count('main')).toEqual({ count: 5 })
    expect(await count('main', '?first_parent=true')).toEqual({ count: 4 })
    expect(await count(ids[0]!)).toEqual({ count: 1 })
    expect(await count('nope')).toEqual({ message: '404 Commit Not Found' })
  })
})

describe('GET /projects/:id/repository/commits/:sha/merge_requests', () => {
  it('is empty for existing commits, and an error for others', async () => {
    const { status, body, headers } = await as(root).get(`${at}/commits/${ids[0]}/merge_requests`)
    expect([status, body, headers.get('x-total')]).toEqual([200, [], '0'])
    expect((await as(root).get(`${at}/commits/nope/merge_requests`)).status).toBe(404)
  })
})

describe('PUT /projects/:id/repository/submodules/:submodule', () => {
  const [old, fresh] = ['1'.repeat(40), '2'.repeat(40)]
  const put = (path: string, body: object) =>
    as(root).put(`${at}/submodules/${encodeURIComponent(path)}`, body)

  it('points a submodule to another commit', async () => {
    fill(instance, project, [
      { branch: 'mods', files: { 'lib/mod': { mode: '160000', content: old }, 'a.txt': 'a\n' } },
    ])
    const { status, body } = await put('lib/mod', { branch: 'mods', commit_sha: fresh })
    expect([status, body.title, body.project_id]).toEqual([
      200,
      `Update submodule lib/mod with oid ${fresh}`,
      project.id,
    ])
    const { body: tree } = await as(root).get(`${at}/tree?ref=mods&path=lib`)
    expect(tree).toMatchObject([{ id: fresh, type: 'commit', path: 'lib/mod' }])
    const named = await put('lib/mod', { branch: 'mods', commit_sha: old, commit_message: 'Back' })
    expect([named.body.title, named.body.parent_ids]).toEqual(['Back', [body.id]])
  })

  it('refuses a path without a submodule, an unchanged commit and an invalid id', async () => {
    const message = async (path: string, body: object) => (await put(path, body)).body
    expect(await message('a.txt', { branch: 'mods', commit_sha: fresh })).toEqual({
      message: 'Invalid submodule path',
    })
    expect(await message('lib/mod', { branch: 'mods', commit_sha: old })).toEqual({
      message: `The submodule lib/mod is already at ${old}`,
    })
    expect(await message('lib/mod', { branch: 'mods', commit_sha: 'main' })).toEqual({
      message: 'Invalid commit SHA',
    })
    expect(await message('lib/mod', { branch: 'nope', commit_sha: fresh })).toEqual({
      message: '404 Branch Not Found',
    })
    expect(await message('lib/mod', {})).toEqual({ error: 'branch is missing, commit_sha is missing' })
    await as(root).post(`/projects/${project.id}/protected_branches`, { name: 'mods', push_access_level: 0 })
    const developer = make.user()
    await make.member('projects', project.id, developer, 30)
    const refused = await as(developer).put(`${at}/submodules/lib%2Fmod`, {
      branch: 'mods',
      commit_sha: fresh,
    })
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: '403 Forbidden - You are not allowed to push into this branch' },
    ])
  })
})
