import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../../support/world.ts'

let w: World
let reporter: TestUser
let guest: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let group: any
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string

const label = async (path: string, name: string): Promise<number> =>
  (await w.as(w.root).post(`${path}/labels`, { name, color: 'red' })).body.id as number
const milestone = async (path: string, title: string): Promise<number> =>
  (await w.as(w.root).post(`${path}/milestones`, { title })).body.id as number
const board = async (path: string, name: string): Promise<string> =>
  `${path}/boards/${(await w.as(reporter).post(`${path}/boards`, { name })).body.id}`

beforeAll(async () => {
  w = await world()
  reporter = w.make.user({ username: 'reporter' })
  guest = w.make.user({ username: 'guest' })
  outsider = w.make.user({ username: 'outsider' })
  group = await w.make.group()
  project = await w.make.project({ namespace_id: group.id })
  await w.make.member('groups', group.id, reporter, 20)
  await w.make.member('projects', project.id, guest, 10)
  at = `/projects/${project.id}`
})

describe('a board', () => {
  it('is created, read, updated and deleted', async () => {
    expect((await w.as(guest).get(`${at}/boards`)).body).toEqual([])
    const made = await w.as(reporter).post(`${at}/boards`, { name: 'Plan' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      name: 'Plan',
      hide_backlog_list: false,
      hide_closed_list: false,
      project: { id: project.id, path_with_namespace: project.path_with_namespace },
      group: null,
      milestone: null,
      assignee: null,
      labels: [],
      weight: null,
      lists: [],
    })
    const boardPath = `${at}/boards/${made.body.id}`
    const limits = {
      name: 'Next',
      hide_backlog_list: true,
      milestone_id: await milestone(`/groups/${group.id}`, 'v1'),
      assignee_id: guest.id,
      weight: 2,
      labels: 'one,nowhere',
    }
    await label(at, 'one')
    const changed = await w.as(reporter).put(boardPath, limits)
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      name: 'Next',
      hide_backlog_list: true,
      milestone: { title: 'v1' },
      assignee: { username: 'guest' },
      weight: 2,
      labels: [{ name: 'one' }],
    })
    const open = await w.as(reporter).put(boardPath, { milestone_id: null, assignee_id: null, labels: '' })
    expect(open.body).toMatchObject({ milestone: null, assignee: null, labels: [], weight: 2 })
    expect((await w.as(reporter).get(`${at}/boards`)).body).toEqual([open.body])
    expect((await w.as(reporter).delete(boardPath)).status).toBe(204)
    expect((await w.as(reporter).get(boardPath)).body).toEqual({ message: '404 Not found' })
  })

  it('returns 400 without a name, and for an unusable milestone or user', async () => {
    const path = await board(at, 'Refused')
    expect((await w.as(reporter).post(`${at}/boards`, {})).body).toEqual({ error: 'name is missing' })
    expect((await w.as(reporter).post(`${at}/boards`, { name: '' })).body).toEqual({ error: 'name is empty' })
    const other = await w.make.project()
    const foreign = await milestone(`/projects/${other.id}`, 'foreign')
    const put = await w.as(reporter).put(path, { milestone_id: foreign })
    expect([put.status, put.body]).toEqual([400, { message: { error: 'Milestone not found' } }])
    expect((await w.as(reporter).put(path, { assignee_id: 99_999 })).body).toEqual({
      message: { error: 'User not found' },
    })
  })

  it('checks who may read and change it', async () => {
    const path = await board(at, 'Owned')
    expect((await w.as(guest).post(`${at}/boards`, { name: 'x' })).status).toBe(403)
    expect((await w.as(guest).put(path, { name: 'x' })).status).toBe(403)
    expect((await w.as(guest).delete(path)).status).toBe(403)
    expect((await w.as(guest).get(path)).status).toBe(200)
    expect((await w.as(outsider).get(path)).status).toBe(404)
    const other = await w.make.project()
    const id = path.split('/').at(-1)
    expect((await w.as(w.root).get(`/projects/${other.id}/boards/${id}`)).status).toBe(404)
    await w.as(w.root).put(`/projects/${other.id}`, { issues_access_level: 'disabled' })
    expect((await w.as(w.root).get(`/projects/${other.id}/boards`)).status).toBe(403)
  })
})

