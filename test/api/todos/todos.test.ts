import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let dev: TestUser
let guest: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
// oxlint-disable-next-line typescript/no-explicit-any
let request: any

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'owner' })
  dev = w.make.user({ username: 'dev' })
  guest = w.make.user({ username: 'guest' })
  stranger = w.make.user({ username: 'stranger' })
  project = await w.make.project({ owner, name: 'plan', path: 'plan', with: 'readme' })
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, guest, 10)
  await w.as(owner).post(`/projects/${project.id}/repository/commits`, {
    branch: 'work',
    start_branch: 'main',
    commit_message: 'Work',
    actions: [{ action: 'create', file_path: 'work.txt', content: 'work' }],
  })
  const made = await w.as(owner).post(`/projects/${project.id}/merge_requests`, {
    source_branch: 'work',
    target_branch: 'main',
    title: 'Do the work',
  })
  request = made.body
  await w.drain()
})

const at = (rest: string): string => `/projects/${project.id}${rest}`

/** Returns the pending items of a user. */
// oxlint-disable-next-line typescript/no-explicit-any
async function todos(user: TestUser, query = ''): Promise<any[]> {
  await w.drain()
  const { status, body } = await w.as(user).get(`/todos${query}`)
  expect(status).toBe(200)
  return body
}

const actions = async (user: TestUser, query = ''): Promise<string[]> =>
  (await todos(user, query)).map((todo) => todo.action_name)

const clear = async (...users: TestUser[]): Promise<void> => {
  await w.drain()
  for (const user of users) await w.as(user).post('/todos/mark_as_done')
}

/** Creates an issue as the owner. */
// oxlint-disable-next-line typescript/no-explicit-any
async function issue(params: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await w.as(owner).post(at('/issues'), { title: 'Something', ...params })
  expect(status).toBe(201)
  return body
}

