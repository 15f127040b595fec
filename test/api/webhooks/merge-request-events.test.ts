import { describe, expect, it } from 'vitest'

import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'
import { COMMIT_KEYS, keys, listen, PROJECT_KEYS, recorded, USER_KEYS, type Recorded } from './recorded.ts'

const here = await world()
const root = here.as(here.root)
const ada = here.make.user({ username: 'ada' })
const bob = here.make.user({ username: 'bob' })
const project = await here.make.project()
await here.make.member('projects', project.id, ada, 40)
await here.make.member('projects', project.id, bob, 40)
fill(here, project, [
  { files: { 'README.md': 'hello\n' } },
  { branch: 'next', files: { 'README.md': 'hi\n' } },
])
const at = `/projects/${project.id}/merge_requests`
const page = `${here.url}/root/${project.path}`

const TOP = [
  'object_kind',
  'event_type',
  'user',
  'project',
  'object_attributes',
  'labels',
  'changes',
  'repository',
  'assignees',
  'reviewers',
]
const ATTRIBUTES = [
  'id',
  'iid',
  'target_branch',
  'source_branch',
  'source_project_id',
  'target_project_id',
  'author_id',
  'assignee_id',
  'assignee_ids',
  'reviewer_ids',
  'title',
  'description',
  'created_at',
  'updated_at',
  'milestone_id',
  'state_id',
  'state',
  'merge_status',
  'detailed_merge_status',
  'merge_error',
  'merge_params',
  'merge_user_id',
  'merge_when_pipeline_succeeds',
  'merge_commit_sha',
  'head_pipeline_id',
  'last_edited_at',
  'last_edited_by_id',
  'updated_by_id',
  'time_estimate',
  'total_time_spent',
  'time_change',
  'human_time_estimate',
  'human_total_time_spent',
  'human_time_change',
  'blocking_discussions_resolved',
  'work_in_progress',
  'draft',
  'labels',
  'source',
  'target',
  'last_commit',
  'url',
  'action',
]
const UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/

const events = (act: () => unknown): Promise<Recorded[]> => recorded(here, 'merge_request', act)
const actions = (all: readonly Recorded[]): string[] =>
  all.map((event) => event.payload.object_attributes.action)
const put = (iid: number, params: object) => async () => {
  const { status, text } = await root.put(`${at}/${iid}`, params)
  expect([status, text]).toEqual([200, expect.any(String)])
}

it('an event stores no jobs without a listener', async () => {
  here.jobs()
  expect(await events(() => openMergeRequest(here, project, { labels: 'a' }))).toEqual([])
  expect(here.jobs().filter((name) => name.startsWith('event:webhooks'))).toEqual([])
})

describe('a new merge request', () => {
  it('has one event with all attributes', async () => {
    listen(here, { project_id: project.id })
    const description = '![a](/uploads/0123456789abcdef0123456789abcdef/a.png)'
    // oxlint-disable-next-line typescript/no-explicit-any
    let request: any
    const params = {
      source_branch: 'topic',
      description,
      labels: 'api',
      assignee_id: ada.id,
      reviewer_ids: [bob.id],
    }
    const [event, ...more] = await events(async () => {
      request = await openMergeRequest(here, project, params)
    })
    expect(more).toEqual([])
    const { payload, ...rest } = event!
    expect(rest).toEqual({
      kind: 'merge_request',
      project_id: project.id,
      group_id: null,
      actor_id: 1,
      ref: null,
    })
    expect(keys(payload)).toEqual([...TOP].sort())
    const attributes = payload.object_attributes
    expect(keys(attributes)).toEqual([...ATTRIBUTES].sort())
    expect([keys(attributes.source), keys(attributes.target)]).toEqual([PROJECT_KEYS, PROJECT_KEYS])
    expect([keys(attributes.last_commit), keys(payload.user)]).toEqual([COMMIT_KEYS, USER_KEYS])
    expect(attributes).toMatchObject({
      id: request.id,
      iid: request.iid,
      source_branch: 'topic',
      target_branch: 'main',
      source_project_id: project.id,
      target_project_id: project.id,
      author_id: 1,
      assignee_id: ada.id,
      assignee_ids: [ada.id],
      reviewer_ids: [bob.id],
      description: `![a](${page}/uploads/0123456789abcdef0123456789abcdef/a.png)`,
      created_at: expect.stringMatching(UTC),
      updated_at: expect.stringMatching(UTC),
      state_id: 1,
      state: 'opened',
      merge_params: { force_remove_source_branch: false },
      draft: false,
      work_in_progress: false,
      labels: [{ title: 'api' }],
      last_commit: { id: request.sha, url: `${page}/-/commit/${request.sha}` },
      url: `${page}/-/merge_requests/${request.iid}`,
      action: 'open',
    })
    expect(payload).toMatchObject({
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: { id: 1 },
      labels: [{ title: 'api' }],
      assignees: [{ username: 'ada' }],
      reviewers: [{ username: 'bob' }],
      repository: { homepage: page },
      changes: { title: { previous: null }, labels: { previous: [] }, reviewers: { previous: [] } },
    })
  })
})

