import { beforeAll, expect, test } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
let dev: TestUser
let guest: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let path: string

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  guest = w.make.user({ username: 'guest' })
  outsider = w.make.user({ username: 'outsider' })
  project = await w.make.project({ with: 'readme', visibility: 'private' })
  path = `/projects/${project.id}/merge_requests`
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, guest, 10)
  await w.as(w.root).post(`/projects/${project.id}/labels`, { name: 'bug', color: '#ff0000' })
  await pushTo(w, project, 'one', { 'one.txt': '1\n' })
  await pushTo(w, project, 'two', { 'two.txt': '2\n' })
})

test('the answer has every field of a single merge request', async () => {
  const milestone = (await w.as(w.root).post(`/projects/${project.id}/milestones`, { title: '1.0' })).body
  const made = await w.as(dev).post(path, {
    title: '  Draft: All fields  ',
    source_branch: 'one',
    target_branch: 'main',
    description: 'Some `text`\n\n- [x] one\n- [ ] two\n',
    assignee_ids: [dev.id, 1],
    reviewer_ids: [1],
    labels: 'bug,fresh',
    milestone_id: milestone.id,
    remove_source_branch: true,
  })
  expect(made.status).toBe(201)
  const { body } = made
  expect(body).toEqual({
    id: body.id,
    iid: 1,
    project_id: project.id,
    title: 'Draft: All fields',
    description: 'Some `text`\n\n- [x] one\n- [ ] two\n',
    state: 'opened',
    created_at: body.created_at,
    updated_at: body.updated_at,
    merged_by: null,
    merge_user: null,
    merged_at: null,
    closed_by: null,
    closed_at: null,
    target_branch: 'main',
    source_branch: 'one',
    user_notes_count: 0,
    upvotes: 0,
    downvotes: 0,
    author: expect.objectContaining({ username: 'dev', state: 'active' }),
    assignees: [expect.objectContaining({ username: 'root' }), expect.objectContaining({ username: 'dev' })],
    assignee: expect.objectContaining({ username: 'root' }),
    reviewers: [expect.objectContaining({ username: 'root' })],
    source_project_id: project.id,
    target_project_id: project.id,
    labels: ['bug', 'fresh'],
    draft: true,
    work_in_progress: true,
    milestone: expect.objectContaining({ title: '1.0', project_id: project.id }),
    merge_when_pipeline_succeeds: false,
    merge_status: 'unchecked',
    detailed_merge_status: 'unchecked',
    sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    merge_commit_sha: null,
    squash_commit_sha: null,
    discussion_locked: null,
    should_remove_source_branch: null,
    force_remove_source_branch: true,
    prepared_at: null,
    reference: '!1',
    references: { short: '!1', relative: '!1', full: `${project.path_with_namespace}!1` },
    web_url: `${w.url}/${project.path_with_namespace}/-/merge_requests/1`,
    time_stats: {
      time_estimate: 0,
      total_time_spent: 0,
      human_time_estimate: null,
      human_total_time_spent: null,
    },
    allow_collaboration: false,
    allow_maintainer_to_push: false,
    squash: false,
    task_completion_status: { count: 2, completed_count: 1 },
    has_conflicts: false,
    blocking_discussions_resolved: true,
    approvals_before_merge: null,
    subscribed: true,
    changes_count: null,
    latest_build_started_at: null,
    latest_build_finished_at: null,
    first_deployed_to_production_at: null,
    pipeline: null,
    head_pipeline: null,
    diff_refs: null,
    merge_error: null,
    user: { can_merge: false },
  })
  await w.drain()
  const later = (await w.as(w.root).get(`${path}/1`)).body
  expect(later).toMatchObject({
    sha: body.sha,
    changes_count: '1',
    diff_refs: { head_sha: body.sha },
    first_contribution: true,
    subscribed: true,
    user: { can_merge: true },
  })
  expect(later.prepared_at).toEqual(expect.any(String))
  expect(later).not.toHaveProperty('diverged_commits_count')
  expect(later).not.toHaveProperty('rebase_in_progress')
})

test('requested fields are added to the answer', async () => {
  await pushTo(w, project, 'main', { 'later.txt': 'later\n' })
  const query = 'render_html=true&include_diverged_commits_count=true&include_rebase_in_progress=true'
  const { body } = await w.as(dev).get(`${path}/1?${query}`)
  expect(body).toMatchObject({ diverged_commits_count: 1, rebase_in_progress: false })
  expect(body.title_html).toBe('Draft: All fields')
  expect(body.description_html).toContain('<code>text</code>')
})

