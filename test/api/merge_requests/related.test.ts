import { beforeAll, expect, test } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
let dev: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let group: Any
let project: Any
let secret: Any

async function numbers(path: string, user: TestUser = dev): Promise<unknown> {
  const { status, body } = await w.as(user).get(path)
  return status === 200 ? body.map((mergeRequest: { iid: number }) => mergeRequest.iid) : [status, body]
}

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  outsider = w.make.user({ username: 'outsider' })
  group = await w.make.group({ visibility: 'public' })
  project = await w.make.project({ with: 'readme', namespace_id: group.id, visibility: 'public' })
  secret = await w.make.project({ with: 'readme', visibility: 'private' })
  await w.make.member('projects', project.id, dev, 30)
  for (const title of ['One', 'Two', 'Three', 'Four'])
    await w.as(dev).post(`/projects/${project.id}/issues`, { title })
  await w.as(w.root).post(`/projects/${secret.id}/issues`, { title: 'Hidden' })
})

test('a merge closes the issues that its texts and commits name', async () => {
  const made = await openMergeRequest(w, project, {
    author: dev,
    description: 'Closes #1 and mentions #3.\n\n`Closes #4` is code.',
    message: 'Fix it\n\nFixes #2',
    drain: false,
  })
  const at = `/projects/${project.id}/merge_requests/${made.iid}`
  expect(await numbers(`${at}/closes_issues`)).toEqual([1])
  await w.drain()
  expect(await numbers(`${at}/closes_issues`)).toEqual([1, 2])
  expect(await numbers(`${at}/related_issues`)).toEqual([1, 2, 3])
  expect(await numbers(`/projects/${project.id}/issues/1/closed_by`)).toEqual([made.iid])
  expect(await numbers(`/projects/${project.id}/issues/3/closed_by`)).toEqual([])
  expect(await numbers(`/projects/${project.id}/issues/3/related_merge_requests`)).toEqual([made.iid])
  expect(await numbers(`/projects/${project.id}/issues/4/related_merge_requests`)).toEqual([])
  const issue = (await w.as(dev).get(`/projects/${project.id}/issues/1`)).body
  expect(issue.merge_requests_count).toBe(1)

  await w.as(dev).put(at, { description: 'Closes #3' })
  expect(await numbers(`${at}/closes_issues`)).toEqual([2, 3])
  expect(await numbers(`/projects/${project.id}/issues/1/closed_by`)).toEqual([])
  const lines = w
    .ctx()
    .db.many<{ note: string }>(
      "SELECT note FROM notes WHERE noteable_type = 'Issue' AND action = 'cross_reference' ORDER BY id",
    )
  expect(lines.filter(({ note }) => note === `mentioned in merge request !${made.iid}`)).toHaveLength(2)

  expect(await numbers(`${at.replace(/\d+$/, '99')}/closes_issues`)).toEqual([
    404,
    { message: '404 Not found' },
  ])
  expect(await numbers(`/projects/${project.id}/issues/99/closed_by`)).toEqual([
    404,
    { message: '404 Not found' },
  ])
  expect(await numbers(`/projects/${project.id}/issues/99/related_merge_requests`)).toEqual([
    404,
    { message: '404 Not found' },
  ])
})

test('only merges into the default branch close issues, and only issues that the author sees', async () => {
  await pushTo(w, project, 'other', { 'o.txt': 'o\n' })
  const elsewhere = await openMergeRequest(w, project, {
    author: dev,
    target_branch: 'other',
    description: 'Closes #4',
  })
  const at = `/projects/${project.id}/merge_requests/${elsewhere.iid}`
  expect(await numbers(`${at}/closes_issues`)).toEqual([])
  const blind = await openMergeRequest(w, project, {
    author: dev,
    description: `Closes ${secret.path_with_namespace}#1`,
  })
  expect(await numbers(`/projects/${project.id}/merge_requests/${blind.iid}/closes_issues`, w.root)).toEqual(
    [],
  )
  const seeing = await openMergeRequest(w, project, {
    description: `Closes ${secret.path_with_namespace}#1, ${w.url}/${project.path_with_namespace}/-/issues/4`,
  })
  const mine = `/projects/${project.id}/merge_requests/${seeing.iid}/closes_issues`
  expect((await w.as(w.root).get(mine)).body.map((issue: { title: string }) => issue.title)).toEqual([
    'Four',
    'Hidden',
  ])
  expect((await w.as(outsider).get(mine)).body.map((issue: { title: string }) => issue.title)).toEqual([
    'Four',
  ])
})

