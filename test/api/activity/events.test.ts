import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let guest: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let hidden: any
// oxlint-disable-next-line typescript/no-explicit-any
let open: any

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'owner' })
  guest = w.make.user({ username: 'guest' })
  stranger = w.make.user({ username: 'stranger' })
  hidden = await w.make.project({ owner, with: 'readme' })
  open = await w.make.project({ owner, visibility: 'public', with: 'readme' })
  await w.drain()
  await w.make.member('projects', hidden.id, guest, 10)
  await w.drain()
})

const commit = (branch: string, message: string, more: object = {}) => ({
  branch,
  commit_message: message,
  actions: [{ action: 'create', file_path: `${message}.txt`, content: message }],
  ...more,
})

// oxlint-disable-next-line typescript/no-explicit-any
const actionsOf = (rows: any[]): string[] => rows.map((row) => row.action_name)

describe('the feed of a project', () => {
  it('lists its creation, the first push and new members', async () => {
    const { status, body, headers } = await w.as(owner).get(`/projects/${hidden.id}/events`)
    expect(status).toBe(200)
    expect(actionsOf(body)).toEqual(['joined', 'pushed new', 'created'])
    expect(headers.get('x-total')).toBe('3')
    expect(body[0]).toMatchObject({ author_username: 'guest', target_id: null, target_type: null })
    expect(body[1]).toMatchObject({
      project_id: hidden.id,
      author_id: owner.id,
      author: { id: owner.id, username: 'owner' },
      push_data: {
        commit_count: 1,
        action: 'created',
        ref_type: 'branch',
        ref: 'main',
        commit_from: null,
        commit_title: 'Initial commit',
        ref_count: null,
      },
    })
  })

  it('lists commits, new branches, tags and deletions', async () => {
    const at = `/projects/${open.id}/repository`
    await w.as(owner).post(`${at}/commits`, commit('main', 'one'))
    await w.as(owner).post(`${at}/commits`, commit('topic', 'two', { start_branch: 'main' }))
    await w.as(owner).post(`${at}/tags`, { tag_name: 'v1', ref: 'main' })
    await w.as(owner).delete(`${at}/branches/topic`)
    await w.drain()
    const { body } = await w.as(owner).get(`/projects/${open.id}/events?action=pushed&sort=asc`)
    expect(actionsOf(body)).toEqual(['pushed new', 'pushed to', 'pushed new', 'pushed new', 'deleted'])
    // oxlint-disable-next-line typescript/no-explicit-any
    const pushes = body.map((row: any) => row.push_data)
    expect(pushes[1]).toMatchObject({ ref: 'main', commit_count: 1, commit_title: 'one', action: 'pushed' })
    expect(pushes[2]).toMatchObject({ ref: 'topic', commit_count: 1, commit_title: 'two', action: 'created' })
    expect(pushes[3]).toMatchObject({ ref: 'v1', ref_type: 'tag', commit_count: 0 })
    expect(pushes[4]).toMatchObject({ ref: 'topic', action: 'removed', commit_to: null, commit_title: null })
  })

  it('lists comments on commits, with the note', async () => {
    const project = await w.make.project({ owner, with: 'readme' })
    const at = `/projects/${project.id}/repository/commits/main/comments`
    expect((await w.as(owner).post(at, { note: 'Well done' })).status).toBe(201)
    await w.drain()
    const { body } = await w.as(owner).get(`/projects/${project.id}/events?target_type=note`)
    expect(actionsOf(body)).toEqual(['commented on'])
    expect(body[0]).toMatchObject({
      target_title: 'Initial commit',
      note: { body: 'Well done', noteable_type: 'Commit', author: { username: 'owner' } },
    })
    expect(body[0].target_id).toBe(body[0].note.id)
    await w.as(owner).delete(`/projects/${project.id}`)
    await w.drain()
  })

  it('hides pushes from external guests of an internal project', async () => {
    const external = w.make.user({ external: true })
    const internal = await w.make.project({ owner, visibility: 'internal', with: 'readme' })
    await w.make.member('projects', internal.id, external, 10)
    await w.drain()
    const at = `/projects/${internal.id}`
    expect((await w.as(external).get(`${at}/repository/commits`)).status).toBe(403)
    expect(actionsOf((await w.as(external).get(`${at}/events`)).body)).toEqual(['joined', 'created'])
    expect(actionsOf((await w.as(stranger).get(`${at}/events`)).body)).toContain('pushed new')
    await w.as(owner).delete(at)
    await w.drain()
  })

  it('hides pushes from guests who cannot read the code', async () => {
    expect(actionsOf((await w.as(guest).get(`/projects/${hidden.id}/events`)).body)).toEqual([
      'joined',
      'created',
    ])
    expect((await w.as(stranger).get(`/projects/${hidden.id}/events`)).status).toBe(404)
    expect((await w.as(null).get(`/projects/${hidden.id}/events`)).status).toBe(404)
    expect((await w.as(null).get(`/projects/${open.id}/events`)).status).toBe(200)
  })
})

