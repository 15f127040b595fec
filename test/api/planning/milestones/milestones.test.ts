import { beforeAll, describe, expect, it } from 'vitest'

import { milestoneFor, milestoneTitled } from '../../../../server/domains/planning/index.ts'
import { projectById } from '../../../../server/domains/projects/index.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'

let w: World
let reporter: TestUser
let guest: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let group: any
// oxlint-disable-next-line typescript/no-explicit-any
let subgroup: any
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string

const TAKEN = { message: { title: ['already being used for another group or project milestone.'] } }
// oxlint-disable-next-line typescript/no-explicit-any
const titles = (rows: any[]): string[] => rows.map((row) => row.title)
const make = async (path: string, title: string, more: object = {}) =>
  (await w.as(w.root).post(`${path}/milestones`, { title, ...more })).body

/** Inserts a row for an issue. These tests do not need the domain of issues. */
function issue(projectId: number, milestoneId: number, confidential = 0): number {
  const { db, now } = w.ctx()
  const { iid } = db.one<{ iid: number }>('SELECT count(*) + 1 AS iid FROM issues')!
  return db.exec(
    `INSERT INTO issues (iid, project_id, author_id, title, milestone_id, confidential, weight, created_at, updated_at)
     VALUES (?, ?, 1, 'x', ?, ?, 3, ?, ?)`,
    iid,
    projectId,
    milestoneId,
    confidential,
    now,
    now,
  ).id
}

beforeAll(async () => {
  w = await world()
  reporter = w.make.user({ username: 'reporter' })
  guest = w.make.user({ username: 'guest' })
  outsider = w.make.user({ username: 'outsider' })
  group = await w.make.group()
  subgroup = await w.make.group({ parent_id: group.id })
  project = await w.make.project({ namespace_id: subgroup.id })
  await w.make.member('projects', project.id, reporter, 20)
  await w.make.member('projects', project.id, guest, 10)
  at = `/projects/${project.id}/milestones`
})

describe('a milestone of a project', () => {
  it('is created, read, updated, closed, activated and deleted', async () => {
    const made = await w.as(reporter).post(at, {
      title: 'v1',
      description: 'First',
      start_date: '2026-01-01',
      due_date: '2026-02-01T00:00:00Z',
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: made.body.id,
      iid: 1,
      project_id: project.id,
      title: 'v1',
      description: 'First',
      state: 'active',
      created_at: made.body.created_at,
      updated_at: made.body.updated_at,
      due_date: '2026-02-01',
      start_date: '2026-01-01',
      expired: true,
      web_url: `${w.url}/${project.path_with_namespace}/-/milestones/1`,
    })
    const path = `${at}/${made.body.id}`
    expect((await w.as(guest).get(path)).body).toEqual(made.body)
    const closed = await w.as(reporter).put(path, { state_event: 'close' })
    expect([closed.status, closed.body.state]).toEqual([200, 'closed'])
    expect((await w.as(reporter).put(path, { state_event: 'close' })).status).toBe(200)
    const changed = await w
      .as(reporter)
      .put(path, new URLSearchParams({ title: 'v1.0', due_date: '', state_event: 'activate' }))
    expect(changed.body).toMatchObject({
      title: 'v1.0',
      state: 'active',
      due_date: null,
      start_date: '2026-01-01',
      expired: false,
    })
    expect((await w.as(reporter).delete(path)).status).toBe(204)
    expect((await w.as(reporter).get(path)).body).toEqual({ message: '404 Not found' })
    expect((await make(`/projects/${project.id}`, 'v2')).iid).toBe(2)
  })

  it('returns 400 for invalid dates or titles', async () => {
    const post = async (body: object) => {
      const { status, body: answer } = await w.as(reporter).post(at, body)
      return [status, answer]
    }
    const backwards = { message: { due_date: ['must be greater than start date'] } }
    expect(await post({})).toEqual([400, { error: 'title is missing' }])
    expect(await post({ title: ' ' })).toEqual([400, { message: { title: ["can't be blank"] } }])
    expect(await post({ title: 'x'.repeat(256) })).toEqual([
      400,
      { message: { title: ['is too long (maximum is 255 characters)'] } },
    ])
    const dates = { start_date: '2026-02-01', due_date: '2026-02-01' }
    expect(await post({ title: 'x', ...dates })).toEqual([400, backwards])
    expect(await post({ title: 'x', due_date: '2026-02-30' })).toEqual([
      400,
      { error: 'due_date is invalid' },
    ])
    const { id } = await make(`/projects/${project.id}`, 'dated', { start_date: '2026-03-01' })
    const put = await w.as(reporter).put(`${at}/${id}`, { due_date: '2026-02-01' })
    expect([put.status, put.body]).toEqual([400, backwards])
    const empty = await w.as(reporter).put(`${at}/${id}`, {})
    expect([empty.status, empty.body]).toEqual([
      400,
      {
        error:
          'title, start_date, due_date, description, state_event are missing, at least one parameter must be provided',
      },
    ])
    expect((await w.as(reporter).put(`${at}/${id}`, { state_event: 'open' })).body).toEqual({
      error: 'state_event does not have a valid value',
    })
    expect((await w.as(reporter).put(`${at}/999999`, { title: 'x' })).status).toBe(404)
  })

  it('checks who may read and change it', async () => {
    const { id } = await make(`/projects/${project.id}`, 'owned')
    expect((await w.as(guest).post(at, { title: 'x' })).status).toBe(403)
    expect((await w.as(guest).put(`${at}/${id}`, { title: 'x' })).status).toBe(403)
    expect((await w.as(guest).delete(`${at}/${id}`)).status).toBe(403)
    expect((await w.as(outsider).get(at)).body).toEqual({ message: '404 Project Not Found' })
    const other = await w.make.project()
    expect((await w.as(w.root).get(`/projects/${other.id}/milestones/${id}`)).status).toBe(404)
    const features = { issues_access_level: 'private', merge_requests_access_level: 'disabled' }
    await w.as(w.root).put(`/projects/${other.id}`, { visibility: 'public', ...features })
    expect((await w.as(outsider).get(`/projects/${other.id}/milestones`)).status).toBe(403)
  })
})