describe('a to-do item', () => {
  it('returns everything about an assigned issue', async () => {
    const made = await issue({ title: 'Look at this', assignee_ids: [dev.id] })
    const [todo] = await todos(dev)
    const shown = (await w.as(dev).get(at(`/issues/${made.iid}`))).body
    const { subscribed, ...target } = shown
    expect(subscribed).toBeTypeOf('boolean')
    const references = { ...target.references, relative: target.references.full }
    expect(todo.target).toEqual({ ...target, references })
    const { target: _, ...rest } = todo
    expect(rest).toEqual({
      id: expect.any(Number),
      project: {
        id: project.id,
        name: 'plan',
        name_with_namespace: 'OWNER / plan',
        path: 'plan',
        path_with_namespace: 'owner/plan',
      },
      author: expect.objectContaining({ id: owner.id, username: 'owner' }),
      action_name: 'assigned',
      target_type: 'Issue',
      target_url: `${w.url}/owner/plan/-/issues/${made.iid}`,
      body: 'Look at this',
      state: 'pending',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    await clear(dev)
  })

  it('shows the note that caused it', async () => {
    const note = await w
      .as(owner)
      .post(at(`/merge_requests/${request.iid}/notes`), { body: 'What do you think, @dev?' })
    const [todo] = await todos(dev)
    expect(todo).toMatchObject({
      action_name: 'mentioned',
      target_type: 'MergeRequest',
      target: { id: request.id, iid: request.iid, title: 'Do the work' },
      target_url: `${w.url}/owner/plan/-/merge_requests/${request.iid}#note_${note.body.id}`,
      body: 'What do you think, @dev?',
    })
    const {
      subscribed: _,
      first_contribution: __,
      ...single
    } = (await w.as(dev).get(at(`/merge_requests/${request.iid}`))).body
    const references = { ...single.references, relative: single.references.full }
    expect(todo.target).toEqual({ ...single, references })
    await clear(dev)
  })

  it('is marked as done and stays done', async () => {
    await issue({ assignee_ids: [dev.id] })
    const [todo] = await todos(dev)
    const done = await w.as(dev).post(`/todos/${todo.id}/mark_as_done`)
    expect([done.status, done.body.id, done.body.state]).toEqual([201, todo.id, 'done'])
    const again = await w.as(dev).post(`/todos/${todo.id}/mark_as_done`)
    expect([again.status, again.body]).toEqual([201, done.body])
    expect(await todos(dev)).toEqual([])
    expect((await todos(dev, '?state=done')).map((todo) => todo.id)).toContain(todo.id)
    const back = await w.as(dev).post(`/todos/${todo.id}/mark_as_pending`)
    expect([back.status, back.body.state]).toEqual([201, 'pending'])
    await clear(dev)
  })

  it('is visible to its user only', async () => {
    await issue({ assignee_ids: [dev.id] })
    const [todo] = await todos(dev)
    for (const user of [owner, w.root]) {
      const { status, body } = await w.as(user).post(`/todos/${todo.id}/mark_as_done`)
      expect([status, body]).toEqual([404, { message: '404 Not found' }])
    }
    expect((await w.as(dev).post('/todos/999999/mark_as_done')).status).toBe(404)
    expect((await w.as(dev).post('/todos/x/mark_as_done')).body).toEqual({ error: 'id is invalid' })
    expect((await w.as(null).post(`/todos/${todo.id}/mark_as_done`)).status).toBe(401)
    expect((await w.as(null).get('/todos')).status).toBe(401)
    await clear(dev)
  })
})

describe('adding a to-do item', () => {
  it('creates one item only', async () => {
    const made = await w.as(guest).post(at(`/issues/${(await issue()).iid}/todo`))
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ action_name: 'marked', author: { id: guest.id }, state: 'pending' })
    const again = await w.as(guest).post(at(`/issues/${made.body.target.iid}/todo`))
    expect([again.status, again.text]).toEqual([304, ''])
    await clear(guest)
    expect((await w.as(guest).post(at(`/issues/${made.body.target.iid}/todo`))).status).toBe(201)
    const ofRequest = await w.as(dev).post(at(`/merge_requests/${request.iid}/todo`))
    expect(ofRequest.status).toBe(201)
    expect(ofRequest.body.target.iid).toBe(request.iid)
    await clear(guest, dev)
  })

  it('returns 404 for an issue that the user cannot see', async () => {
    const secret = await issue({ confidential: true })
    const missing = [404, { message: '404 Not found' }]
    const post = async (user: TestUser | null, path: string) => {
      const { status, body } = await w.as(user).post(at(path))
      return [status, body]
    }
    expect(await post(guest, `/issues/${secret.iid}/todo`)).toEqual(missing)
    expect(await post(guest, `/merge_requests/${request.iid}/todo`)).toEqual(missing)
    expect(await post(dev, '/issues/99999/todo')).toEqual(missing)
    expect((await post(stranger, `/issues/${secret.iid}/todo`))[0]).toBe(404)
    expect((await post(null, `/issues/${secret.iid}/todo`))[0]).toBe(401)
    expect((await post(dev, '/issues/x/todo'))[0]).toBe(400)
  })
})