describe('a change of a merge request', () => {
  it('of everything at once is one event with the previous values', async () => {
    const { id: milestone_id } = (await root.post(`/projects/${project.id}/milestones`, { title: 'one' }))
      .body
    const request = await openMergeRequest(here, project, { reviewer_ids: [bob.id], labels: 'bug' })
    const params = {
      title: 'Draft: better',
      description: 'New',
      target_branch: 'next',
      labels: 'api',
      assignee_ids: [ada.id],
      reviewer_ids: [ada.id],
      milestone_id,
      discussion_locked: true,
      remove_source_branch: true,
    }
    const [event, ...more] = await events(put(request.iid, params))
    expect(more).toEqual([])
    const { changes, object_attributes } = event!.payload
    expect(object_attributes).toMatchObject({
      action: 'update',
      draft: true,
      target_branch: 'next',
      updated_by_id: 1,
    })
    expect(changes).toMatchObject({
      title: { previous: request.title, current: 'Draft: better' },
      description: { previous: null, current: 'New' },
      draft: { previous: false, current: true },
      target_branch: { previous: 'main', current: 'next' },
      milestone_id: { previous: null, current: milestone_id },
      discussion_locked: { previous: null, current: true },
      merge_params: { current: { force_remove_source_branch: true } },
      last_edited_by_id: { previous: null, current: 1 },
      updated_by_id: { previous: null, current: 1 },
      updated_at: { previous: expect.stringMatching(UTC), current: expect.stringMatching(UTC) },
      labels: { previous: [{ title: 'bug' }], current: [{ title: 'api' }] },
      assignees: { previous: [], current: [{ username: 'ada' }] },
      reviewers: { previous: [{ username: 'bob' }], current: [{ username: 'ada' }] },
    })
    expect(changes).not.toHaveProperty('head_sha')
    const closed = await events(put(request.iid, { state_event: 'close' }))
    expect(actions(closed)).toEqual(['close'])
    expect(closed[0]!.payload.changes.state_id).toEqual({ previous: 1, current: 2 })
    expect(actions(await events(put(request.iid, { state_event: 'reopen' })))).toEqual(['reopen'])
    expect(await events(put(request.iid, { title: 'Draft: better' }))).toEqual([])
  })

  it('by new commits has the previous head', async () => {
    const request = await openMergeRequest(here, project, { source_branch: 'grows' })
    let sha = ''
    const found = await events(async () => {
      sha = await pushTo(here, project, 'grows', { 'more.txt': 'more\n' })
    })
    expect(actions(found)).toEqual(['update'])
    expect(found[0]!.payload.object_attributes).toMatchObject({
      oldrev: request.sha,
      last_commit: { id: sha },
    })
    expect(found[0]!.payload.user.id).toBe(1)
  })

  it('by quick actions in its text is also one event', async () => {
    const request = await openMergeRequest(here, project)
    const description = 'Text\n/label ~api\n/target_branch next\n/draft'
    const found = await events(put(request.iid, { description }))
    expect(actions(found)).toEqual(['update'])
    expect(found[0]!.payload.changes).toMatchObject({
      target_branch: { current: 'next' },
      draft: { current: true },
      labels: { previous: [] },
    })
  })
})

describe('approvals', () => {
  it('are partial, or complete all required approvals', async () => {
    const rule = { name: 'two', approvals_required: 2, user_ids: [ada.id, bob.id] }
    const { iid } = await openMergeRequest(here, project)
    expect((await root.post(`${at}/${iid}/approval_rules`, rule)).status).toBe(201)
    const by = (user: typeof ada, what: string) => async () => {
      expect((await here.as(user).post(`${at}/${iid}/${what}`)).status).toBe(201)
    }
    const found = [
      ...(await events(by(ada, 'approve'))),
      ...(await events(by(bob, 'approve'))),
      ...(await events(by(ada, 'unapprove'))),
      ...(await events(by(bob, 'unapprove'))),
    ]
    expect(actions(found)).toEqual(['approval', 'approved', 'unapproved', 'unapproval'])
    expect(found.map((event) => event.payload.user.username)).toEqual(['ada', 'bob', 'ada', 'bob'])
  })

  it('have their own event in addition to the update of the same request', async () => {
    const { iid } = await openMergeRequest(here, project)
    const note = { body: 'Good\n/approve\n/label ~api' }
    const found = await events(() => here.as(ada).post(`${at}/${iid}/notes`, note))
    expect(actions(found)).toEqual(['approved', 'update'])
    expect(keys(found[1]!.payload.changes)).toContain('labels')
  })
})

describe('a merge', () => {
  it('has an event with its commit', async () => {
    const { iid } = await openMergeRequest(here, project)
    const [event, ...more] = await events(async () => {
      expect((await root.put(`${at}/${iid}/merge`)).status).toBe(200)
    })
    expect(more).toEqual([])
    expect(event!.payload.object_attributes).toMatchObject({
      action: 'merge',
      state: 'merged',
      state_id: 3,
      merge_user_id: 1,
      merge_commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect(event!.payload.changes.state_id.current).toBe(3)
  })
})

describe('a merge request of a fork', () => {
  it('triggers webhooks of the target project, and shows its source', async () => {
    const fork = (await here.as(ada).post(`/projects/${project.id}/fork`)).body
    await here.drain()
    const [event] = await events(() =>
      openMergeRequest(here, project, { author: ada, source: fork, source_branch: 'from-fork' }),
    )
    expect(event).toMatchObject({ project_id: project.id })
    const { source, target, source_project_id, last_commit } = event!.payload.object_attributes
    expect([source.id, target.id, source_project_id]).toEqual([fork.id, project.id, fork.id])
    expect(last_commit.url).toContain('/-/commit/')
  })
})