describe('milestones of groups', () => {
  it('have their own IIDs and URLs, and are inherited on request', async () => {
    const above = await make(`/groups/${group.id}`, 'above')
    expect(above).toMatchObject({
      iid: 1,
      group_id: group.id,
      web_url: `${w.url}/groups/${group.full_path}/-/milestones/1`,
    })
    expect(above).not.toHaveProperty('project_id')
    await make(`/groups/${subgroup.id}`, 'between')
    const get = async (path: string, user = guest) => titles((await w.as(user).get(path)).body)
    expect(await get(at)).not.toContain('above')
    expect(await get(`${at}?include_parent_milestones=true`)).toEqual(
      expect.arrayContaining(['above', 'between', 'owned']),
    )
    expect(await get(`${at}?include_ancestors=true&search=BETW`)).toEqual(['between'])
    const groups = (id: number, query: string) => get(`/groups/${id}/milestones?${query}`)
    expect(await groups(subgroup.id, '')).toEqual(['between'])
    expect(await groups(subgroup.id, 'include_parent_milestones=1')).toEqual(['between', 'above'])
    expect(await groups(group.id, 'include_descendants=true')).toEqual(
      expect.arrayContaining(['above', 'between', 'owned']),
    )
    expect((await w.as(guest).put(`/groups/${group.id}/milestones/${above.id}`, { title: 'x' })).status).toBe(
      403,
    )
    expect((await w.as(guest).get(`${at}/${above.id}`)).status).toBe(404)
    expect((await w.as(guest).get(`/groups/${group.id}/milestones/${above.id}`)).body).toEqual(above)
  })

  it('cannot share a title with a parent group or a project below', async () => {
    const refused = async (path: string, title: string) => {
      const { status, body } = await w.as(w.root).post(path, { title })
      expect([status, body]).toEqual([400, TAKEN])
    }
    await refused(at, 'above')
    await refused(at, ' owned ')
    await refused(`/groups/${group.id}/milestones`, 'owned')
    await refused(`/groups/${group.id}/milestones`, 'between')
    await refused(`/groups/${subgroup.id}/milestones`, 'above')
    const { id } = await make(`/projects/${project.id}`, 'free')
    expect((await w.as(reporter).put(`${at}/${id}`, { title: 'above' })).body).toEqual(TAKEN)
    expect((await w.as(reporter).put(`${at}/${id}`, { title: 'free', description: 'x' })).status).toBe(200)
    const sibling = await w.make.project({ namespace_id: group.id })
    expect((await make(`/projects/${sibling.id}`, 'owned')).iid).toBe(1)
  })
})

