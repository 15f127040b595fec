import { beforeAll, expect, test } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
let dev: TestUser
let other: TestUser
let reporter: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let path: string

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  other = w.make.user({ username: 'other' })
  reporter = w.make.user({ username: 'reporter' })
  project = await w.make.project({ with: 'readme', visibility: 'private' })
  path = `/projects/${project.id}/merge_requests`
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, other, 30)
  await w.make.member('projects', project.id, reporter, 20)
  await pushTo(w, project, 'stable', { 'stable.txt': 's\n' })
})

/** Returns the system notes, oldest first. */
async function lines(iid: number): Promise<string[]> {
  const { id } = (await w.as(w.root).get(`${path}/${iid}`)).body
  return w
    .ctx()
    .db.many<{ note: string }>(
      "SELECT note FROM notes WHERE noteable_type = 'MergeRequest' AND noteable_id = ? AND system = 1 ORDER BY id",
      id,
    )
    .map((row) => row.note)
}

test('every field can be updated, and system notes describe the changes', async () => {
  const { iid, updated_at } = await openMergeRequest(w, project, { author: dev })
  const put = async (params: object) => {
    const { status, body } = await w.as(dev).put(`${path}/${iid}`, params)
    expect([status, body.message, body.error]).toEqual([200, undefined, undefined])
    return body
  }
  expect(await put({ title: 'Draft: Another' })).toMatchObject({ title: 'Draft: Another', draft: true })
  expect(await put({ title: 'Another' })).toMatchObject({ title: 'Another', work_in_progress: false })
  expect(await put({ description: 'Text' })).toMatchObject({ description: 'Text' })
  expect(await put({ description: null })).toMatchObject({ description: null })
  expect(await put({ discussion_locked: true })).toMatchObject({ discussion_locked: true })
  expect(await put({ discussion_locked: false })).toMatchObject({ discussion_locked: false })
  expect(await put({ squash: true, remove_source_branch: true })).toMatchObject({
    squash: true,
    force_remove_source_branch: true,
  })
  expect(await put({ allow_collaboration: true })).toMatchObject({ allow_collaboration: false })
  expect((await put({ assignee_ids: [dev.id, other.id] })).assignees).toHaveLength(2)
  expect(await put({ assignee_id: 0 })).toMatchObject({ assignees: [], assignee: null })
  expect((await put({ reviewer_ids: [other.id] })).reviewers).toHaveLength(1)
  expect((await put({ reviewer_ids: '' })).reviewers).toEqual([])
  expect((await put({ labels: 'b,a' })).labels).toEqual(['a', 'b'])
  expect((await put({ add_labels: ['c'], remove_labels: 'a,unknown' })).labels).toEqual(['b', 'c'])
  expect((await put({ labels: '' })).labels).toEqual([])
  const milestone = (await w.as(dev).post(`/projects/${project.id}/milestones`, { title: 'M' })).body
  expect((await put({ milestone_id: milestone.id })).milestone.title).toBe('M')
  const last = await put({ milestone_id: 0 })
  expect(last.milestone).toBeNull()
  expect(last.updated_at > updated_at).toBe(true)
  expect(await lines(iid)).toEqual([
    'marked this merge request as **draft**',
    expect.stringMatching(/^changed title from /),
    'marked this merge request as **ready**',
    'changed the description',
    'changed the description',
    'locked the discussion in this merge request',
    'unlocked the discussion in this merge request',
    'assigned to @dev and @other',
    'unassigned @dev and @other',
    'requested review from @other',
    'removed review request for @other',
  ])
  const events = await w.as(dev).get(`${path}/${iid}/resource_label_events`)
  expect(events.body.map((event: { action: string }) => event.action)).toEqual([
    'add',
    'add',
    'add',
    'remove',
    'remove',
    'remove',
  ])
  const planned = await w.as(dev).get(`${path}/${iid}/resource_milestone_events`)
  expect(planned.body.map((event: { action: string }) => event.action)).toEqual(['add', 'remove'])
})

