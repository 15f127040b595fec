import { beforeAll, describe, expect, test } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
const root = w.as(w.root)
let dev: TestUser
let reporter: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let path: string

beforeAll(async () => {
  dev = w.make.user({ username: 'dev' })
  reporter = w.make.user({ username: 'reporter' })
  outsider = w.make.user({ username: 'outsider' })
  project = await w.make.project({ with: 'readme', visibility: 'private' })
  path = `/projects/${project.id}/merge_requests`
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, reporter, 20)
  await root.post(`/projects/${project.id}/protected_branches`, { name: 'none' })
  await root.delete(`/projects/${project.id}/protected_branches/main`)
})

const open = (options: Parameters<typeof openMergeRequest>[2] = {}) => openMergeRequest(w, project, options)
const show = async (iid: number) => (await root.get(`${path}/${iid}`)).body
const set = (settings: object) => root.put(`/projects/${project.id}`, settings)
const commit = async (id: string) => (await root.get(`/projects/${project.id}/repository/commits/${id}`)).body
const branch = async (name: string) =>
  (await root.get(`/projects/${project.id}/repository/branches/${encodeURIComponent(name)}`)).body
const notes = async (iid: number): Promise<string[]> =>
  (await root.get(`${path}/${iid}/notes`)).body.map((note: { body: string }) => note.body)

