import { beforeAll, expect, test } from 'vitest'

import { pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
let ann: TestUser
let bob: TestUser
let guest: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let group: Any
let sub: Any
let project: Any
let deep: Any
let hidden: Any

/** Returns the titles of a list that a user reads. */
async function titles(path: string, user: TestUser | null = ann): Promise<unknown> {
  const { status, body } = await w.as(user).get(path)
  return status === 200 ? body.map((mergeRequest: { title: string }) => mergeRequest.title) : [status, body]
}

const inProject = (query: string, user = ann) =>
  titles(`/projects/${project.id}/merge_requests?sort=asc&${query}`, user)

async function open(at: Any, branch: string, params: object, author = ann): Promise<Any> {
  const { status, body, text } = await w.as(author).post(`/projects/${at.id}/merge_requests`, {
    source_branch: branch,
    target_branch: 'main',
    ...params,
  })
  if (status !== 201) throw new Error(text)
  return body
}

beforeAll(async () => {
  ann = w.make.user({ username: 'ann' })
  bob = w.make.user({ username: 'bob' })
  guest = w.make.user({ username: 'guest' })
  outsider = w.make.user({ username: 'outsider' })
  group = await w.make.group({ visibility: 'private' })
  sub = await w.make.group({ parent_id: group.id, visibility: 'private' })
  await w.make.member('groups', group.id, ann, 30)
  await w.make.member('groups', group.id, bob, 30)
  await w.make.member('groups', group.id, guest, 10)
  project = await w.make.project({ with: 'readme', namespace_id: group.id })
  deep = await w.make.project({ with: 'readme', namespace_id: sub.id })
  hidden = await w.make.project({ with: 'readme' })
  for (const branch of ['a', 'b', 'c', 'd', 'e'])
    await pushTo(w, project, branch, { [`${branch}.txt`]: branch })
  for (const at of [deep, hidden]) await pushTo(w, at, 'x', { 'x.txt': 'x' })
  const milestone = (await w.as(ann).post(`/projects/${project.id}/milestones`, { title: 'M1' })).body
  await open(project, 'a', {
    title: 'Alpha works',
    description: 'About horses',
    labels: 'bug,urgent',
    milestone_id: milestone.id,
    assignee_ids: [ann.id, bob.id],
  })
  await open(project, 'b', { title: 'Draft: Beta', labels: 'bug', reviewer_ids: [ann.id] }, bob)
  await open(project, 'c', { title: 'Gamma', description: 'alpha too', assignee_id: bob.id })
  const closed = await open(project, 'd', { title: 'Delta', reviewer_ids: [bob.id] }, bob)
  await w.as(bob).put(`/projects/${project.id}/merge_requests/${closed.iid}`, { state_event: 'close' })
  await open(deep, 'x', { title: 'Deep' }, bob)
  await open(hidden, 'x', { title: 'Hidden' }, w.root)
  await w.as(bob).post(`/projects/${project.id}/merge_requests/1/award_emoji`, { name: 'thumbsup' })
})

const ALL = ['Alpha works', 'Draft: Beta', 'Gamma', 'Delta']

test('a project lists its merge requests, newest first', async () => {
  expect(await titles(`/projects/${project.id}/merge_requests`)).toEqual([...ALL].reverse())
  expect(await inProject('')).toEqual(ALL)
  expect(await inProject('order_by=title')).toEqual([...ALL].sort())
  expect(await inProject('order_by=updated_at')).toHaveLength(4)
  for (const order of ['merged_at', 'priority', 'label_priority', 'milestone_due', 'popularity'])
    expect(await inProject(`order_by=${order}`), order).toHaveLength(4)
  expect(await inProject('order_by=size')).toEqual([400, { error: 'order_by does not have a valid value' }])
  expect(await inProject('sort=up')).toEqual([400, { error: 'sort does not have a valid value' }])
  const { headers, body } = await w.as(ann).get(`/projects/${project.id}/merge_requests?per_page=3`)
  expect([headers.get('x-total'), headers.get('x-next-page'), body.length]).toEqual(['4', '2', 3])
})

test('each filter returns the matching merge requests', async () => {
  const [a, b, c, d] = ALL as [string, string, string, string]
  const cases: Record<string, string[]> = {
    'state=opened': [a, b, c],
    'state=closed': [d],
    'state=merged': [],
    'state=locked': [],
    'state=all': ALL,
    'labels=bug': [a, b],
    'labels=bug,urgent': [a],
    'labels=bug,none such': [],
    'labels=None': [c, d],
    'labels=Any': [a, b],
    'labels[]=urgent': [a],
    'milestone=M1': [a],
    'milestone=None': [b, c, d],
    'milestone=Any': [a],
    'milestone=Nowhere': [],
    [`author_id=${bob.id}`]: [b, d],
    'author_username=BOB': [b, d],
    'author_username=nobody': [],
    [`assignee_id=${bob.id}`]: [a, c],
    'assignee_id=None': [b, d],
    'assignee_id=Any': [a, c],
    'assignee_username[]=ann&assignee_username[]=bob': [a],
    'assignee_username=bob': [a, c],
    [`reviewer_id=${ann.id}`]: [b],
    'reviewer_id=None': [a, c],
    'reviewer_id=Any': [b, d],
    'reviewer_username=bob': [d],
    'reviewer_username=None': [a, c],
    'reviewer_username=Any': [b, d],
    'search=alpha': [a, c],
    'search=alpha&in=title': [a],
    'search=alpha&in=description': [c],
    'search=horses works&in=title,description': [a],
    'search=or': [a],
    'search=%25': [],
    'source_branch=c': [c],
    'target_branch=main': ALL,
    'target_branch=none': [],
    'wip=yes': [b],
    'wip=no': [a, c, d],
    'draft=true': [b],
    'draft=false': [a, c, d],
    'iids[]=1&iids[]=3': [a, c],
    'scope=created_by_me': [a, c],
    'scope=created-by-me': [a, c],
    'scope=assigned_to_me': [a],
    'scope=assigned-to-me': [a],
    'scope=reviews_for_me': [b],
    'scope=all': ALL,
    'my_reaction_emoji=None': ALL,
    'my_reaction_emoji=Any': [],
    'created_after=2000-01-01': ALL,
    'created_before=2000-01-01': [],
    'updated_after=2000-01-01T00:00:00Z': ALL,
    'updated_before=2000-01-01': [],
    'approved_by_ids=None': ALL,
    'approved_by_ids=Any': [],
    [`approved_by_ids[]=${bob.id}`]: [],
    'approved=no': ALL,
    'approved=yes': [],
    'approver_ids=None': ALL,
    'approver_ids=Any': [],
    [`approver_ids[]=${bob.id}`]: [],
    'merge_user_username=bob': [],
    'environment=production': [],
    'not[labels]=urgent': [b, c, d],
    'not[labels]=bug,urgent': [c, d],
    'not[milestone]=M1': [b, c, d],
    [`not[author_id]=${bob.id}`]: [a, c],
    'not[author_username]=ann': [b, d],
    [`not[assignee_id]=${bob.id}`]: [b, d],
    'not[assignee_username]=ann': [b, c, d],
    [`not[reviewer_id]=${ann.id}`]: [a, c, d],
    'not[reviewer_username]=bob': [a, b, c],
    'not[my_reaction_emoji]=thumbsup': ALL,
    [`state=opened&labels=bug&author_id=${bob.id}&search=beta`]: [b],
  }
  for (const [query, expected] of Object.entries(cases))
    expect(await inProject(query), query).toEqual(expected)
  expect(await inProject('my_reaction_emoji=thumbsup', bob)).toEqual([a])
  expect(await inProject('not[my_reaction_emoji]=thumbsup', bob)).toEqual([b, c, d])
})

test('lists filter by approvals and deployments', async () => {
  const at = `/projects/${project.id}/merge_requests`
  expect((await w.as(bob).post(`${at}/3/approve`)).status).toBe(201)
  expect(await inProject('approved_by_ids=Any')).toEqual(['Gamma'])
  expect(await inProject(`approved_by_ids=${bob.id}`)).toEqual(['Gamma'])
  expect(await inProject('approved_by_usernames[]=bob')).toEqual(['Gamma'])
  expect(await inProject(`approved_by_ids[]=${bob.id}&approved_by_ids[]=${ann.id}`)).toEqual([])
  expect(await inProject('approved=yes')).toEqual(['Gamma'])
  const rule = { name: 'Experts', approvals_required: 1, user_ids: [bob.id] }
  expect((await w.as(w.root).post(`/projects/${project.id}/approval_rules`, rule)).status).toBe(201)
  expect(await inProject(`approver_ids[]=${bob.id}`)).toEqual(ALL)
  expect(await inProject(`approver_ids[]=${ann.id}`)).toEqual([])

  const { db } = w.ctx()
  const { id } = (await w.as(ann).get(`${at}/3`)).body
  db.exec(
    `INSERT INTO merge_request_deployments (merge_request_id, environment, tier, deployed_at)
     VALUES (?, 'live', 'production', '2026-05-05T10:00:00.000Z')`,
    id,
  )
  const all = (query: string) => titles(`/merge_requests?scope=all&${query}`)
  expect(await all('environment=live')).toEqual(['Gamma'])
  expect(await all('deployed_after=2026-05-05')).toEqual(['Gamma'])
  expect(await all('deployed_before=2026-05-05')).toEqual([])
  expect(await all('environment=test&deployed_after=2026-05-05')).toEqual([])
  expect((await w.as(ann).get(`${at}/3`)).body.first_deployed_to_production_at).toBe(
    '2026-05-05T10:00:00.000Z',
  )
})

test('a list returns 400 for invalid filters, and for filters that exclude each other', async () => {
  const cases: Record<string, string> = {
    'author_id=1&author_username=a': 'author_id, author_username are mutually exclusive',
    'reviewer_id=1&reviewer_username=a': 'reviewer_id, reviewer_username are mutually exclusive',
    'assignee_id=1&assignee_username=a': 'assignee_id, assignee_username are mutually exclusive',
    'state=open': 'state does not have a valid value',
    'scope=mine': 'scope does not have a valid value',
    'assignee_id=x': "assignee_id should be an integer, 'None' or 'Any'",
    'reviewer_id=x': "reviewer_id should be an integer, 'None' or 'Any'",
    'wip=maybe': 'wip does not have a valid value',
    'created_after=yesterday': 'created_after is invalid',
    'iids[]=x': 'iids is invalid',
    'not=x': 'not is invalid',
    'not[author_id]=x': 'not[author_id] is invalid',
    'approved_by_ids=1,2,3,4,5,6': 'approved_by_ids is too long (maximum is 5 entries)',
    'approver_ids=1,2,3,4,5,6': 'approver_ids is too long (maximum is 5 entries)',
    'view=full': 'view does not have a valid value',
  }
  for (const [query, error] of Object.entries(cases)) {
    for (const path of [
      '/merge_requests',
      `/groups/${group.id}/merge_requests`,
      `/projects/${project.id}/merge_requests`,
    ])
      expect(await titles(`${path}?${query}`), query).toEqual([400, { error }])
  }
})

test('the instance lists the caller’s own or all visible merge requests', async () => {
  expect(await titles('/merge_requests?sort=asc')).toEqual(['Alpha works', 'Gamma'])
  expect(await titles('/merge_requests?sort=asc&scope=all')).toEqual([...ALL, 'Deep'])
  expect(await titles('/merge_requests?scope=all', outsider)).toEqual([])
  expect(await titles('/merge_requests?scope=all', guest)).toEqual([])
  expect(await titles('/merge_requests?scope=all&sort=asc', w.root)).toEqual([...ALL, 'Deep', 'Hidden'])
  expect(await titles('/merge_requests?scope=all', null)).toEqual([401, { message: '401 Unauthorized' }])
  const [deepOne] = (await w.as(ann).get('/merge_requests?scope=all&search=Deep')).body
  expect(deepOne.references.relative).toBe(`${deep.path_with_namespace}!1`)
})

test('a group lists the merge requests of its projects and subgroups', async () => {
  const path = `/groups/${group.id}/merge_requests?sort=asc`
  expect(await titles(path)).toEqual([...ALL, 'Deep'])
  expect(await titles(`/groups/${sub.id}/merge_requests`)).toEqual(['Deep'])
  expect(await titles(path, guest)).toEqual([])
  expect(await titles(path, outsider)).toEqual([404, { message: '404 Group Not Found' }])
  const found = (await w.as(ann).get(`${path}&search=Deep`)).body[0]
  expect(found.references).toEqual({
    short: '!1',
    relative: `${sub.path}/${deep.path}!1`,
    full: `${deep.path_with_namespace}!1`,
  })
  await w.as(w.root).post(`/projects/${deep.id}/archive`)
  expect(await titles(path)).toEqual(ALL)
  expect(await titles(`${path}&non_archived=false`)).toEqual([...ALL, 'Deep'])
  expect(await titles('/merge_requests?scope=all&search=Deep')).toEqual(['Deep'])
  expect(await titles('/merge_requests?scope=all&search=Deep&non_archived=true')).toEqual([])
  await w.as(w.root).post(`/projects/${deep.id}/unarchive`)
})

test('a project that disables merge requests lists none', async () => {
  const path = `/projects/${deep.id}/merge_requests`
  await w.as(w.root).put(`/projects/${deep.id}`, { merge_requests_access_level: 'disabled' })
  expect(await titles(path)).toEqual([403, { message: '403 Forbidden' }])
  expect(await titles('/merge_requests?scope=all&search=Deep')).toEqual([])
  expect(await titles('/merge_requests?scope=all&search=Deep', w.root)).toEqual([])
  await w.as(w.root).put(`/projects/${deep.id}`, { merge_requests_access_level: 'enabled' })
  expect(await titles(path, guest)).toEqual([403, { message: '403 Forbidden' }])
})

test('lists show few fields, labels as records, or HTML on request', async () => {
  const path = `/projects/${project.id}/merge_requests?search=horses`
  const { body: simple } = await w.as(ann).get(`${path}&view=simple`)
  expect(Object.keys(simple[0])).toEqual([
    'id',
    'iid',
    'project_id',
    'title',
    'description',
    'state',
    'created_at',
    'updated_at',
    'web_url',
  ])
  const { body: detailed } = await w.as(ann).get(`${path}&with_labels_details=true&render_html=true`)
  expect(detailed[0].labels.map((label: { name: string }) => label.name)).toEqual(['bug', 'urgent'])
  expect(detailed[0].labels[0]).toHaveProperty('text_color')
  expect(detailed[0].description_html).toBe('<p>About horses</p>')
  expect(detailed[0]).toMatchObject({ upvotes: 1, downvotes: 0 })
  for (const name of ['subscribed', 'changes_count', 'diff_refs', 'merge_error', 'user', 'pipeline'])
    expect(detailed[0], name).not.toHaveProperty(name)
})

test('a list checks mergeability only on request', async () => {
  const path = `/projects/${project.id}/merge_requests?search=horses`
  w.ctx().db.exec("UPDATE merge_requests SET merge_status = 'unchecked'")
  expect((await w.as(ann).get(path)).body[0].merge_status).toBe('unchecked')
  const rechecked = await w.as(ann).get(`${path}&with_merge_status_recheck=true`)
  expect(rechecked.body[0].merge_status).toBe('checking')
  await w.drain()
  expect((await w.as(ann).get(path)).body[0].merge_status).toBe('can_be_merged')
})