describe('lists of milestones', () => {
  it('filter milestones, newest first', async () => {
    const own = await w.make.project()
    const path = `/projects/${own.id}`
    const [a, b, c] = [
      await make(path, 'a 50%', { description: 'needle', start_date: '2026-01-01', due_date: '2026-01-31' }),
      await make(path, 'b', { start_date: '2026-02-01' }),
      await make(path, 'c'),
    ]
    await w.as(w.root).put(`${path}/milestones/${b.id}`, { state_event: 'close' })
    const get = async (query: string) => titles((await w.as(w.root).get(`${path}/milestones?${query}`)).body)
    expect(await get('')).toEqual(['c', 'b', 'a 50%'])
    expect(await get('state=active')).toEqual(['c', 'a 50%'])
    expect(await get('state=closed')).toEqual(['b'])
    expect(await get(`iids[]=${a.iid}&iids[]=${c.iid}`)).toEqual(['c', 'a 50%'])
    expect(await get('title=b')).toEqual(['b'])
    expect(await get('search=NEEDLE')).toEqual(['a 50%'])
    expect(await get('search=0%25')).toEqual(['a 50%'])
    expect(await get('search_title=needle')).toEqual([])
    expect(await get('containing_date=2026-01-31')).toEqual(['a 50%'])
    expect(await get('updated_after=2020-01-01&updated_before=2999-01-01T00:00:00Z&per_page=1')).toEqual([
      'c',
    ])
    expect(await get('updated_before=2020-01-01')).toEqual([])
    const bad = await w.as(w.root).get(`${path}/milestones?state=open`)
    expect([bad.status, bad.body]).toEqual([400, { error: 'state does not have a valid value' }])
  })
})

describe('promoting', () => {
  it('merges the milestones of projects into one group milestone', async () => {
    const home = await w.make.group()
    const [firstProject, secondProject] = [
      await w.make.project({ namespace_id: home.id }),
      await w.make.project({ namespace_id: home.id }),
    ]
    const first = await make(`/projects/${firstProject.id}`, 'same', { due_date: '2026-05-05' })
    const second = await make(`/projects/${secondProject.id}`, 'same')
    const ids = [issue(firstProject.id, first.id), issue(secondProject.id, second.id)]
    await w.make.member('projects', firstProject.id, reporter, 20)
    const path = `/projects/${firstProject.id}/milestones/${first.id}/promote`
    expect((await w.as(reporter).post(path)).status).toBe(403)
    await w.make.member('groups', home.id, reporter, 20)
    const { status, body } = await w.as(reporter).post(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ title: 'same', group_id: home.id, iid: 1, due_date: '2026-05-05' })
    const rows = w.ctx().db.many('SELECT milestone_id FROM issues WHERE id IN (?, ?)', ids[0], ids[1])
    expect(rows).toEqual([{ milestone_id: body.id }, { milestone_id: body.id }])
    expect((await w.as(w.root).get(`/projects/${secondProject.id}/milestones`)).body).toEqual([])
    expect((await w.as(reporter).post(path)).status).toBe(404)
  })

  it('returns 400 for a project without a group', async () => {
    const own = await w.make.project()
    const { id } = await make(`/projects/${own.id}`, 'alone')
    const { status, body } = await w.as(w.root).post(`/projects/${own.id}/milestones/${id}/promote`)
    expect([status, body]).toEqual([400, { message: 'Project does not belong to a group.' }])
  })
})

describe('the burndown', () => {
  it('lists the events of visible issues', async () => {
    const { id } = await make(`/projects/${project.id}`, 'burning')
    const { db } = w.ctx()
    const seen = issue(project.id, id)
    issue(project.id, id, 1)
    for (const [state, at_] of [
      ['closed', '2999-01-01T00:00:00.000Z'],
      ['reopened', '2999-01-02T00:00:00.000Z'],
    ])
      db.exec(
        'INSERT INTO resource_state_events (issue_id, user_id, state, created_at) VALUES (?, 1, ?, ?)',
        seen,
        state,
        at_,
      )
    const get = async (user: TestUser) => (await w.as(user).get(`${at}/${id}/burndown_events`)).body
    // oxlint-disable-next-line typescript/no-explicit-any
    const actions = (rows: any[]) => rows.map((row) => row.action)
    expect(actions(await get(guest))).toEqual(['created', 'closed', 'reopened'])
    expect((await get(guest))[0]).toMatchObject({ weight: 3 })
    expect(actions(await get(reporter))).toEqual(['created', 'created', 'closed', 'reopened'])
  })
})

describe('milestones that a project can use', () => {
  it('include its own milestones and those of parent groups', async () => {
    const { db } = w.ctx()
    const row = projectById(db, project.id)!
    expect(milestoneTitled(db, row, 'above')).toMatchObject({ group_id: group.id })
    expect(milestoneTitled(db, row, 'owned')).toMatchObject({ project_id: project.id })
    expect(milestoneTitled(db, row, 'nowhere')).toBeUndefined()
    const { id } = milestoneTitled(db, row, 'above')!
    expect(milestoneFor(db, row, id)?.title).toBe('above')
    expect(milestoneFor(db, projectById(db, (await w.make.project()).id)!, id)).toBeUndefined()
  })
})