describe('merging', () => {
  test('makes a merge commit with the message of the contract', async () => {
    const before = (await branch('main')).commit.id
    const request = await open({ author: dev, title: 'A fine change' })
    const merged = await root.put(`${path}/${request.iid}/merge`)
    expect(merged.status).toBe(200)
    expect(merged.body).toMatchObject({
      state: 'merged',
      merge_user: { username: 'root' },
      merged_by: { username: 'root' },
      squash_commit_sha: null,
      sha: request.sha,
      detailed_merge_status: 'not_open',
    })
    expect(merged.body.merged_at).toMatch(/^\d{4}-.*Z$/)
    const made = await commit(merged.body.merge_commit_sha)
    const full = project.path_with_namespace
    expect(made).toMatchObject({
      parent_ids: [before, request.sha],
      message: `Merge branch '${request.source_branch}' into 'main'\n\nA fine change\n\nSee merge request ${full}!${request.iid}`,
      author_name: 'Administrator',
      committer_name: 'Administrator',
    })
    expect((await branch('main')).commit.id).toBe(made.id)
    // A second merge is refused, and nothing changes.
    const again = await root.put(`${path}/${request.iid}/merge`)
    expect([again.status, again.body]).toEqual([405, { message: '405 Method Not Allowed' }])
    expect((await branch('main')).commit.id).toBe(made.id)
  })

  test('uses the given message, and removes the source branch on request', async () => {
    const request = await open({ author: dev })
    const merged = await w.as(dev).put(`${path}/${request.iid}/merge`, {
      merge_commit_message: 'All of it',
      should_remove_source_branch: true,
    })
    expect(merged.body).toMatchObject({ state: 'merged', should_remove_source_branch: true })
    expect((await commit(merged.body.merge_commit_sha)).message).toBe('All of it')
    await w.drain()
    expect((await branch(request.source_branch)).message).toBe('404 Branch Not Found')
  })

  test('the merge overrides the author’s choice about the source branch', async () => {
    const kept = await open({ author: dev, remove_source_branch: true })
    await root.put(`${path}/${kept.iid}/merge`, { should_remove_source_branch: false })
    const gone = await open({ author: dev, remove_source_branch: true })
    await root.put(`${path}/${gone.iid}/merge`)
    await w.drain()
    expect((await branch(kept.source_branch)).name).toBe(kept.source_branch)
    expect((await branch(gone.source_branch)).message).toBe('404 Branch Not Found')
  })

  test('works right after opening, and right after a push', async () => {
    const request = await open({ drain: false })
    const head = await pushTo(w, project, request.source_branch, { 'late.txt': 'late\n' })
    const merged = await root.put(`${path}/${request.iid}/merge`)
    expect(merged.body).toMatchObject({ state: 'merged', sha: head, merge_status: 'can_be_merged' })
    await w.drain()
    expect((await show(request.iid)).state).toBe('merged')
  })

  test('a user without the right to merge gets an error', async () => {
    const request = await open()
    const requests = [reporter, outsider, null].map((user) => w.as(user).put(`${path}/${request.iid}/merge`))
    expect((await Promise.all(requests)).map(({ status, body }) => [status, body])).toEqual([
      [401, { message: '401 Unauthorized' }],
      [404, { message: '404 Project Not Found' }],
      [401, { message: '401 Unauthorized' }],
    ])
    const missing = await root.put(`${path}/999/merge`)
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Not found' }])
  })

  test('protected branches allow merging by their merge level', async () => {
    await root.post(`/projects/${project.id}/protected_branches`, {
      name: 'main',
      push_access_level: 0,
      merge_access_level: 40,
    })
    const request = await open({ author: dev })
    expect((await w.as(dev).get(`${path}/${request.iid}`)).body.user).toEqual({ can_merge: false })
    expect((await w.as(dev).put(`${path}/${request.iid}/merge`)).status).toBe(401)
    expect((await root.put(`${path}/${request.iid}/merge`)).body.state).toBe('merged')
    await root.delete(`/projects/${project.id}/protected_branches/main`)
  })

  test('drafts, open threads and an outdated head are refused', async () => {
    const draft = await open({ title: 'Draft: later' })
    expect((await root.put(`${path}/${draft.iid}/merge`)).status).toBe(405)
    const request = await open()
    const wrong = await root.put(`${path}/${request.iid}/merge`, { sha: 'a'.repeat(40) })
    expect([wrong.status, wrong.body]).toEqual([
      409,
      { message: `SHA does not match HEAD of source branch: ${request.sha}` },
    ])
    await set({ only_allow_merge_if_all_discussions_are_resolved: true })
    const thread = await root.post(`${path}/${request.iid}/discussions`, { body: 'Really?' })
    expect((await show(request.iid)).detailed_merge_status).toBe('discussions_not_resolved')
    expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(405)
    await root.put(`${path}/${request.iid}/discussions/${thread.body.id}`, { resolved: true })
    expect((await root.put(`${path}/${request.iid}/merge`, { sha: request.sha })).status).toBe(200)
    await set({ only_allow_merge_if_all_discussions_are_resolved: false })
  })

  test('conflicts, missing branches and branches without commits cannot be merged', async () => {
    const request = await open({ files: { 'README.md': 'mine\n' } })
    await pushTo(w, project, 'main', { 'README.md': 'theirs\n' })
    const before = (await branch('main')).commit.id
    const refused = await root.put(`${path}/${request.iid}/merge`)
    expect([refused.status, refused.body]).toEqual([422, { message: 'Branch cannot be merged' }])
    expect((await root.get(`${path}/${request.iid}/conflicts`)).body).toEqual([{ path: 'README.md' }])
    await w.drain()
    await show(request.iid)
    await w.drain()
    expect(await show(request.iid)).toMatchObject({
      merge_status: 'cannot_be_merged',
      has_conflicts: true,
      detailed_merge_status: 'broken_status',
      state: 'opened',
    })
    expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(422)
    await root.delete(`/projects/${project.id}/repository/branches/${request.source_branch}`)
    expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(422)
    await root.post(`/projects/${project.id}/repository/branches`, { branch: 'same', ref: 'main' })
    const empty = await root.post(path, { source_branch: 'same', target_branch: 'main', title: 'Nothing' })
    expect((await root.put(`${path}/${empty.body.iid}/merge`)).status).toBe(422)
    expect((await branch('main')).commit.id).toBe(before)
  })

  test('only one of two concurrent merges succeeds', async () => {
    const request = await open()
    const merges = Array.from({ length: 6 }, () => root.put(`${path}/${request.iid}/merge`))
    const answers = await Promise.all(merges)
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 405, 405, 405, 405, 405])
    const winner = answers.find((answer) => answer.status === 200)!
    expect((await branch('main')).commit.id).toBe(winner.body.merge_commit_sha)
  })

  test('a target branch that changed meanwhile is checked again', async () => {
    const at = `/projects/${project.id}`
    for (const name of ['open', 'guarded'])
      await root.post(`${at}/repository/branches`, { branch: name, ref: 'main' })
    await root.post(`${at}/protected_branches`, { name: 'guarded' })
    const guarded = (await branch('guarded')).commit.id
    for (let round = 0; round < 4; round++) {
      const { iid } = await open({ author: dev, target_branch: 'open' })
      const [merged] = await Promise.all([
        w.as(dev).put(`${path}/${iid}/merge`),
        w.as(dev).put(`${path}/${iid}`, { target_branch: 'guarded' }),
      ])
      const { state, target_branch } = await show(iid)
      // It is merged into the checked target, or not at all.
      expect([state, target_branch]).toEqual(
        merged.status === 200 ? ['merged', 'open'] : ['opened', 'guarded'],
      )
      expect((await branch('guarded')).commit.id).toBe(guarded)
    }
  })

  test('many concurrent merge requests are all merged', async () => {
    const requests = [await open(), await open(), await open(), await open()]
    const answers = await Promise.all(requests.map(({ iid }) => root.put(`${path}/${iid}/merge`)))
    expect(answers.map((answer) => answer.body.state)).toEqual(['merged', 'merged', 'merged', 'merged'])
    const tree = (await root.get(`/projects/${project.id}/repository/tree?per_page=100`)).body
    const names = tree.map((entry: { path: string }) => entry.path)
    for (const { source_branch } of requests) expect(names).toContain(`${source_branch}.txt`)
  })

  test('closes the issues that the merge request names', async () => {
    const issue = (await root.post(`/projects/${project.id}/issues`, { title: 'A bug' })).body
    const request = await open({ description: `Closes #${issue.iid}` })
    const merged = await root.put(`${path}/${request.iid}/merge`)
    const { message } = await commit(merged.body.merge_commit_sha)
    expect(message).toContain(`\n\nCloses #${issue.iid}\n\nSee merge request`)
    const closed = (await root.get(`/projects/${project.id}/issues/${issue.iid}`)).body
    expect(closed).toMatchObject({ state: 'closed', closed_by: { username: 'root' } })
  })
})