test('missing, empty, too long and unknown values are refused', async () => {
  const as = w.as(dev)
  const params = { title: 'T', source_branch: 'two', target_branch: 'main' }
  const refusals: [object, number, unknown][] = [
    [{ target_branch: 'main' }, 400, { error: 'title is missing, source_branch is missing' }],
    [{ ...params, title: ' ' }, 400, { message: { title: ["can't be blank"] } }],
    [
      { ...params, title: 'x'.repeat(256) },
      400,
      { message: { title: ['is too long (maximum is 255 characters)'] } },
    ],
    [
      { ...params, description: 'x'.repeat(1_048_577) },
      400,
      { message: { description: ['is too long (maximum is 1048576 characters)'] } },
    ],
    [
      { ...params, source_branch: 'none', target_branch: 'neither' },
      400,
      { message: { source_branch: ['does not exist'], target_branch: ['does not exist'] } },
    ],
    [{ ...params, source_branch: '../x' }, 400, { message: { source_branch: ['does not exist'] } }],
    [{ ...params, target_branch: '' }, 400, { message: { target_branch: ["can't be blank"] } }],
    [
      { ...params, source_branch: 'main' },
      422,
      { message: ["You can't use same project/branch for source and target"] },
    ],
    [
      { ...params, source_branch: 'one' },
      409,
      { message: ['Another open merge request already exists for this source branch: !1'] },
    ],
    [{ ...params, assignee_ids: ['x'] }, 400, { error: 'assignee_ids is invalid' }],
    [{ ...params, milestone_id: 'x' }, 400, { error: 'milestone_id is invalid' }],
    [{ ...params, target_project_id: 99999 }, 404, { message: '404 Project Not Found' }],
  ]
  for (const [body, status, answer] of refusals) {
    const { status: receivedStatus, body: received } = await as.post(path, body)
    expect([receivedStatus, received], JSON.stringify(body).slice(0, 200)).toEqual([status, answer])
  }
})

test('the creation returns an error to users who may not push to the source or see the project', async () => {
  const params = { title: 'T', source_branch: 'two', target_branch: 'main' }
  expect((await w.as(guest).post(path, params)).status).toBe(403)
  expect((await w.as(outsider).post(path, params)).body).toEqual({ message: '404 Project Not Found' })
  expect((await w.as(null).post(path, params)).status).toBe(401)
  expect((await w.as(guest).get(`${path}/1`)).status).toBe(403)
  expect((await w.as(outsider).get(`${path}/1`)).body).toEqual({ message: '404 Project Not Found' })
  expect((await w.as(dev).get(`${path}/99`)).body).toEqual({ message: '404 Not found' })
})

test('users who cannot see the merge request, and milestones of other projects, are ignored', async () => {
  const elsewhere = await w.make.project()
  const foreign = (await w.as(w.root).post(`/projects/${elsewhere.id}/milestones`, { title: 'x' })).body
  const made = await openMergeRequest(w, project, {
    author: dev,
    assignee_ids: [outsider.id, guest.id],
    reviewer_ids: [99999, outsider.id],
    milestone_id: foreign.id,
    drain: false,
  })
  expect(made).toMatchObject({ assignees: [], assignee: null, reviewers: [], milestone: null })
  const single = await openMergeRequest(w, project, { author: dev, assignee_id: dev.id, drain: false })
  expect(single.assignee.username).toBe('dev')
  const nobody = await openMergeRequest(w, project, { author: dev, assignee_ids: [0], drain: false })
  expect(nobody.assignees).toEqual([])
})

test('project settings decide about squashing and the number of approvals', async () => {
  const set = (settings: object) => w.as(w.root).put(`/projects/${project.id}`, settings)
  const squash = async (params: object) =>
    (await openMergeRequest(w, project, { ...params, drain: false })).squash
  expect(await squash({ squash: true })).toBe(true)
  await set({ squash_option: 'never' })
  expect(await squash({ squash: true })).toBe(false)
  await set({ squash_option: 'always' })
  expect(await squash({ squash: false })).toBe(true)
  await set({ squash_option: 'default_on' })
  expect(await squash({})).toBe(true)
  expect(await squash({ squash: false })).toBe(false)
  await set({ squash_option: 'default_off' })

  const approvals = async (params: object) =>
    (await openMergeRequest(w, project, { ...params, drain: false })).approvals_before_merge
  expect(await approvals({ approvals_before_merge: 3 })).toBeNull()
  await set({ approvals_before_merge: 2 })
  expect(await approvals({})).toBe(2)
  expect(await approvals({ approvals_before_merge: 1 })).toBe(2)
  expect(await approvals({ approvals_before_merge: 3 })).toBe(3)
  await set({ approvals_before_merge: 0 })
})

