import { beforeAll, describe, expect, it } from 'vitest'

import {
  remindOfRemovalFromTrain,
  remindOfConflict,
} from '../../../server/domains/todos/service-reminders.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let dev: TestUser
let guest: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
// oxlint-disable-next-line typescript/no-explicit-any
let request: any

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'owner' })
  dev = w.make.user({ username: 'dev' })
  guest = w.make.user({ username: 'guest' })
  stranger = w.make.user({ username: 'stranger' })
  project = await w.make.project({ owner, name: 'plan', path: 'plan', with: 'readme' })
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, guest, 10)
  await w.as(dev).post(at('/repository/commits'), {
    branch: 'work',
    start_branch: 'main',
    commit_message: 'Work',
    actions: [{ action: 'create', file_path: 'work.txt', content: 'work' }],
  })
  const source = { source_branch: 'work', target_branch: 'main' }
  request = (await w.as(dev).post(at('/merge_requests'), { ...source, title: 'Do the work' })).body
  await w.drain()
})

const at = (rest: string): string => `/projects/${project.id}${rest}`
const requestAt = (rest = ''): string => at(`/merge_requests/${request.iid}${rest}`)

/** Returns the reasons of a user's pending items, newest first. */
async function reasons(user: TestUser): Promise<string[]> {
  await w.drain()
  const { body } = await w.as(user).get('/todos')
  return body.map((todo: { action_name: string }) => todo.action_name)
}

const clear = async (...users: TestUser[]): Promise<void> => {
  await w.drain()
  for (const user of users) await w.as(user).post('/todos/mark_as_done')
}

// oxlint-disable-next-line typescript/no-explicit-any
async function issue(params: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await w.as(owner).post(at('/issues'), { title: 'Something', ...params })
  expect(status).toBe(201)
  return body
}

const note = (user: TestUser, path: string, params: object) => w.as(user).post(at(path), params)

describe('assignments and review requests', () => {
  it('add one item for each new user', async () => {
    const made = await issue({ assignee_ids: [owner.id] })
    expect(await reasons(owner)).toEqual(['assigned'])
    await w.as(owner).put(at(`/issues/${made.iid}`), { assignee_ids: [owner.id, guest.id] })
    expect(await reasons(guest)).toEqual(['assigned'])
    expect(await reasons(owner)).toEqual(['assigned'])
    await w.as(owner).put(requestAt(), { reviewer_ids: [owner.id] })
    expect(await reasons(owner)).toEqual(['review_requested', 'assigned'])
    await clear(owner, guest)
  })

  it('add no second item about the same subject, and keep it when the assignment ends', async () => {
    const made = await issue({ assignee_ids: [dev.id] })
    await w.as(owner).put(at(`/issues/${made.iid}`), { assignee_ids: [] })
    expect(await reasons(dev)).toEqual(['assigned'])
    await w.as(owner).put(at(`/issues/${made.iid}`), { assignee_ids: [dev.id] })
    expect(await reasons(dev)).toEqual(['assigned'])
    expect((await w.as(dev).post(at(`/issues/${made.iid}/todo`))).status).toBe(304)
    await clear(dev)
  })
})