describe('merge methods', () => {
  test('squash makes one commit by the author', async () => {
    const request = await open({ author: dev, title: 'Squashed', squash: true })
    await pushTo(w, project, request.source_branch, { 'second.txt': '2\n' }, { author: dev })
    const target = (await branch('main')).commit.id
    const merged = await root.put(`${path}/${request.iid}/merge`)
    expect(merged.body).toMatchObject({ state: 'merged', squash: true })
    const squashed = await commit(merged.body.squash_commit_sha)
    expect(squashed).toMatchObject({
      message: 'Squashed',
      author_name: 'DEV',
      committer_name: 'Administrator',
      parent_ids: [request.diff_refs.base_sha],
    })
    const made = await commit(merged.body.merge_commit_sha)
    expect(made.parent_ids).toEqual([target, squashed.id])
  })

  test('fast-forward moves the target to the head, and requires a rebased branch', async () => {
    await set({ merge_method: 'ff' })
    const first = await open()
    const second = await open()
    const merged = await root.put(`${path}/${first.iid}/merge`)
    expect(merged.body).toMatchObject({ state: 'merged', merge_commit_sha: null, squash_commit_sha: null })
    expect((await branch('main')).commit.id).toBe(first.sha)
    await w.drain()
    await show(second.iid)
    await w.drain()
    expect((await show(second.iid)).detailed_merge_status).toBe('broken_status')
    const refused = await root.put(`${path}/${second.iid}/merge`)
    expect([refused.status, refused.body]).toEqual([422, { message: 'Branch cannot be merged' }])
    const rebased = await root.put(`${path}/${second.iid}/rebase`)
    expect([rebased.status, rebased.body]).toEqual([202, { rebase_in_progress: true }])
    await w.drain()
    const squashed = await root.put(`${path}/${second.iid}/merge`, {
      squash: true,
      squash_commit_message: 'One',
    })
    expect(squashed.body).toMatchObject({ state: 'merged', merge_commit_sha: null })
    const tip = (await branch('main')).commit
    expect(tip).toMatchObject({
      id: squashed.body.squash_commit_sha,
      message: 'One',
      parent_ids: [first.sha],
    })
    await set({ merge_method: 'merge' })
  })

  test('semi-linear history makes a merge commit of a rebased branch', async () => {
    await set({ merge_method: 'rebase_merge' })
    const request = await open()
    await pushTo(w, project, 'main', { 'moved.txt': 'on\n' })
    expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(422)
    await root.put(`${path}/${request.iid}/rebase`)
    await w.drain()
    const target = (await branch('main')).commit.id
    const merged = await root.put(`${path}/${request.iid}/merge`)
    const made = await commit(merged.body.merge_commit_sha)
    expect(made.parent_ids).toEqual([target, merged.body.sha])
    await set({ merge_method: 'merge' })
  })

  test('a rebase creates a branch pipeline, or a skipped one on request', async () => {
    const config = { '.gitlab-ci.yml': 'unit: { script: [make] }' }
    await pushTo(w, project, 'main', config)
    for (const skip_ci of [false, true]) {
      const request = await open()
      await pushTo(w, project, 'main', { [`skip-${skip_ci}.txt`]: 'on\n' })
      await w.drain()
      await root.put(`${path}/${request.iid}/rebase`, { skip_ci })
      await w.drain()
      const rebased = await show(request.iid)
      expect(rebased.sha).not.toBe(request.sha)
      const { body } = await root.get(`/projects/${project.id}/pipelines?sha=${rebased.sha}`)
      expect(body).toMatchObject([{ ref: request.source_branch, status: skip_ci ? 'skipped' : 'pending' }])
    }
    await root.delete(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, {
      branch: 'main',
      commit_message: 'Remove the pipeline',
    })
  })

  test('templates of the project write the messages', async () => {
    await set({
      merge_commit_template:
        '%{title} (%{local_reference})\n\n%{issues}\n\n%{description}\n%{co_authored_by}\nby %{merged_by}',
      squash_commit_template: '%{first_multiline_commit}\n\n%{all_commits}\n%{unknown}',
      squash_option: 'always',
    })
    const request = await open({
      author: dev,
      title: 'Squash',
      description: 'Why',
      message: 'First\n\nin two',
    })
    await pushTo(w, project, request.source_branch, { 'squash.txt': '2\n' }, { message: 'Second' })
    const merged = await root.put(`${path}/${request.iid}/merge`)
    const made = await commit(merged.body.merge_commit_sha)
    expect(made.message).toBe(
      `Squash (!${request.iid})\n\nWhy\nCo-authored-by: DEV <dev@example.test>\nby Administrator <${made.author_email}>`,
    )
    const squashed = await commit(merged.body.squash_commit_sha)
    expect(squashed.message).toBe('First\n\nin two\n\n* First\n\nin two\n\n* Second\n%{unknown}')
    await set({ merge_commit_template: '', squash_commit_template: '', squash_option: 'default_off' })
  })
})