describe('the lists of a board', () => {
  it('keep a limit that the window sets', async () => {
    for (const owner of [at, `/groups/${group.id}`]) {
      const path = `${await board(owner, 'Limits')}/lists`
      const of = await label(`/groups/${group.id}`, `limited ${owner.length}`)
      const { body: list } = await w.as(w.root).post(path, { label_id: of })
      const limit = (max_issue_count: unknown, user = w.root) =>
        w.as(user).put(`/-${path}/${list.id}/limit`, { max_issue_count })
      expect((await limit(3)).body).toMatchObject({ id: list.id, max_issue_count: 3, position: 0 })
      expect((await w.as(w.root).get(path)).body).toMatchObject([{ max_issue_count: 3 }])
      expect((await limit(-1)).status).toBe(400)
      expect((await limit('many')).status).toBe(400)
      expect((await limit(1, outsider)).status).toBe(404)
      expect((await limit(0)).body).toMatchObject({ max_issue_count: 0 })
      expect((await w.as(w.root).delete(path.replace(/\/lists$/, ''))).status).toBe(204)
    }
  })

  it('are added, moved and removed', async () => {
    const path = `${await board(at, 'Lists')}/lists`
    const [a, b] = [await label(at, 'a'), await label(`/groups/${group.id}`, 'b')]
    const first = await w.as(reporter).post(path, { label_id: a })
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: first.body.id,
        label: expect.objectContaining({ id: a, name: 'a' }),
        position: 0,
        list_type: 'label',
        max_issue_count: 0,
        max_issue_weight: 0,
        limit_metric: null,
      },
    ])
    await w.as(reporter).post(path, { label_id: b })
    const of = await milestone(at, 'planned')
    const third = await w.as(reporter).post(path, { milestone_id: of })
    expect(third.body).toMatchObject({ position: 2, list_type: 'milestone', milestone: { title: 'planned' } })
    const fourth = await w.as(reporter).post(path, { assignee_id: guest.id })
    expect(fourth.body).toMatchObject({ list_type: 'assignee', assignee: { username: 'guest' } })
    const order = async () =>
      // oxlint-disable-next-line typescript/no-explicit-any
      (await w.as(guest).get(path)).body.map((list: any) => [
        list.label?.name ?? list.milestone?.title ?? list.assignee.username,
        list.position,
      ])
    const move = async (id: number, position: number) =>
      (await w.as(reporter).put(`${path}/${id}`, { position })).status
    expect(await move(third.body.id, 0)).toBe(200)
    expect(await order()).toEqual([
      ['planned', 0],
      ['a', 1],
      ['b', 2],
      ['guest', 3],
    ])
    expect(await move(third.body.id, 0)).toBe(200)
    expect(await move(third.body.id, 3)).toBe(200)
    const far = await w.as(reporter).put(`${path}/${third.body.id}`, { position: 4 })
    expect([far.status, far.body]).toEqual([400, { message: { error: 'List could not be moved!' } }])
    expect((await w.as(reporter).put(`${path}/${third.body.id}`, {})).body).toEqual({
      error: 'position is missing',
    })
    expect((await w.as(reporter).delete(`${path}/${first.body.id}`)).status).toBe(204)
    expect(await order()).toEqual([
      ['b', 0],
      ['guest', 1],
      ['planned', 2],
    ])
    expect((await w.as(guest).get(`${path}?per_page=1&page=2`)).body).toMatchObject([{ position: 1 }])
    // Deleting a label deletes its lists.
    await w.as(w.root).delete(`/groups/${group.id}/labels/b`)
    expect((await order()).map(([name]: [string]) => name)).toEqual(['guest', 'planned'])
  })

  it('returns 400 for duplicates, and for what the board cannot use', async () => {
    const path = `${await board(at, 'Refusing')}/lists`
    const other = await w.make.project()
    const foreign = await label(`/projects/${other.id}`, 'foreign')
    const post = async (body: object, user = reporter) => {
      const answer = await w.as(user).post(path, body)
      return [answer.status, answer.body]
    }
    expect(await post({ label_id: foreign })).toEqual([400, { message: { error: 'Label not found' } }])
    expect(await post({})).toEqual([
      400,
      { error: 'label_id, assignee_id, milestone_id are missing, exactly one parameter must be provided' },
    ])
    const own = await label(at, 'own')
    expect((await post({ label_id: own }))[0]).toBe(201)
    expect(await post({ label_id: own })).toEqual([
      400,
      { message: { error: 'Label has already been taken' } },
    ])
    expect((await post({ label_id: own }, guest))[0]).toBe(403)
    expect((await w.as(guest).get(`${path}/999999`)).body).toEqual({ message: '404 Not found' })
  })
})

describe('a board of a group', () => {
  it('has only labels of the group', async () => {
    const path = await board(`/groups/${group.id}`, 'Of all')
    expect((await w.as(guest).get(path)).body).toMatchObject({
      project: null,
      group: { id: group.id, name: group.name, web_url: group.web_url },
    })
    const ofProject = await label(at, 'of the project')
    expect((await w.as(reporter).post(`${path}/lists`, { label_id: ofProject })).status).toBe(400)
    const ofGroup = await label(`/groups/${group.id}`, 'of the group')
    expect((await w.as(reporter).post(`${path}/lists`, { label_id: ofGroup })).status).toBe(201)
    const { body } = await w.as(guest).get(`/groups/${group.id}/boards`)
    expect(body).toMatchObject([{ lists: [{ label: { name: 'of the group' } }] }])
    expect((await w.as(guest).put(path, { name: 'x' })).status).toBe(403)
  })
})