describe('the list', () => {
  it('applies filters', async () => {
    const team = await w.make.group({ owner, name: 'Team', path: 'team' })
    await w.make.member('groups', team.id, dev, 30)
    const other = await w.make.project({ owner, name: 'other', namespace_id: team.id })
    // Jobs of different projects may add their items in any order.
    await issue({ title: 'first', assignee_ids: [dev.id] })
    await w.drain()
    await w.as(owner).post(`/projects/${other.id}/issues`, { title: 'second', description: 'See @dev' })
    await w.drain()
    await w.as(dev).post(at(`/merge_requests/${request.iid}/todo`))
    const bodies = async (query: string) => (await todos(dev, query)).map((todo) => todo.body)
    expect(await bodies('')).toEqual(['Do the work', 'second', 'first'])
    expect(await bodies('?action=assigned')).toEqual(['first'])
    expect(await bodies('?action[]=assigned&action[]=marked')).toEqual(['Do the work', 'first'])
    expect(await bodies('?type=MergeRequest')).toEqual(['Do the work'])
    expect(await bodies(`?author_id=${dev.id}`)).toEqual(['Do the work'])
    expect(await bodies(`?project_id=${other.id}`)).toEqual(['second'])
    expect(await bodies(`?project_id[]=${other.id}&project_id[]=${project.id}&type=Issue`)).toEqual([
      'second',
      'first',
    ])
    expect(await bodies(`?group_id=${team.id}`)).toEqual(['second'])
    expect(await bodies('?group_id=99999')).toEqual([])
    expect(await bodies('?author_id=99999')).toEqual([])
    expect(await bodies('?type=Epic')).toEqual([])
    const page = await w.as(dev).get('/todos?per_page=1&page=2')
    expect(page.body.map((todo: { body: string }) => todo.body)).toEqual(['second'])
    expect([page.headers.get('x-total'), page.headers.get('x-next-page')]).toEqual(['3', '3'])
  })

  it('can be marked as done as a whole, or by a filter', async () => {
    expect((await w.as(dev).post('/todos/mark_as_done', { action: 'assigned' })).status).toBe(204)
    expect((await todos(dev)).map((todo) => todo.body)).toEqual(['Do the work', 'second'])
    const all = await w.as(dev).post('/todos/mark_as_done')
    expect([all.status, all.text]).toEqual([204, ''])
    expect(await todos(dev)).toEqual([])
    expect((await w.as(null).post('/todos/mark_as_done')).status).toBe(401)
  })

  it('returns 400 for invalid filters', async () => {
    const get = async (query: string) => {
      const { status, body } = await w.as(dev).get(`/todos?${query}`)
      return [status, body]
    }
    expect(await get('action=moon')).toEqual([400, { error: 'action does not have a valid value' }])
    expect(await get('type=Moon')).toEqual([400, { error: 'type does not have a valid value' }])
    expect(await get('state=open')).toEqual([400, { error: 'state does not have a valid value' }])
    expect(await get('author_id=x')).toEqual([400, { error: 'author_id is invalid' }])
    expect((await w.as(dev).post('/todos/mark_as_done', { type: 'Moon' })).status).toBe(400)
  })

  it('has a count', async () => {
    await issue({ assignee_ids: [dev.id] })
    await w.as(owner).put(at(`/merge_requests/${request.iid}`), {
      assignee_ids: [dev.id],
      reviewer_ids: [dev.id],
    })
    await w.drain()
    const { body } = await w.as(dev).get('/user_counts')
    expect(body).toMatchObject({
      merge_requests: 2,
      assigned_merge_requests: 1,
      review_requested_merge_requests: 1,
      todos: 2,
    })
    expect(body.assigned_issues).toBeGreaterThan(0)
    await w.as(owner).put(at(`/merge_requests/${request.iid}`), { assignee_ids: [], reviewer_ids: [] })
    await clear(dev)
    expect((await w.as(dev).get('/user_counts')).body.todos).toBe(0)
  })
})

describe('an item about a subject that its user may not see any more', () => {
  it('is not listed or counted, and is removed later', async () => {
    const { removeUnseen } = await import('../../../server/domains/todos/service-items.ts')
    const made = await issue({ description: 'Hi @guest' })
    expect(await actions(guest)).toEqual(['mentioned'])
    await w.as(owner).put(at(`/issues/${made.iid}`), { confidential: true })
    expect(await todos(guest)).toEqual([])
    expect((await w.as(guest).get('/user_counts')).body.todos).toBe(0)
    const stored = () =>
      w.ctx().db.many("SELECT 1 FROM todos WHERE user_id = ? AND state = 'pending'", guest.id)
    expect(stored()).toHaveLength(1)
    removeUnseen(w.ctx(), [guest.id])
    expect(stored()).toHaveLength(0)
  })

  it('is deleted with its subject', async () => {
    const made = await issue({ assignee_ids: [dev.id] })
    const note = await w.as(owner).post(at(`/merge_requests/${request.iid}/notes`), { body: 'So, @dev' })
    expect(await actions(dev)).toEqual(['mentioned', 'assigned'])
    await w.as(owner).delete(at(`/issues/${made.iid}`))
    expect(await actions(dev)).toEqual(['mentioned'])
    await w.as(owner).delete(at(`/merge_requests/${request.iid}/notes/${note.body.id}`))
    expect(await todos(dev)).toEqual([])
  })
})