describe('automatic merges', () => {
  const report = (sha: string, state: string) =>
    root.post(`/projects/${project.id}/statuses/${sha}`, { state, name: 'build' })

  test('wait for the statuses of the head, and merge after success', async () => {
    const request = await open({ author: dev })
    const without = await root.put(`${path}/${request.iid}/merge`, { merge_when_pipeline_succeeds: true })
    expect([without.status, without.body]).toEqual([405, { message: '405 Method Not Allowed' }])
    await report(request.sha, 'running')
    const armed = await w.as(dev).put(`${path}/${request.iid}/merge`, {
      merge_when_pipeline_succeeds: true,
      should_remove_source_branch: true,
    })
    expect(armed.status).toBe(200)
    expect(armed.body).toMatchObject({
      state: 'opened',
      merge_when_pipeline_succeeds: true,
      merge_user: { username: 'dev' },
      merged_by: null,
    })
    expect(await notes(request.iid)).toContain(
      `enabled an automatic merge when the pipeline for ${request.sha} succeeds`,
    )
    await report(request.sha, 'success')
    await w.drain()
    expect(await show(request.iid)).toMatchObject({ state: 'merged', merged_by: { username: 'dev' } })
    expect((await branch(request.source_branch)).message).toBe('404 Branch Not Found')
  })

  test('are cancelled by users and by new commits', async () => {
    const request = await open()
    await report(request.sha, 'pending')
    const cancel = () => root.post(`${path}/${request.iid}/cancel_merge_when_pipeline_succeeds`)
    const early = await cancel()
    expect([early.status, early.body]).toEqual([406, { message: "Can't cancel the automatic merge" }])
    await root.put(`${path}/${request.iid}/merge`, { auto_merge: true })
    expect((await show(request.iid)).merge_when_pipeline_succeeds).toBe(true)
    const stranger = await w.as(reporter).post(`${path}/${request.iid}/cancel_merge_when_pipeline_succeeds`)
    expect([stranger.status, stranger.body]).toEqual([401, { message: '401 Unauthorized' }])
    const cancelled = await cancel()
    expect([cancelled.status, cancelled.body]).toEqual([201, { status: 'success' }])
    expect((await show(request.iid)).merge_when_pipeline_succeeds).toBe(false)
    await root.put(`${path}/${request.iid}/merge`, { merge_when_pipeline_succeeds: true })
    await pushTo(w, project, request.source_branch, { 'more.txt': 'more\n' })
    await w.drain()
    expect(await show(request.iid)).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: false })
    expect(await notes(request.iid)).toContain(
      'aborted the automatic merge because source branch was updated',
    )
    await report(request.sha, 'success')
    await w.drain()
    expect((await show(request.iid)).state).toBe('opened')
    await root.put(`${path}/${request.iid}`, { state_event: 'close' })
    expect((await cancel()).status).toBe(405)
  })

  test('are cancelled when git cannot merge any more', async () => {
    const request = await open({ files: { 'README.md': 'armed\n' } })
    await report(request.sha, 'running')
    await root.put(`${path}/${request.iid}/merge`, { merge_when_pipeline_succeeds: true })
    await pushTo(w, project, 'main', { 'README.md': 'in between\n' })
    await report(request.sha, 'success')
    await w.drain()
    expect(await show(request.iid)).toMatchObject({
      state: 'opened',
      merge_when_pipeline_succeeds: false,
      merge_user: null,
      merge_error: 'The automatic merge was aborted because it cannot be merged.',
    })
    expect(await notes(request.iid)).toContain('aborted the automatic merge because it cannot be merged')
  })

  test('a project may require a successful pipeline', async () => {
    await set({ only_allow_merge_if_pipeline_succeeds: true })
    const request = await open()
    await w.drain()
    expect((await show(request.iid)).detailed_merge_status).toBe('ci_must_pass')
    expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(405)
    await report(request.sha, 'running')
    expect((await show(request.iid)).detailed_merge_status).toBe('ci_still_running')
    expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(405)
    await report(request.sha, 'success')
    expect((await show(request.iid)).detailed_merge_status).toBe('mergeable')
    const merged = await root.put(`${path}/${request.iid}/merge`, { merge_when_pipeline_succeeds: true })
    expect(merged.body.state).toBe('merged')
    await set({ only_allow_merge_if_pipeline_succeeds: false })
  })
})

