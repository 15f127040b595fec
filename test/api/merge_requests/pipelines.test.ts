import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'
import { makeRunner, run } from '../ci/run-job.ts'

const w = await world()
const root = w.as(w.root)
let dev: TestUser
let reporter: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let path: string
let runner: number

const CONFIG = `
unit:
  script: [make]
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
docs:
  script: [make docs]
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
      changes: [docs/*]
`

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  reporter = w.make.user({ username: 'reporter' })
  project = await w.make.project({ with: 'readme', visibility: 'private' })
  path = `/projects/${project.id}/merge_requests`
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, reporter, 20)
  await root.delete(`/projects/${project.id}/protected_branches/main`)
  runner = makeRunner(w)
  await pushTo(w, project, 'main', { '.gitlab-ci.yml': CONFIG })
  await w.drain()
})

const open = (options: Parameters<typeof openMergeRequest>[2] = {}) =>
  openMergeRequest(w, project, { author: dev, ...options })
const show = async (iid: number, user = w.root) => (await w.as(user).get(`${path}/${iid}`)).body
// oxlint-disable-next-line typescript/no-explicit-any
const pipelines = async (iid: number): Promise<any[]> => (await root.get(`${path}/${iid}/pipelines`)).body
// oxlint-disable-next-line typescript/no-explicit-any
const jobsOf = async (id: number, of = project.id): Promise<any[]> =>
  (await root.get(`/projects/${of}/pipelines/${id}/jobs`)).body
const set = (settings: object) => root.put(`/projects/${project.id}`, settings)

async function finish(pipelineId: number, status: 'success' | 'failed' = 'success'): Promise<void> {
  for (const job of await jobsOf(pipelineId)) run(w, job.id, runner, status)
  await w.drain()
}

