import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

const instance = await world()
const { as, make, root } = instance
const owner = make.user({ username: 'owner' })
const reporter = make.user({ username: 'reporter' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let group: Any
let project: Any
let other: Any
let milestones: Record<string, number>
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

async function open(where: Any, params: object, user = owner) {
  const { status, body } = await as(user).post(`/projects/${where.id}/issues`, params)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

beforeAll(async () => {
  group = await make.group({ owner, visibility: 'public' })
  const below = await make.group({ owner, parent_id: group.id })
  project = await make.project({ owner, namespace_id: group.id, visibility: 'public' })
  other = await make.project({ owner, namespace_id: below.id })
  await make.member('projects', project.id, reporter, 20)
  await make.member('projects', project.id, guest, 10)
  const milestone = async (params: object) =>
    (await as(owner).post(`/projects/${project.id}/milestones`, params)).body.id as number
  milestones = {
    old: await milestone({ title: 'old', start_date: day(-20), due_date: day(-10) }),
    now: await milestone({ title: 'now', start_date: day(-2), due_date: day(5) }),
    next: await milestone({ title: 'next', start_date: day(6), due_date: day(9) }),
  }
  await open(project, {
    title: 'Alpha crash',
    description: 'The engine stops',
    labels: 'bug,ui',
    assignee_ids: [reporter.id, guest.id],
    milestone_id: milestones['now'],
    due_date: day(0),
    weight: 5,
    created_at: '2020-01-01T00:00:00Z',
  })
  await open(project, {
    title: 'Beta crash',
    labels: ['bug'],
    assignee_ids: [reporter.id],
    milestone_id: milestones['next'],
    due_date: day(-1),
    issue_type: 'incident',
    created_at: '2020-02-01T00:00:00Z',
  })
  await open(project, { title: 'gamma 100% "quoted"', created_at: '2020-03-01T00:00:00Z' })
  await open(project, {
    title: 'Delta secret',
    confidential: true,
    milestone_id: milestones['old'],
    weight: 1,
    due_date: day(1),
    created_at: '2020-04-01T00:00:00Z',
  })
  await open(project, { title: 'Epsilon by guest' }, guest)
  await as(owner).put(`/projects/${project.id}/issues/3`, { state_event: 'close' })
  await as(reporter).post(`/projects/${project.id}/issues/2/award_emoji`, { name: 'thumbsup' })
  await open(other, { title: 'Hidden crash', labels: 'bug' })
})

/** Returns the IIDs of a list, in its order. */
async function numbers(query: string, user: typeof owner | null = owner, path?: string) {
  const { status, body } = await as(user).get(`${path ?? `/projects/${project.id}/issues`}?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.map((issue: { iid: number }) => issue.iid)
}

describe('the issues of a project', () => {
  it.each([
    ['', [5, 4, 3, 2, 1]],
    ['state=opened', [5, 4, 2, 1]],
    ['state=closed', [3]],
    ['sort=asc', [1, 2, 3, 4, 5]],
    ['labels=bug', [2, 1]],
    ['labels=bug,ui', [1]],
    ['labels[]=bug&labels[]=ui', [1]],
    ['labels=none', [5, 4, 3]],
    ['labels=Any', [2, 1]],
    ['labels=nowhere', []],
    ['milestone=now', [1]],
    ['milestone=None', [5, 3]],
    ['milestone=Any', [4, 2, 1]],
    ['milestone_id=Started', [4, 1]],
    ['milestone=Upcoming', [1]],
    ['iids[]=2&iids[]=4', [4, 2]],
    ['author_username=GUEST', [5]],
    ['author_username=nobody', []],
    ['assignee_username=reporter', [2, 1]],
    ['assignee_username[]=reporter&assignee_username[]=guest', [1]],
    ['assignee_id=None', [5, 4, 3]],
    ['assignee_id=Any', [2, 1]],
    ['assignee_id=0', [5, 4, 3]],
    ['confidential=true', [4]],
    ['confidential=false&state=opened', [5, 2, 1]],
    ['issue_type=incident', [2]],
    ['due_date=0', [5, 3]],
    ['due_date=any', [4, 2, 1]],
    ['due_date=today', [1]],
    ['due_date=tomorrow', [4]],
    ['due_date=overdue', [2]],
    ['due_date=next_month_and_previous_two_weeks', [4, 2, 1]],
    ['weight=5', [1]],
    ['weight=None', [5, 3, 2]],
    ['weight=Any', [4, 1]],
    ['epic_id=None', [5, 4, 3, 2, 1]],
    ['epic_id=7', []],
    ['created_after=2020-02-01T00:00:00Z&created_before=2020-03-01', [3, 2]],
    ['updated_before=2020-05-01', [4, 2, 1]],
    ['search=CRASH', [2, 1]],
    ['search=crash+alpha', [1]],
    ['search=engine', [1]],
    ['search=engine&in=title', []],
    ['search=100%25', [3]],
    ['search=%22quoted%22', [3]],
    ['search=m', [3]],
    ['search=zz', []],
    ['scope=all', [5, 4, 3, 2, 1]],
    ['scope=created_by_me', [4, 3, 2, 1]],
    ['scope=assigned-to-me', []],
    ['order_by=updated_at&sort=asc&iids[]=1&iids[]=3', [1, 3]],
    ['order_by=title&sort=asc', [1, 2, 4, 5, 3]],
    ['order_by=due_date&sort=asc', [2, 1, 4, 3, 5]],
    ['order_by=due_date&sort=desc', [4, 1, 2, 5, 3]],
    ['order_by=milestone_due&sort=asc', [4, 1, 2, 3, 5]],
    ['order_by=popularity', [2, 5, 4, 3, 1]],
    ['order_by=weight&sort=asc', [4, 1, 2, 3, 5]],
    ['order_by=relative_position', [5, 4, 3, 2, 1]],
    ['order_by=relative_position&sort=asc', [1, 2, 3, 4, 5]],
    ['order_by=label_priority&sort=asc', [1, 2, 3, 4, 5]],
    ['order_by=priority&sort=asc', [4, 1, 2, 3, 5]],
    ['not[labels]=ui', [5, 4, 3, 2]],
    ['not[labels]=ui,bug', [5, 4, 3]],
    ['not[milestone]=now', [5, 4, 3, 2]],
    ['not[milestone_id]=Started', [2]],
    ['not[milestone_id]=Upcoming', [4]],
    ['not[issue_type]=incident', [5, 4, 3, 1]],
    ['not[assignee_username]=guest', [5, 4, 3, 2]],
    ['not[author_username]=guest', [4, 3, 2, 1]],
    ['not[iids][]=5', [4, 3, 2, 1]],
    ['not[weight]=5', [5, 4, 3, 2]],
    ['not[my_reaction_emoji]=thumbsup', [5, 4, 3, 2, 1]],
    ['per_page=2&page=2', [3, 2]],
  ])('with %j are %j', async (query, expected) => {
    expect(await numbers(query)).toEqual(expected)
  })

  it('filters by user IDs and by the caller’s emoji', async () => {
    expect(await numbers(`author_id=${guest.id}`)).toEqual([5])
    expect(await numbers(`assignee_id=${guest.id}`)).toEqual([1])
    expect(await numbers(`not[author_id]=${owner.id}`)).toEqual([5])
    expect(await numbers(`not[assignee_id]=${reporter.id}&state=opened`)).toEqual([5, 4])
    expect(await numbers('my_reaction_emoji=thumbsup', reporter)).toEqual([2])
    expect(await numbers('my_reaction_emoji=Any', reporter)).toEqual([2])
    expect(await numbers('my_reaction_emoji=None', reporter)).toEqual([5, 3, 4, 1].sort((a, b) => b - a))
    expect(await numbers('my_reaction_emoji=Any', guest)).toEqual([])
    expect(await numbers('scope=assigned_to_me', reporter)).toEqual([2, 1])
  })

  it.each([
    ['author_id=1&author_username=x', 'author_id, author_username are mutually exclusive'],
    ['assignee_id=1&assignee_username=x', 'assignee_id, assignee_username are mutually exclusive'],
    ['milestone=x&milestone_id=Any', 'milestone, milestone_id are mutually exclusive'],
    ['assignee_id=x', "assignee_id should be an integer, 'None' or 'Any'"],
    ['weight=x', "weight should be an integer, 'None' or 'Any'"],
    ['milestone_id=7', 'milestone_id does not have a valid value'],
    ['state=open', 'state does not have a valid value'],
    ['order_by=colour', 'order_by does not have a valid value'],
    ['due_date=never', 'due_date does not have a valid value'],
    ['scope=mine', 'scope does not have a valid value'],
    ['confidential=maybe', 'confidential is invalid'],
    ['iids[]=x', 'iids is invalid'],
    ['created_after=yesterday', 'created_after is invalid'],
    ['not=labels', 'not is invalid'],
  ])('are refused with %j', async (query, error) => {
    const answer = await as(owner).get(`/projects/${project.id}/issues?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { error } })
  })

  it('returns labels as records and the total', async () => {
    const { body, headers } = await as(owner).get(
      `/projects/${project.id}/issues?labels=ui&with_labels_details=true`,
    )
    expect(headers.get('x-total')).toBe('1')
    expect(body[0].labels).toEqual([
      expect.objectContaining({ name: 'bug', color: '#6699cc' }),
      expect.objectContaining({ name: 'ui', text_color: expect.any(String) }),
    ])
  })

  it('shows confidential issues only to authors, assignees and reporters', async () => {
    for (const user of [null, stranger, guest]) expect(await numbers('', user)).toEqual([5, 3, 2, 1])
    expect(await numbers('', reporter)).toContain(4)
    expect(await numbers('search=secret', guest)).toEqual([])
    expect((await as(guest).get(`/projects/${project.id}/issues/4`)).status).toBe(404)
    await as(owner).put(`/projects/${project.id}/issues/4`, { assignee_ids: [guest.id] })
    expect(await numbers('confidential=true', guest)).toEqual([4])
    expect((await as(guest).get(`/projects/${project.id}/issues/4`)).status).toBe(200)
    await as(owner).put(`/projects/${project.id}/issues/4`, { assignee_ids: [] })
    expect(await numbers('confidential=true', guest)).toEqual([])
  })

  it('returns nothing when the project disables issues', async () => {
    const off = await make.project({ owner, visibility: 'public', issues_access_level: 'disabled' })
    expect(await numbers('', owner, `/projects/${off.id}/issues`)).toEqual([])
    const answer = await as(owner).post(`/projects/${off.id}/issues`, { title: 'x' })
    expect(answer.status).toBe(403)
    const inside = await make.project({ owner, visibility: 'public', issues_access_level: 'private' })
    await open(inside, { title: 'x' })
    expect(await numbers('', stranger, `/projects/${inside.id}/issues`)).toEqual([])
    expect(await numbers('', owner, `/projects/${inside.id}/issues`)).toEqual([1])
    expect(await numbers(`scope=all&search=x&in=title`, stranger, '/issues')).not.toContain(inside.id)
  })
})