describe('rebasing', () => {
  test('keeps authors, reports conflicts, and requires push access', async () => {
    const request = await open({ author: dev, message: 'Mine' })
    await pushTo(w, project, 'main', { 'other.txt': 'on\n' })
    const refused = await w.as(reporter).put(`${path}/${request.iid}/rebase`)
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: '403 Forbidden - Cannot push to source branch' },
    ])
    await root.put(`${path}/${request.iid}/rebase`)
    const busy = await root.get(`${path}/${request.iid}?include_rebase_in_progress=true`)
    expect(busy.body).toHaveProperty('rebase_in_progress')
    await w.drain()
    const after = await show(request.iid)
    expect(after.sha).not.toBe(request.sha)
    expect(after).toMatchObject({ merge_error: null })
    expect(await commit(after.sha)).toMatchObject({
      author_name: 'DEV',
      committer_name: 'Administrator',
      message: 'Mine',
      parent_ids: [(await branch('main')).commit.id],
    })
    const conflicting = await open({ files: { 'other.txt': 'off\n' }, target_branch: 'main' })
    await pushTo(w, project, 'main', { 'other.txt': 'neither\n' })
    await root.put(`${path}/${conflicting.iid}/rebase`)
    await w.drain()
    expect(await show(conflicting.iid)).toMatchObject({
      sha: conflicting.sha,
      merge_error: 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.',
    })
  })

  test('a missing or protected branch is refused', async () => {
    const request = await open()
    await root.post(`/projects/${project.id}/protected_branches`, { name: request.source_branch })
    const fixed = await root.put(`${path}/${request.iid}/rebase`)
    expect([fixed.status, fixed.body]).toEqual([
      403,
      { message: '403 Forbidden - Source branch is protected from force push' },
    ])
    await root.delete(`/projects/${project.id}/protected_branches/${request.source_branch}`)
    await root.delete(`/projects/${project.id}/repository/branches/${request.source_branch}`)
    const refused = await root.put(`${path}/${request.iid}/rebase`)
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: '403 Forbidden - Source branch does not exist' },
    ])
  })
})