describe('the feed of a user', () => {
  it('is found by ID or name and contains visible events', async () => {
    const own = await w.as(owner).get('/events?per_page=100')
    expect(own.body.length).toBe(8)
    const seen = await w.as(stranger).get('/users/OWNER/events?per_page=100')
    expect(seen.status).toBe(200)
    // oxlint-disable-next-line typescript/no-explicit-any
    expect(new Set(seen.body.map((row: any) => row.project_id))).toEqual(new Set([open.id]))
    expect((await w.as(null).get(`/users/${owner.id}/events`)).body.length).toBe(6)
    expect((await w.as(owner).get('/users/nobody/events')).body).toEqual({ message: '404 User Not Found' })
    expect((await w.as(null).get('/events')).status).toBe(401)
  })

  it('is empty for others when the profile is private', async () => {
    const shy = w.make.user({ username: 'shy' })
    await w.make.project({ owner: shy, visibility: 'public' })
    await w.drain()
    w.ctx().db.exec('UPDATE users SET private_profile = 1 WHERE id = ?', shy.id)
    expect((await w.as(stranger).get(`/users/${shy.id}/events`)).body).toEqual([])
    expect(actionsOf((await w.as(shy).get(`/users/${shy.id}/events`)).body)).toEqual(['created'])
  })

  it('includes the caller’s projects with scope=all', async () => {
    expect(actionsOf((await w.as(guest).get('/events')).body)).toEqual(['joined'])
    expect(actionsOf((await w.as(guest).get('/events?scope=all')).body)).toEqual(['joined', 'created'])
  })
})

describe('the filters', () => {
  it('select by days and targets', async () => {
    const today = new Date(w.ctx().now).toISOString().slice(0, 10)
    const count = async (query: string): Promise<number> =>
      (await w.as(owner).get(`/events?${query}`)).body.length
    expect(await count(`after=${today}`)).toBe(0)
    expect(await count(`before=${today}`)).toBe(0)
    expect(await count('after=2020-01-01&before=2999-01-01')).toBe(8)
    expect(await count('target_type=project')).toBe(2)
    expect(await count('target_type=issue')).toBe(0)
  })

  it('return 400 for unknown values', async () => {
    expect((await w.as(owner).get('/events?action=danced')).body).toEqual({
      error: 'action does not have a valid value',
    })
    expect((await w.as(owner).get('/events?target_type=moon')).status).toBe(400)
    expect((await w.as(owner).get('/events?before=soon')).body).toEqual({ error: 'before is invalid' })
  })
})

describe('the events that the charts count', () => {
  it('are those of a project that the reader may see, by day or week', async () => {
    const charts = (user: TestUser, query = '') =>
      w.as(user).get(`/-/projects/${open.id}/events/charts${query}`)
    await w.as(owner).post(`/projects/${open.id}/issues`, { title: 'Secret', confidential: true })
    await w.drain()
    const [own] = (await charts(owner)).body
    const { body: feed, headers } = await w.as(owner).get(`/projects/${open.id}/events?per_page=100`)
    expect(headers.get('x-total')).toBe(String(own.total))
    expect(own.pushes).toBe(feed.filter((event: { push_data?: object }) => event.push_data).length)
    expect(own.issues).toBe(
      feed.filter((event: { target_type: string }) => event.target_type === 'Issue').length,
    )
    const [seen] = (await charts(stranger)).body
    expect(seen.issues).toBe(own.issues - 1)
    expect((await charts(owner, '?by=week&days=7')).body).toMatchObject([{ total: own.total }])
    expect((await w.as(stranger).get(`/-/projects/${hidden.id}/events/charts`)).status).toBe(404)
    expect((await charts(owner, '?days=0')).status).toBe(400)
  })

  it('are those of a user, unless the profile is private', async () => {
    const charts = (reference: string, user: TestUser | null = stranger) =>
      w.as(user).get(`/-/users/${reference}/events/charts`)
    const { headers } = await w.as(stranger).get(`/users/${owner.id}/events`)
    const [{ total }] = (await charts('owner')).body
    expect(headers.get('x-total')).toBe(String(total))
    expect((await charts('nobody-there')).body).toEqual({ message: '404 User Not Found' })
    await w.as(w.root).put(`/users/${owner.id}`, { private_profile: true })
    expect((await charts(String(owner.id))).body).toEqual([])
    expect((await charts(String(owner.id), owner)).body).toHaveLength(1)
  })
})