test('a new target branch makes a new version', async () => {
  const { iid } = await openMergeRequest(w, project, { author: dev })
  const changed = await w.as(dev).put(`${path}/${iid}`, { target_branch: 'stable' })
  expect(changed.body).toMatchObject({ target_branch: 'stable', merge_status: 'unchecked' })
  await w.drain()
  const versions = w
    .ctx()
    .db.many('SELECT id FROM merge_request_diffs WHERE merge_request_id = ?', changed.body.id)
  expect(versions).toHaveLength(2)
  expect(await lines(iid)).toEqual(['changed target branch from `main` to `stable`'])

  const { source_branch } = changed.body
  const other = (await w.as(dev).post(path, { title: 'T', source_branch, target_branch: 'main' })).body
  const put = async (params: object) => {
    const { status, body } = await w.as(dev).put(`${path}/${other.iid}`, params)
    return [status, body]
  }
  expect(await put({ target_branch: 'stable' })).toEqual([
    409,
    { message: [`Another open merge request already exists for this source branch: !${iid}`] },
  ])
  expect(await put({ target_branch: source_branch })).toEqual([
    422,
    { message: ["You can't use same project/branch for source and target"] },
  ])
  expect(await put({ target_branch: 'none' })).toEqual([
    400,
    { message: { target_branch: ['does not exist'] } },
  ])
})

test('a merge request is closed and reopened', async () => {
  const { iid, source_branch } = await openMergeRequest(w, project, { author: dev })
  const put = (params: object, user = dev) => w.as(user).put(`${path}/${iid}`, params)
  const closed = (await put({ state_event: 'close' })).body
  expect(closed).toMatchObject({ state: 'closed', detailed_merge_status: expect.any(String) })
  expect(closed.closed_by.username).toBe('dev')
  expect(closed.closed_at).toBe(closed.updated_at)
  expect((await put({ state_event: 'close' })).status).toBe(200)

  const other = (await w.as(dev).post(path, { title: 'T', source_branch, target_branch: 'main' })).body
  const refused = await put({ state_event: 'reopen' })
  expect([refused.status, refused.body]).toEqual([
    409,
    { message: [`Another open merge request already exists for this source branch: !${other.iid}`] },
  ])
  await w.as(dev).put(`${path}/${other.iid}`, { state_event: 'close' })
  const reopened = (await put({ state_event: 'reopen' })).body
  expect(reopened).toMatchObject({ state: 'opened', closed_by: null, closed_at: null })
  const events = await w.as(dev).get(`${path}/${iid}/resource_state_events`)
  expect(events.body.map((event: { state: string }) => event.state)).toEqual(['closed', 'reopened'])

  await put({ state_event: 'close' })
  await w.as(dev).delete(`/projects/${project.id}/repository/branches/${source_branch}`)
  const again = await put({ state_event: 'reopen' })
  expect([again.status, again.body]).toEqual([400, { message: { source_branch: ['does not exist'] } }])
  expect((await put({ state_event: 'explode' })).body).toEqual({
    error: 'state_event does not have a valid value',
  })
})

test('an update returns 400 without changes, and for an empty title or target', async () => {
  const { iid } = await openMergeRequest(w, project, { author: dev, drain: false })
  const error = async (params: object) => {
    const { status, body } = await w.as(dev).put(`${path}/${iid}`, params)
    return [status, body]
  }
  expect(await error({})).toEqual([
    400,
    {
      error:
        'assignee_id, assignee_ids, reviewer_ids, description, discussion_locked, labels, add_labels, remove_labels, ' +
        'milestone_id, remove_source_branch, allow_collaboration, allow_maintainer_to_push, squash, target_branch, ' +
        'title, state_event are missing, at least one parameter must be provided',
    },
  ])
  expect(await error({ title: '' })).toEqual([400, { error: 'title is empty' }])
  expect(await error({ target_branch: ' ' })).toEqual([400, { error: 'target_branch is empty' }])
  expect(await error({ title: 'x'.repeat(256) })).toEqual([
    400,
    { message: { title: ['is too long (maximum is 255 characters)'] } },
  ])
  expect(await error({ description: 'x'.repeat(1_048_577) })).toEqual([
    400,
    { message: { description: ['is too long (maximum is 1048576 characters)'] } },
  ])
})