test('merge requests into a merged and removed branch are retargeted', async () => {
  const below = await open({ author: dev })
  await pushTo(w, { ...project, default_branch: below.source_branch }, 'above', { 'above.txt': 'up\n' })
  const above = (
    await root.post(path, { source_branch: 'above', target_branch: below.source_branch, title: 'Above' })
  ).body
  await root.put(`${path}/${below.iid}/merge`, { should_remove_source_branch: true })
  await w.drain()
  expect(await show(above.iid)).toMatchObject({ target_branch: 'main', changes_count: '1', state: 'opened' })
  expect(await notes(above.iid)).toContain(
    `deleted the \`${below.source_branch}\` branch. This merge request now targets the \`main\` branch`,
  )
  expect((await root.put(`${path}/${above.iid}/merge`)).body.state).toBe('merged')
})

test('the merge ref points to the commit that merging would make', async () => {
  const request = await open()
  const answer = await root.get(`${path}/${request.iid}/merge_ref`)
  expect(answer.status).toBe(200)
  const made = await commit(answer.body.commit_id)
  expect(made.parent_ids).toEqual([(await branch('main')).commit.id, request.sha])
  expect((await root.get(`${path}/${request.iid}/merge_ref`)).body).toEqual(answer.body)
  await root.put(`${path}/${request.iid}`, { state_event: 'close' })
  const closed = await root.get(`${path}/${request.iid}/merge_ref`)
  expect([closed.status, closed.body]).toEqual([400, { message: 'Merge request is not mergeable' }])
})

test('the pipeline list is empty without pipelines', async () => {
  const request = await open()
  expect((await root.get(`${path}/${request.iid}/pipelines`)).body).toEqual([])
  const answer = await root.post(`${path}/${request.iid}/pipelines`)
  expect([answer.status, answer.body]).toEqual([400, { message: { base: ['Missing CI config file'] } }])
})

test('a push that merges the branch marks the merge request as merged', async () => {
  const request = await open()
  await root.post(`/projects/${project.id}/repository/commits`, {
    branch: 'byhand',
    start_sha: request.sha,
    commit_message: 'On top',
    actions: [{ action: 'create', file_path: 'top.txt', content: 'top' }],
  })
  const over = await root.post(path, { source_branch: 'byhand', target_branch: 'main', title: 'Both' })
  const merged = await root.put(`${path}/${over.body.iid}/merge`)
  await w.drain()
  expect(await show(request.iid)).toMatchObject({
    state: 'merged',
    merge_commit_sha: merged.body.merge_commit_sha,
    merged_by: { username: 'root' },
  })
})