test('a commit lists the merge requests that contain it', async () => {
  const { iid, sha } = await openMergeRequest(w, project, { author: dev })
  const of = (commit: string) => `/projects/${project.id}/repository/commits/${commit}/merge_requests`
  expect(await numbers(of(sha))).toEqual([iid])
  expect(await numbers(`${of(sha)}?state=opened`)).toEqual([iid])
  expect(await numbers(`${of(sha)}?state=merged`)).toEqual([])
  expect(await numbers(of('main'))).toEqual([])
  expect(await numbers(of('f'.repeat(40)))).toEqual([404, { message: '404 Commit Not Found' }])
  await w.as(w.root).put(`/projects/${project.id}`, { merge_requests_access_level: 'private' })
  expect(await numbers(of(sha), outsider)).toEqual([])
  await w.as(w.root).put(`/projects/${project.id}`, { merge_requests_access_level: 'enabled' })
})

test('a milestone lists its merge requests', async () => {
  const own = (await w.as(dev).post(`/projects/${project.id}/milestones`, { title: 'own' })).body
  const common = (await w.as(w.root).post(`/groups/${group.id}/milestones`, { title: 'common' })).body
  const first = await openMergeRequest(w, project, { author: dev, milestone_id: own.id })
  const second = await openMergeRequest(w, project, { author: dev, milestone_id: common.id })
  expect(await numbers(`/projects/${project.id}/milestones/${own.id}/merge_requests`)).toEqual([first.iid])
  expect(await numbers(`/groups/${group.id}/milestones/${common.id}/merge_requests`)).toEqual([second.iid])
  expect(await numbers(`/projects/${project.id}/milestones/${common.id}/merge_requests`)).toEqual([
    404,
    { message: '404 Not found' },
  ])
  expect(await numbers(`/groups/${group.id}/milestones/${own.id}/merge_requests`)).toEqual([
    404,
    { message: '404 Not found' },
  ])
})

test('merge requests of public projects are visible to signed-in users', async () => {
  const path = `/projects/${project.id}/merge_requests`
  const somebody = w.as(w.make.user())
  expect((await somebody.get(path)).body.length).toBeGreaterThan(0)
  expect((await somebody.get(`${path}/1`)).body).toMatchObject({
    subscribed: false,
    user: { can_merge: false },
  })
  expect((await somebody.get(`/groups/${group.id}/merge_requests`)).body.length).toBeGreaterThan(0)
  const anybody = w.as(null)
  for (const request of [
    anybody.get(path),
    anybody.get(`${path}/1`),
    anybody.get(`/groups/${group.id}/merge_requests`),
    anybody.post(path, { title: 'T', source_branch: 'a', target_branch: 'main' }),
    anybody.put(`${path}/1`, { title: 'T' }),
    anybody.delete(`${path}/1`),
    anybody.post(`${path}/1/subscribe`),
  ])
    expect(await request).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
})

test('a merge closes no issue that the merging user may not update', async () => {
  const hers = await w.make.project({ visibility: 'private' })
  await w.make.member('projects', hers.id, dev, 20)
  const issue = (await w.as(dev).post(`/projects/${hers.id}/issues`, { title: 'Mine' })).body
  const made = await openMergeRequest(w, project, {
    author: dev,
    description: `Closes ${issue.references.full}`,
  })
  await w.as(w.root).delete(`/projects/${hers.id}/members/${dev.id}`)
  await w.make.member('projects', project.id, outsider, 40)
  const at = `/projects/${project.id}/merge_requests/${made.iid}`
  expect((await w.as(outsider).put(`${at}/merge`)).body.state).toBe('merged')
  await w.drain()
  const found = await w.as(w.root).get(`/projects/${hers.id}/issues/${issue.iid}`)
  expect(found.body.state).toBe('opened')
})