test('authors, assignees and developers may update a merge request; other users may only read', async () => {
  const { iid } = await openMergeRequest(w, project, { author: dev, drain: false })
  expect((await w.as(other).put(`${path}/${iid}`, { title: 'By other' })).status).toBe(200)
  expect((await w.as(reporter).put(`${path}/${iid}`, { title: 'X' })).body).toEqual({
    message: '403 Forbidden',
  })
  await w.as(dev).put(`${path}/${iid}`, { assignee_id: reporter.id })
  const assigned = await w
    .as(reporter)
    .put(`${path}/${iid}`, { title: 'By assignee', discussion_locked: true })
  expect(assigned.body).toMatchObject({ title: 'By assignee', discussion_locked: null })
})

test('owners may delete a merge request, unless it changed meanwhile', async () => {
  const { iid, id, sha } = await openMergeRequest(w, project, { author: dev })
  expect((await w.as(dev).delete(`${path}/${iid}`)).status).toBe(403)
  const before = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
  const stale = await w.as(w.root).delete(`${path}/${iid}`, undefined, before)
  expect([stale.status, stale.body]).toEqual([412, { message: '412 Precondition Failed' }])
  await w.as(dev).post(`${path}/${iid}/notes`, { body: 'hello' })
  expect((await w.as(w.root).delete(`${path}/${iid}`)).status).toBe(204)
  expect((await w.as(w.root).get(`${path}/${iid}`)).status).toBe(404)
  expect((await w.as(w.root).delete(`${path}/${iid}`)).body).toEqual({ message: '404 Not found' })
  await w.drain()
  const { db } = w.ctx()
  expect(db.many('SELECT id FROM notes WHERE noteable_id = ?', id)).toEqual([])
  const ref = encodeURIComponent(`refs/merge-requests/${iid}/head`)
  expect((await w.as(w.root).get(`/projects/${project.id}/repository/commits/${ref}`)).status).toBe(404)
  expect(sha).toEqual(expect.any(String))
})

test('a merge request has subscribers, participants and reviewers', async () => {
  const { iid } = await openMergeRequest(w, project, {
    author: dev,
    reviewer_ids: [other.id],
    description: 'cc @reporter and @nobody',
    drain: false,
  })
  const at = `${path}/${iid}`
  const names = (body: { username: string }[]) => body.map((user) => user.username)
  expect(names((await w.as(dev).get(`${at}/participants`)).body)).toEqual(['dev', 'other', 'reporter'])
  const reviewers = (await w.as(dev).get(`${at}/reviewers`)).body
  expect(reviewers).toEqual([
    {
      user: expect.objectContaining({ username: 'other' }),
      state: 'unreviewed',
      created_at: expect.any(String),
    },
  ])
  const root = w.as(w.root)
  const subscribed = await root.post(`${at}/subscribe`)
  expect([subscribed.status, subscribed.body.subscribed]).toEqual([201, true])
  expect((await root.post(`${at}/subscribe`)).status).toBe(304)
  expect((await root.post(`${at}/unsubscribe`)).body.subscribed).toBe(false)
  expect((await root.post(`${at}/unsubscribe`)).status).toBe(304)
  expect((await w.as(dev).post(`${at}/unsubscribe`)).body.subscribed).toBe(false)
})

test('time is estimated and spent', async () => {
  const { iid } = await openMergeRequest(w, project, { author: dev, drain: false })
  const at = `${path}/${iid}`
  const as = w.as(dev)
  const estimate = await as.post(`${at}/time_estimate`, { duration: '3h 30m' })
  expect([estimate.status, estimate.body.human_time_estimate]).toEqual([200, '3h 30m'])
  const spent = await as.post(`${at}/add_spent_time`, { duration: '1d' })
  expect([spent.status, spent.body.total_time_spent]).toEqual([201, 28_800])
  expect((await as.get(at)).body.time_stats).toEqual((await as.get(`${at}/time_stats`)).body)
  expect((await as.post(`${at}/reset_spent_time`)).body.total_time_spent).toBe(0)
  expect((await as.post(`${at}/reset_time_estimate`)).body.time_estimate).toBe(0)
  expect((await as.post(`${at}/time_estimate`)).body).toEqual({ error: 'duration is missing' })
  expect((await w.as(reporter).post(`${at}/time_estimate`, { duration: '1h' })).status).toBe(403)
})