describe('the issues of a group and of the instance', () => {
  const titles = async (path: string, user: typeof owner | null = owner) => {
    const { status, body } = await as(user).get(path)
    expect(status, JSON.stringify(body)).toBe(200)
    return body.map((issue: { title: string }) => issue.title)
  }

  it('lists the issues of all visible projects below a group', async () => {
    const at = `/groups/${group.id}/issues?labels=bug`
    expect(await titles(at)).toEqual(['Hidden crash', 'Beta crash', 'Alpha crash'])
    expect(await titles(at, stranger)).toEqual(['Beta crash', 'Alpha crash'])
    expect(await titles(`${at}&scope=created_by_me`, reporter)).toEqual([])
    const [first] = (await as(owner).get(at)).body
    expect(first.references.relative).toBe(`${other.path_with_namespace.split('/').slice(1).join('/')}#1`)
    expect((await as(stranger).get('/groups/999/issues')).body).toEqual({ message: '404 Group Not Found' })
  })

  it('lists the caller’s own issues by default, or all issues', async () => {
    expect(await titles('/issues', guest)).toEqual(['Epsilon by guest'])
    expect(await titles('/issues?scope=assigned_to_me', reporter)).toEqual(['Beta crash', 'Alpha crash'])
    const all = await titles('/issues?scope=all', stranger)
    expect(all).toContain('Epsilon by guest')
    expect(all).not.toContain('Delta secret')
    expect(all).not.toContain('Hidden crash')
    expect(await titles('/issues?scope=all&search=secret', reporter)).toEqual(['Delta secret'])
    expect(await titles('/issues?scope=all&search=Hidden', root)).toEqual(['Hidden crash'])
    expect((await as(null).get('/issues')).status).toBe(401)
    expect(await titles('/issues?scope=all&labels=bug', null)).toEqual(['Beta crash', 'Alpha crash'])
    const [issue] = (await as(guest).get('/issues')).body
    expect(issue.references.relative).toBe(`${project.path_with_namespace}#5`)
  })

  it('leaves out archived projects by default', async () => {
    const shelf = await make.project({ owner, namespace_id: group.id })
    await open(shelf, { title: 'Shelved' })
    await as(owner).post(`/projects/${shelf.id}/archive`)
    expect(await titles('/issues?search=Shelved')).toEqual([])
    expect(await titles('/issues?search=Shelved&non_archived=false')).toEqual(['Shelved'])
    expect(await titles(`/groups/${group.id}/issues?search=Shelved`)).toEqual([])
    expect(await titles(`/groups/${group.id}/issues?search=Shelved&non_archived=0`)).toEqual(['Shelved'])
    expect(await titles(`/projects/${shelf.id}/issues`)).toEqual(['Shelved'])
  })

  it('counts issues by state', async () => {
    const counts = async (path: string, user = owner) => (await as(user).get(path)).body.statistics.counts
    expect(await counts(`/projects/${project.id}/issues_statistics`)).toEqual({
      all: 5,
      closed: 1,
      opened: 4,
    })
    expect(await counts(`/projects/${project.id}/issues_statistics`, guest)).toEqual({
      all: 4,
      closed: 1,
      opened: 3,
    })
    expect(await counts(`/groups/${group.id}/issues_statistics?labels=bug`)).toEqual({
      all: 3,
      closed: 0,
      opened: 3,
    })
    expect(await counts('/issues_statistics', guest)).toEqual({ all: 1, closed: 0, opened: 1 })
    expect((await as(null).get('/issues_statistics')).status).toBe(401)
    const bad = await as(owner).get('/issues_statistics?author_id=1&author_username=x')
    expect(bad.body).toEqual({ error: 'author_id, author_username are mutually exclusive' })
  })

  it('lists the issues of a milestone', async () => {
    const path = `/projects/${project.id}/milestones/${milestones['now']}/issues`
    expect(await titles(path)).toEqual(['Alpha crash'])
    const secret = `/projects/${project.id}/milestones/${milestones['old']}/issues`
    expect(await titles(secret)).toEqual(['Delta secret'])
    expect(await titles(secret, guest)).toEqual([])
    const elsewhere = await as(owner).get(`/projects/${other.id}/milestones/${milestones['now']}/issues`)
    expect(elsewhere).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    const shared = (await as(owner).post(`/groups/${group.id}/milestones`, { title: 'shared' })).body.id
    await as(owner).put(`/projects/${other.id}/issues/1`, { milestone_id: shared })
    expect(await titles(`/groups/${group.id}/milestones/${shared}/issues`)).toEqual(['Hidden crash'])
  })

  it('returns an issue by ID to administrators', async () => {
    const [issue] = (await as(owner).get('/issues?iids[]=1&search=Alpha')).body
    expect((await as(root).get(`/issues/${issue.id}`)).body).toMatchObject({ title: 'Alpha crash' })
    expect((await as(owner).get(`/issues/${issue.id}`)).status).toBe(403)
    expect((await as(root).get('/issues/99999')).body).toEqual({ message: '404 Issue Not Found' })
  })
})