describe('mentions in a text', () => {
  it('are direct at the beginning of a line, and indirect elsewhere', async () => {
    await issue({ description: '@dev please look, and @guest too\n\nHello @owner' })
    expect(await reasons(dev)).toEqual(['directly_addressed'])
    expect(await reasons(guest)).toEqual(['mentioned'])
    expect(await reasons(owner)).toEqual(['mentioned'])
    await clear(dev, guest, owner)
  })

  it('count only new names of an updated description, and none in code or quotes', async () => {
    const made = await issue({ description: 'For @dev: `@guest`\n\n> @guest said' })
    expect(await reasons(guest)).toEqual([])
    await clear(dev)
    await w.as(owner).put(at(`/issues/${made.iid}`), { description: 'For @dev and @guest\n\n- [ ] @dev' })
    expect(await reasons(guest)).toEqual(['mentioned'])
    expect(await reasons(dev)).toEqual([])
    await w.as(owner).put(at(`/issues/${made.iid}`), { description: 'For @dev and @guest\n\n- [x] @dev' })
    expect(await reasons(dev)).toEqual([])
    await clear(guest)
  })

  it('of all members and of groups reach users who may read the text', async () => {
    const team = await w.make.group({ owner, name: 'Readers', path: 'readers', visibility: 'public' })
    await w.make.member('groups', team.id, stranger, 30)
    await w.make.member('groups', team.id, guest, 30)
    await issue({ description: 'Dear @readers' })
    expect(await reasons(guest)).toEqual(['mentioned'])
    expect(await reasons(stranger)).toEqual([])
    await clear(owner, guest)
    await issue({ title: 'For @all', confidential: true })
    expect(await reasons(dev)).toEqual(['mentioned'])
    expect(await reasons(guest)).toEqual([])
    await clear(owner, dev)
  })

  it('in internal notes reach only users who may read them', async () => {
    const made = await issue()
    await note(owner, `/issues/${made.iid}/notes`, { body: 'Between us, @dev and @guest', internal: true })
    expect(await reasons(dev)).toEqual(['mentioned'])
    expect(await reasons(guest)).toEqual([])
    await clear(dev)
  })

  it('add one item for each note, and again when a note is updated', async () => {
    await note(owner, `/merge_requests/${request.iid}/notes`, { body: 'One @dev' })
    const { body } = await note(owner, `/merge_requests/${request.iid}/notes`, { body: 'Two @dev' })
    expect(await reasons(dev)).toEqual(['mentioned', 'mentioned'])
    await w.as(owner).put(requestAt(`/notes/${body.id}`), { body: '@owner and @dev' })
    expect(await reasons(dev)).toEqual(['mentioned', 'mentioned'])
    expect(await reasons(owner)).toEqual(['directly_addressed'])
    await clear(dev, owner)
  })

  it('work on commits', async () => {
    const sha = request.sha ?? (await w.as(dev).get(at('/repository/commits/work'))).body.id
    await w.as(owner).post(at(`/repository/commits/${sha}/comments`), { note: 'Why, @dev?' })
    await w.drain()
    const [todo] = (await w.as(dev).get('/todos?type=Commit')).body
    expect(todo).toMatchObject({
      action_name: 'mentioned',
      target: { id: sha, title: 'Work' },
      target_url: expect.stringContaining(`/owner/plan/-/commit/${sha}#note_`),
      body: 'Why, @dev?',
    })
    await clear(dev)
  })
})

describe('changes of a merge request', () => {
  it('remind its author of a failed pipeline', async () => {
    const sha = (await w.as(dev).get(at('/repository/commits/work'))).body.id
    await w.as(owner).post(at(`/statuses/${sha}`), { state: 'failed', name: 'build' })
    expect(await reasons(dev)).toEqual(['build_failed'])
    await w.as(owner).post(at(`/statuses/${sha}`), { state: 'failed', name: 'other' })
    expect(await reasons(dev)).toEqual(['build_failed'])
    await clear(dev)
  })

  it('remind the author of conflicts after the automatic merge was enabled', async () => {
    const arm = 'UPDATE merge_requests SET merge_when_pipeline_succeeds = ?, merge_user_id = ? WHERE id = ?'
    remindOfConflict(w.ctx(), request.id)
    expect(await reasons(dev)).toEqual([])
    w.ctx().db.exec(arm, 1, owner.id, request.id)
    remindOfConflict(w.ctx(), request.id)
    expect([await reasons(dev), await reasons(owner)]).toEqual([['unmergeable'], ['unmergeable']])
    await clear(dev, owner)
    remindOfRemovalFromTrain(w.ctx(), request.id)
    expect([await reasons(dev), await reasons(owner)]).toEqual([
      ['merge_train_removed'],
      ['merge_train_removed'],
    ])
    w.ctx().db.exec(arm, 0, null, request.id)
    await clear(dev, owner)
  })

  it('remind new approvers', async () => {
    const rule = { name: 'Careful', approvals_required: 1, user_ids: [owner.id] }
    expect((await w.as(owner).post(requestAt('/approval_rules'), rule)).status).toBe(201)
    expect(await reasons(owner)).toEqual(['approval_required'])
    await w.as(owner).post(requestAt('/approve'))
    expect(await reasons(owner)).toEqual([])
  })
})