describe('a merge request', () => {
  test('gets a pipeline when it is opened and after every push, and shows the one of its head', async () => {
    const request = await open({ source_branch: 'feature', files: { 'docs/a.md': 'a' } })
    const [first] = await pipelines(request.iid)
    expect(first).toMatchObject({
      source: 'merge_request_event',
      ref: `refs/merge-requests/${request.iid}/head`,
      sha: request.sha,
      status: 'pending',
    })
    expect((await jobsOf(first.id)).map((job) => job.name)).toEqual(['unit', 'docs'])
    expect(request.head_pipeline).toMatchObject({ id: first.id, user: { username: 'dev' }, coverage: null })
    expect(request.pipeline).toEqual(first)
    expect(request.latest_build_started_at).toBeNull()
    await finish(first.id)
    const done = await show(request.iid)
    expect(done.head_pipeline).toMatchObject({ status: 'success', detailed_status: { group: 'success' } })
    expect(done.latest_build_finished_at).toBe(done.head_pipeline.finished_at)
    await pushTo(w, project, 'feature', { 'b.txt': 'b' }, { author: dev })
    await w.drain()
    const list = await pipelines(request.iid)
    expect(list).toHaveLength(2)
    const after = await show(request.iid)
    expect(after.head_pipeline).toMatchObject({ id: list[0].id, sha: after.sha, status: 'pending' })
    // An unchanged merge request gets no new pipeline.
    await pushTo(w, project, 'main', { 'c.txt': 'c' })
    await w.drain()
    expect(await pipelines(request.iid)).toHaveLength(2)
  })

  test('has predefined variables in its pipeline', async () => {
    const request = await open({ title: 'A $PLAIN title', labels: 'one,two', assignee_ids: [dev.id] })
    const [{ id }] = await pipelines(request.iid)
    const { predefined } = w
      .ctx()
      .db.one<{ predefined: string }>('SELECT predefined FROM ci_pipelines WHERE id = ?', id)!
    const variables = Object.fromEntries(
      (JSON.parse(predefined) as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
    )
    expect(variables).toMatchObject({
      CI_MERGE_REQUEST_ID: String(request.id),
      CI_MERGE_REQUEST_IID: String(request.iid),
      CI_MERGE_REQUEST_REF_PATH: `refs/merge-requests/${request.iid}/head`,
      CI_MERGE_REQUEST_TITLE: 'A $PLAIN title',
      CI_MERGE_REQUEST_LABELS: 'one,two',
      CI_MERGE_REQUEST_ASSIGNEES: 'dev',
      CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
      CI_MERGE_REQUEST_PROJECT_ID: String(project.id),
      CI_MERGE_REQUEST_PROJECT_PATH: project.path_with_namespace,
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: request.source_branch,
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: 'false',
      CI_MERGE_REQUEST_DIFF_BASE_SHA: request.diff_refs.base_sha,
    })
  })

  test('gets another pipeline on request', async () => {
    const request = await open()
    const post = (user: TestUser) => w.as(user).post(`${path}/${request.iid}/pipelines`)
    const made = await post(dev)
    expect([made.status, made.body]).toMatchObject([
      200,
      {
        source: 'merge_request_event',
        sha: request.sha,
        before_sha: '0'.repeat(40),
        detailed_status: { text: 'pending' },
      },
    ])
    expect((await show(request.iid)).head_pipeline.id).toBe(made.body.id)
    expect(await pipelines(request.iid)).toHaveLength(2)
    expect((await post(reporter)).body).toEqual({
      message: { base: ['Insufficient permissions to create a new pipeline'] },
    })
    await w.as(dev).put(`${path}/${request.iid}`, { state_event: 'close' })
    const closed = await post(dev)
    expect([closed.status, closed.body]).toEqual([405, { message: '405 Method Not Allowed' }])
    expect((await root.get(`${path}/999/pipelines`)).body).toEqual({ message: '404 Not found' })
  })

  test('lists pipelines of its branch too, and none to users who may not see pipelines', async () => {
    const request = await open()
    const made = await w.as(dev).post(`/projects/${project.id}/statuses/${request.sha}`, {
      state: 'running',
      ref: request.source_branch,
    })
    expect(made.status).toBe(201)
    const list = await pipelines(request.iid)
    expect(list.map((pipeline) => pipeline.source)).toEqual(['merge_request_event', 'external'])
    // Merge request pipelines come before branch pipelines.
    expect((await show(request.iid)).head_pipeline.id).toBe(list[0].id)
    await root.delete(`/projects/${project.id}/pipelines/${list[0].id}`)
    expect((await show(request.iid)).head_pipeline).toMatchObject({ id: list[1].id, status: 'running' })
    const commit = (await root.get(`/projects/${project.id}/repository/commits/${request.sha}`)).body
    expect(commit).toMatchObject({ status: 'running', last_pipeline: list[1] })
    await set({ builds_access_level: 'disabled' })
    const blind = await show(request.iid)
    expect([blind.head_pipeline, blind.pipeline]).toEqual([undefined, undefined])
    expect((await root.get(`${path}/${request.iid}/pipelines`)).status).toBe(403)
    await set({ builds_access_level: 'enabled' })
  })
})

describe('a merge', () => {
  test('waits for the pipeline when the project requires success', async () => {
    await set({ only_allow_merge_if_pipeline_succeeds: true })
    const request = await open()
    await show(request.iid)
    await w.drain()
    expect((await show(request.iid)).detailed_merge_status).toBe('ci_still_running')
    const { id } = request.head_pipeline
    await finish(id, 'failed')
    expect((await show(request.iid)).detailed_merge_status).toBe('ci_must_pass')
    expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(405)
    await root.post(`/projects/${project.id}/pipelines/${id}/retry`)
    await finish(id)
    expect((await show(request.iid)).detailed_merge_status).toBe('mergeable')
    expect((await root.put(`${path}/${request.iid}/merge`)).body.state).toBe('merged')
  })

  test('is allowed after a skipped pipeline, if the project says so', async () => {
    const request = await open({ message: 'Words [ci skip]' })
    expect(request.head_pipeline.status).toBe('skipped')
    await show(request.iid)
    await w.drain()
    expect((await show(request.iid)).detailed_merge_status).toBe('ci_must_pass')
    await set({ allow_merge_on_skipped_pipeline: true })
    expect((await show(request.iid)).detailed_merge_status).toBe('mergeable')
    await set({ only_allow_merge_if_pipeline_succeeds: false, allow_merge_on_skipped_pipeline: false })
  })

  test('happens automatically when the pipeline succeeds', async () => {
    const request = await open()
    const armed = await root.put(`${path}/${request.iid}/merge`, { merge_when_pipeline_succeeds: true })
    expect(armed.body).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true })
    await finish(request.head_pipeline.id, 'failed')
    expect(await show(request.iid)).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true })
    await root.post(`/projects/${project.id}/pipelines/${request.head_pipeline.id}/retry`)
    await finish(request.head_pipeline.id)
    expect(await show(request.iid)).toMatchObject({
      state: 'merged',
      head_pipeline: { id: request.head_pipeline.id, status: 'success' },
    })
  })

  test('happens automatically as well when the pipeline succeeds during the request for it', async () => {
    for (let turns = 1; turns <= 1024; turns *= 4) {
      const request = await open()
      const jobs = await jobsOf(request.head_pipeline.id)
      const asked = root.put(`${path}/${request.iid}/merge`, { merge_when_pipeline_succeeds: true })
      for (let turn = 0; turn < turns; turn++) await setImmediate()
      for (const job of jobs) run(w, job.id, runner, 'success')
      expect((await asked).status).toBe(200)
      await w.drain()
      expect((await show(request.iid)).state).toBe('merged')
    }
  })
})

