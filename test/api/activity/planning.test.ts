import { beforeAll, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let dev: TestUser
let guest: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'owner' })
  dev = w.make.user({ username: 'dev' })
  guest = w.make.user({ username: 'guest' })
  project = await w.make.project({ owner, with: 'readme' })
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, guest, 10)
  await w.as(owner).post(at('/repository/commits'), {
    branch: 'work',
    start_branch: 'main',
    commit_message: 'Work',
    actions: [{ action: 'create', file_path: 'work.txt', content: 'work' }],
  })
})

const at = (rest: string): string => `/projects/${project.id}${rest}`

/** Returns the project's feed, each event as `action type title`. */
async function feed(user: TestUser, query = ''): Promise<string[]> {
  await w.drain()
  const { status, body } = await w.as(user).get(at(`/events?${query}`))
  expect(status).toBe(200)
  return body.map(
    (row: { action_name: string; target_type: string | null; target_title: string | null }) =>
      `${row.action_name} ${row.target_type} ${row.target_title}`,
  )
}

it('the feed lists events of issues with their project', async () => {
  const { body: issue } = await w.as(owner).post(at('/issues'), { title: 'Leak' })
  await w.as(owner).put(at('/issues/1'), { state_event: 'close' })
  await w.as(owner).put(at('/issues/1'), { state_event: 'reopen' })
  await w.as(owner).put(at('/issues/1'), { state_event: 'close' })
  expect(await feed(guest, 'target_type=issue')).toEqual([
    'closed Issue Leak',
    'reopened Issue Leak',
    'closed Issue Leak',
    'opened Issue Leak',
  ])
  const { body } = await w.as(guest).get(at('/events?target_type=issue&action=created'))
  expect(body).toHaveLength(1)
  expect(body[0]).toMatchObject({
    project_id: project.id,
    target_id: issue.id,
    target_iid: 1,
    target_type: 'Issue',
    target_title: 'Leak',
    author_id: owner.id,
    author_username: 'owner',
  })
  await w.as(owner).put(at('/issues/1'), { title: 'Small leak' })
  expect(await feed(guest, 'target_type=issue&action=reopened')).toEqual(['reopened Issue Small leak'])
})

it('the feed shows confidential issues and internal notes only to their readers', async () => {
  await w.as(owner).post(at('/issues'), { title: 'Secret', confidential: true })
  await w.as(owner).post(at('/issues/2/notes'), { body: 'hush' })
  await w.as(owner).post(at('/issues/1/notes'), { body: 'loud' })
  await w.as(owner).post(at('/issues/1/notes'), { body: 'quiet', internal: true })
  const all = ['commented on Note Small leak', 'commented on Note Small leak', 'commented on Note Secret']
  expect(await feed(dev, 'target_type=note')).toEqual(all)
  expect(await feed(guest, 'target_type=note')).toEqual(['commented on Note Small leak'])
  expect(await feed(guest, 'target_type=issue&action=created')).toEqual(['opened Issue Small leak'])
  expect(await feed(dev, 'target_type=issue&action=created')).toContain('opened Issue Secret')
  const [event] = (await w.as(guest).get(at('/events?action=commented'))).body
  expect(event).toMatchObject({
    target_id: event.note.id,
    target_iid: event.note.id,
    note: { body: 'loud', noteable_type: 'Issue', noteable_iid: 1 },
  })
})

it('the feed shows merge requests to their readers', async () => {
  const branches = { source_branch: 'work', target_branch: 'main' }
  await w.as(owner).post(at('/merge_requests'), { ...branches, title: 'Mend it' })
  await w.as(dev).post(at('/merge_requests/1/approve'))
  await w.as(dev).post(at('/merge_requests/1/notes'), { body: 'Fine' })
  await w.as(owner).put(at('/merge_requests/1'), { state_event: 'close' })
  await w.as(owner).put(at('/merge_requests/1'), { state_event: 'reopen' })
  await w.drain()
  await w.as(owner).get(at('/merge_requests/1'))
  await w.drain()
  expect((await w.as(owner).put(at('/merge_requests/1/merge'))).status).toBe(200)
  expect(await feed(dev, 'target_type=merge_request')).toEqual([
    'accepted MergeRequest Mend it',
    'reopened MergeRequest Mend it',
    'closed MergeRequest Mend it',
    'approved MergeRequest Mend it',
    'opened MergeRequest Mend it',
  ])
  expect(await feed(dev, 'action=merged')).toEqual(['accepted MergeRequest Mend it'])
  expect(await feed(guest, 'target_type=merge_request')).toEqual([])
  expect(await feed(dev, 'target_type=note')).toContain('commented on Note Mend it')
  expect(await feed(guest, 'target_type=note')).not.toContain('commented on Note Mend it')
})

it('the feed lists events of milestones, also of deleted ones', async () => {
  const { body } = await w.as(owner).post(at('/milestones'), { title: '1.0' })
  await w.as(owner).put(at(`/milestones/${body.id}`), { state_event: 'close' })
  await w.as(owner).put(at(`/milestones/${body.id}`), { state_event: 'activate' })
  await w.drain()
  await w.as(owner).delete(at(`/milestones/${body.id}`))
  expect(await feed(guest, 'target_type=milestone')).toEqual([
    'destroyed Milestone 1.0',
    'reopened Milestone 1.0',
    'closed Milestone 1.0',
    'created Milestone 1.0',
  ])
  const [last] = (await w.as(guest).get(at('/events?target_type=milestone'))).body
  expect([last.target_id, last.target_iid]).toEqual([null, null])
})

it('the feed leaves out deleted records', async () => {
  await w.as(owner).delete(at('/issues/1'))
  expect(await feed(owner, 'target_type=issue')).toEqual(['opened Issue Secret'])
  expect(await feed(owner, 'target_type=note')).toEqual([
    'commented on Note Mend it',
    'commented on Note Secret',
  ])
})