describe('requests for access', () => {
  it('remind users who can decide, until the decision', async () => {
    const open = await w.make.project({ owner, name: 'open', visibility: 'public' })
    await w.make.member('projects', open.id, dev, 40)
    await w.make.member('projects', open.id, guest, 30)
    await w.as(stranger).post(`/projects/${open.id}/access_requests`)
    await w.drain()
    const [todo] = (await w.as(dev).get('/todos')).body
    expect(todo).toMatchObject({
      action_name: 'member_access_requested',
      target_type: 'Project',
      target: { id: open.id },
      target_url: `${w.url}/owner/open/-/project_members?tab=access_requests`,
      body: 'owner/open',
      author: { id: stranger.id },
    })
    expect(await reasons(owner)).toEqual(['member_access_requested'])
    expect(await reasons(guest)).toEqual([])
    await w.as(owner).put(`/projects/${open.id}/access_requests/${stranger.id}/approve`)
    expect(await reasons(dev)).toEqual([])
    expect(await reasons(owner)).toEqual([])
  })

  it('to a group name the group', async () => {
    const team = await w.make.group({ owner, name: 'Askable', path: 'askable', visibility: 'public' })
    await w.as(guest).post(`/groups/${team.id}/access_requests`)
    await w.drain()
    const [todo] = (await w.as(owner).get('/todos?type=Namespace')).body
    expect(todo).toMatchObject({
      action_name: 'member_access_requested',
      group: { id: team.id, full_path: 'askable' },
      target: { id: team.id, kind: 'group' },
      target_url: `${w.url}/groups/askable/-/group_members?tab=access_requests`,
      body: 'askable',
    })
    expect(todo).not.toHaveProperty('project')
    await w.as(guest).delete(`/groups/${team.id}/access_requests/${guest.id}`)
    expect(await reasons(owner)).toEqual([])
  })
})

describe('finishing items', () => {
  const waits = async (): Promise<{ iid: number }> => {
    const made = await issue({ assignee_ids: [dev.id] })
    expect(await reasons(dev)).toEqual(['assigned'])
    return made
  }

  it('happens by a comment, an emoji or closing', async () => {
    await note(dev, `/issues/${(await waits()).iid}/notes`, { body: 'Seen' })
    expect(await reasons(dev)).toEqual([])
    await w.as(dev).post(at(`/issues/${(await waits()).iid}/award_emoji`), { name: 'thumbsup' })
    expect(await reasons(dev)).toEqual([])
    await w.as(dev).put(at(`/issues/${(await waits()).iid}`), { state_event: 'close' })
    expect(await reasons(dev)).toEqual([])
    // Notes of other users do not finish an item.
    const waiting = await waits()
    await note(owner, `/issues/${waiting.iid}/notes`, { body: 'Well?' })
    await w.as(owner).put(at(`/issues/${waiting.iid}`), { state_event: 'close' })
    expect(await reasons(dev)).toEqual(['assigned'])
    await clear(dev)
  })

  it('happens by a quick action', async () => {
    const made = await issue()
    await note(dev, `/issues/${made.iid}/notes`, { body: 'Later\n/todo' })
    expect(await reasons(dev)).toEqual(['marked'])
    await note(dev, `/issues/${made.iid}/notes`, { body: '/done' })
    expect(await reasons(dev)).toEqual([])
  })

  it('happens by pushing to or closing a merge request', async () => {
    await w.as(dev).post(requestAt('/todo'))
    await w.as(dev).post(at('/repository/commits'), {
      branch: 'work',
      commit_message: 'More',
      actions: [{ action: 'create', file_path: 'more.txt', content: 'more' }],
    })
    expect(await reasons(dev)).toEqual([])
    await w.as(dev).post(requestAt('/todo'))
    await w.as(dev).put(requestAt(), { state_event: 'close' })
    expect(await reasons(dev)).toEqual([])
  })
})