test('a failed pipeline gives the author a to-do item until it runs again', async () => {
  const reasons = async () =>
    (await w.as(dev).get('/todos')).body.map((todo: { action_name: string; target: { iid: number } }) => [
      todo.action_name,
      todo.target.iid,
    ])
  await w.as(dev).post('/todos/mark_as_done')
  const request = await open()
  await finish(request.head_pipeline.id, 'failed')
  expect(await reasons()).toEqual([['build_failed', request.iid]])
  await w.as(dev).post(`/projects/${project.id}/pipelines/${request.head_pipeline.id}/retry`)
  await w.drain()
  expect(await reasons()).toEqual([])
})

test('the pipeline of a fork runs in the fork, unless the target project allows it', async () => {
  const fork = (await w.as(dev).post(`/projects/${project.id}/fork`, { path: 'forked', name: 'forked' })).body
  await set({ ci_allow_fork_pipelines_to_run_in_parent_project: false })
  await w.drain()
  const request = await open({ source: { ...fork, default_branch: 'main' } })
  expect(request.head_pipeline).toMatchObject({
    project_id: fork.id,
    ref: request.source_branch,
    source: 'merge_request_event',
    sha: request.sha,
  })
  // Root sees the fork. A reporter of the project does not.
  expect((await w.as(reporter).get(`${path}/${request.iid}/pipelines`)).body).toEqual([])
  expect((await show(request.iid, reporter)).head_pipeline).toBeNull()
  await w.make.member('projects', fork.id, reporter, 30)
  const theirs = await w.as(reporter).post(`${path}/${request.iid}/pipelines`)
  expect(theirs.body.project_id).toBe(fork.id)
  await set({ ci_allow_fork_pipelines_to_run_in_parent_project: true })
  const still = await w.as(reporter).post(`${path}/${request.iid}/pipelines`)
  expect(still.body.project_id).toBe(fork.id)
  const made = await w.as(dev).post(`${path}/${request.iid}/pipelines`)
  expect([made.status, made.body]).toMatchObject([
    200,
    { project_id: project.id, ref: `refs/merge-requests/${request.iid}/head` },
  ])
})
