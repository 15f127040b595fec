import { beforeAll, expect, test } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
let dev: TestUser
let reporter: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let project: Any
let path: string

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  reporter = w.make.user({ username: 'reporter' })
  project = await w.make.project({ with: 'readme', visibility: 'private' })
  path = `/projects/${project.id}/merge_requests`
  await w.make.member('projects', project.id, dev, 40)
  await w.make.member('projects', project.id, reporter, 20)
  await pushTo(w, project, 'stable', { 'stable.txt': 's\n' })
  await w.as(w.root).post(`/projects/${project.id}/labels`, { name: 'bug', color: '#ff0000' })
})

test('quick actions in a description run and are removed from it', async () => {
  const made = await openMergeRequest(w, project, {
    author: dev,
    description:
      'Text\n\n/assign me\n/assign_reviewer @reporter\n/label ~bug\n/draft\n/estimate 1h\n\n```\n/close\n```',
  })
  expect(made).toMatchObject({ state: 'opened', draft: true, labels: ['bug'] })
  expect(made.description).toBe('Text\n\n\n```\n/close\n```')
  expect(made.assignee.username).toBe('dev')
  expect(made.reviewers[0].username).toBe('reporter')
  expect(made.time_stats.human_time_estimate).toBe('1h')
  const edited = await w.as(dev).put(`${path}/${made.iid}`, {
    description: 'New\n/ready\n/unassign_reviewer\n/target_branch stable\n/close',
  })
  expect(edited.body).toMatchObject({
    title: made.title.replace('Draft: ', ''),
    description: 'New',
    draft: false,
    reviewers: [],
    target_branch: 'stable',
    state: 'closed',
  })
})

test('quick actions in a note return what they changed', async () => {
  const { iid, sha } = await openMergeRequest(w, project, { author: dev })
  const say = async (body: string, user = dev, more = {}) => {
    const { status, body: answer } = await w.as(user).post(`${path}/${iid}/notes`, { body, ...more })
    return [status, answer]
  }
  const now = async () => (await w.as(dev).get(`${path}/${iid}`)).body
  expect(await say('/draft')).toEqual([
    202,
    {
      commands_changes: { wip_event: 'draft' },
      summary: ['Marked this merge request as a draft.'],
    },
  ])
  expect((await now()).draft).toBe(true)
  expect((await say('/ready\n/request_review @reporter me'))[1]).toMatchObject({
    commands_changes: { wip_event: 'ready', reviewer_ids: [dev.id, reporter.id] },
  })
  expect((await say('/reassign_reviewer @reporter'))[1]).toMatchObject({
    summary: ['Changed reviewer(s) to @reporter.'],
  })
  expect((await say('/unassign_reviewer @reporter'))[1]).toMatchObject({
    commands_changes: { reviewer_ids: [] },
    summary: ['Removed reviewer @reporter.'],
  })
  expect((await say('/target_branch nowhere'))[0]).not.toBe(500)
  expect((await now()).target_branch).toBe('main')
  expect((await say('/title Another'))[0]).toBe(202)
  expect((await now()).title).toBe('Another')
  expect((await say('/approve', w.root))[0]).toBe(202)
  expect((await say('/unapprove', w.root))[0]).toBe(202)
  expect((await say('/rebase'))[1]).toMatchObject({ commands_changes: { rebase: true } })
  await w.drain()

  // A merge is skipped for a user who may not merge, and for another head.
  await say('Please\n/merge', reporter)
  await say('/merge', dev, { merge_request_diff_head_sha: 'f'.repeat(40) })
  expect((await now()).state).toBe('opened')
  const merged = await say('/merge', dev, { merge_request_diff_head_sha: (await now()).sha })
  expect(merged).toEqual([
    202,
    { commands_changes: { merge: expect.any(String) }, summary: ['Merged this merge request.'] },
  ])
  expect((await now()).state).toBe('merged')
  expect(sha).toEqual(expect.any(String))
})

test('users who may only comment change nothing', async () => {
  const { iid, title } = await openMergeRequest(w, project, { author: dev })
  const answer = await w.as(reporter).post(`${path}/${iid}/notes`, {
    body: 'Hi\n/title Mine\n/draft\n/close\n/label ~bug\n/assign me\n/rebase',
  })
  expect(answer.status).toBe(201)
  expect((await w.as(dev).get(`${path}/${iid}`)).body).toMatchObject({
    title,
    state: 'opened',
    labels: [],
    assignees: [],
  })
})

test('context commits are listed with a merge request', async () => {
  const { iid } = await openMergeRequest(w, project, { author: dev })
  const at = `${path}/${iid}/context_commits`
  const [commit] = (await w.as(dev).get(`/projects/${project.id}/repository/commits?ref_name=stable`)).body
  const added = await w.as(dev).post(at, { commits: [commit.id] })
  expect([added.status, added.body]).toEqual([201, [expect.objectContaining({ id: commit.id })]])
  expect((await w.as(reporter).get(at)).body).toEqual(added.body)
  const refused = async (method: 'post' | 'delete', commits: unknown, user = dev) => {
    const { status, body } = await w.as(user)[method](at, { commits })
    return [status, body]
  }
  const invalid = [400, { message: "One or more context commits' sha is not valid." }]
  expect(await refused('post', ['f'.repeat(40)])).toEqual(invalid)
  expect(await refused('post', [])).toEqual(invalid)
  expect(await refused('delete', ['f'.repeat(40)])).toEqual(invalid)
  expect(
    await refused(
      'post',
      Array.from({ length: 21 }, () => commit.id),
    ),
  ).toEqual([400, { message: 'Context commits array size should not be more than 20' }])
  expect(await refused('post', undefined)).toEqual([400, { error: 'commits is missing' }])
  expect(await refused('post', [commit.id], reporter)).toEqual([403, { message: '403 Forbidden' }])
  expect((await w.as(dev).delete(at, { commits: [commit.id] })).status).toBe(204)
  expect((await w.as(dev).get(at)).body).toEqual([])
})