test('a merge request comes from a fork of an owner outside the project', async () => {
  const open = await w.make.project({ with: 'readme', visibility: 'public' })
  const fork = (await w.as(outsider).post(`/projects/${open.id}/fork`)).body
  await w.drain()
  const made = await openMergeRequest(w, open, {
    author: outsider,
    source: { ...fork, default_branch: 'main' },
    source_branch: 'main',
    allow_collaboration: true,
    labels: 'not mine to give',
    assignee_id: outsider.id,
  })
  expect(made).toMatchObject({
    iid: 1,
    project_id: open.id,
    target_project_id: open.id,
    source_project_id: fork.id,
    allow_collaboration: true,
    allow_maintainer_to_push: true,
    changes_count: '1',
    labels: [],
    assignees: [],
    user: { can_merge: false },
  })
  expect((await w.as(outsider).get(`/projects/${fork.id}/merge_requests`)).body).toEqual([])
  const from = await w.as(w.root).get(`/merge_requests?scope=all&source_project_id=${fork.id}`)
  expect(from.body.map((mergeRequest: { id: number }) => mergeRequest.id)).toEqual([made.id])

  const params = { title: 'T', source_branch: 'main', target_branch: 'main' }
  const refused = async (target: number) => {
    const { status, body } = await w
      .as(outsider)
      .post(`/projects/${fork.id}/merge_requests`, { ...params, target_project_id: target })
    return [status, body]
  }
  const stranger = await w.make.project({ with: 'readme', visibility: 'public' })
  expect(await refused(stranger.id)).toEqual([
    422,
    { message: ['Source project is not a fork of the target project'] },
  ])
  expect(await refused(project.id)).toEqual([404, { message: '404 Project Not Found' }])
  await w.as(w.root).put(`/projects/${open.id}`, { merge_requests_access_level: 'disabled' })
  expect(await refused(open.id)).toEqual([403, { message: '403 Forbidden' }])
})

test('forms and deprecated parameter names are accepted', async () => {
  const form = new URLSearchParams({
    title: 'Form',
    source_branch: 'two',
    target_branch: 'main',
    squash: 'on',
    labels: 'bug',
  })
  form.append('reviewer_ids[]', String(dev.id))
  const { status, body } = await w.as(dev).post(path, form)
  expect(status).toBe(201)
  expect(body).toMatchObject({ title: 'Form', squash: true, labels: ['bug'] })
  expect(body.reviewers[0].id).toBe(dev.id)
  expect(body.allow_collaboration).toBe(false)
})

test('merge requests from a fork are closed when the fork is unlinked or deleted', async () => {
  const open = await w.make.project({ with: 'readme', visibility: 'public' })
  const fork = async (name: string) => {
    const made = (await w.as(w.root).post(`/projects/${open.id}/fork`, { name, path: name })).body
    await w.drain()
    return openMergeRequest(w, open, { source: { ...made, default_branch: 'main' }, source_branch: 'main' })
  }
  const [first, other] = [await fork('stands'), await fork('goes')]
  const stateOf = async ({ iid }: { iid: number }) =>
    (await w.as(w.root).get(`/projects/${open.id}/merge_requests/${iid}`)).body
  await w.as(w.root).delete(`/projects/${first.source_project_id}/fork`)
  await w.drain()
  expect(await stateOf(first)).toMatchObject({ state: 'closed', closed_by: { username: 'root' } })
  expect(await stateOf(other)).toMatchObject({ state: 'opened' })
  const path = `/projects/${other.source_project_id}`
  await w.as(w.root).delete(path)
  const full = encodeURIComponent(`${(await w.as(w.root).get(path)).body.path_with_namespace}`)
  await w.as(w.root).delete(`${path}?permanently_remove=true&full_path=${full}`)
  await w.drain()
  expect(await stateOf(other)).toMatchObject({ state: 'closed', source_project_id: null })
})
