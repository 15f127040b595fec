import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'

const instance = await world()
const { as, make } = instance
const owner = make.user({ username: 'owner' })
const reporter = make.user({ username: 'reporter' })
const guest = make.user({ username: 'guest' })
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let project: Any
let secret: Any
let sister: Any

beforeAll(async () => {
  project = await make.project({ owner, name: 'first', visibility: 'public' })
  sister = await make.project({ owner, name: 'second', visibility: 'public' })
  secret = await make.project({ owner, name: 'secret' })
  for (const target of [project, sister]) {
    await make.member('projects', target.id, reporter, 20)
    await make.member('projects', target.id, guest, 10)
  }
})

async function open(params: object = {}, where: Any = project, user = owner) {
  const { status, body } = await as(user).post(`/projects/${where.id}/issues`, {
    title: 'Something',
    ...params,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const at = (issue: Any) => `/projects/${issue.project_id}/issues/${issue.iid}`

/** Returns the system notes, oldest first. */
async function lines(issue: Any, user = owner) {
  const { body } = await as(user).get(`${at(issue)}/notes?sort=asc&activity_filter=only_activity`)
  return body.map((note: { body: string }) => note.body)
}

describe('links between issues', () => {
  const link = (issue: Any, target: Any, more: object = {}, user = owner) =>
    as(user).post(`${at(issue)}/links`, {
      target_project_id: target.project_id,
      target_issue_iid: target.iid,
      ...more,
    })

  it('are created, shown by both issues and deleted', async () => {
    const [a, b, c] = [await open(), await open(), await open({}, sister)]
    const made = await link(a, b)
    expect(made).toMatchObject({
      status: 201,
      body: { source_issue: { iid: a.iid }, target_issue: { iid: b.iid }, link_type: 'relates_to' },
    })
    const path = { target_project_id: sister.path_with_namespace, target_issue_iid: c.iid }
    expect((await as(owner).post(`${at(a)}/links`, { ...path, link_type: 'blocks' })).status).toBe(201)
    const list = (await as(guest).get(`${at(a)}/links`)).body
    expect(list).toMatchObject([
      { id: b.id, link_type: 'relates_to', issue_link_id: expect.any(Number) },
      { id: c.id, link_type: 'blocks', references: { relative: `second#${c.iid}` } },
    ])
    expect((await as(guest).get(`${at(c)}/links`)).body).toMatchObject([
      { id: a.id, link_type: 'is_blocked_by' },
    ])
    expect((await as(owner).get(at(a))).body.blocking_issues_count).toBe(1)
    const id = list[1].issue_link_id
    expect((await as(guest).get(`${at(c)}/links/${id}`)).body).toMatchObject({
      source_issue: { id: c.id },
      target_issue: { id: a.id },
      link_type: 'is_blocked_by',
    })
    expect(await lines(a)).toEqual([
      `marked this issue as related to #${b.iid}`,
      `marked this issue as blocking second#${c.iid}`,
    ])
    expect(await lines(c)).toEqual([`marked this issue as blocked by first#${a.iid}`])
    expect((await as(guest).delete(`${at(a)}/links/${id}`)).status).toBe(403)
    expect(await as(owner).delete(`${at(a)}/links/${id}`)).toMatchObject({
      status: 200,
      body: { link_type: 'blocks', target_issue: { id: c.id } },
    })
    expect(await as(owner).get(`${at(a)}/links/${id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })

  it('returns the contract’s errors', async () => {
    const [a, b] = [await open(), await open()]
    await link(a, b)
    const taken = { status: 409, body: { message: 'Issue(s) already assigned' } }
    expect(await link(a, b)).toMatchObject(taken)
    expect(await link(b, a, { link_type: 'blocks' })).toMatchObject(taken)
    const none = '404 No matching issue found. Make sure that you are adding a valid issue URL. Not Found'
    expect(await link(a, a)).toMatchObject({ status: 404, body: { message: none } })
    expect((await link(a, { project_id: 9999, iid: 1 })).body).toEqual({ message: '404 Project Not Found' })
    expect((await link(a, { project_id: project.id, iid: 9999 })).body).toEqual({ message: '404 Not found' })
    expect((await link(a, b, { link_type: 'likes' })).body).toEqual({
      error: 'link_type does not have a valid value',
    })
    expect((await as(owner).post(`${at(a)}/links`, {})).body).toEqual({
      error: 'target_project_id is missing, target_issue_iid is missing',
    })
    expect((await link(a, b, {}, guest)).status).toBe(403)
  })

  it('leave out issues that the reader may not see', async () => {
    const [open1, hidden, private1] = [
      await open(),
      await open({ confidential: true }),
      await open({}, secret),
    ]
    expect((await link(open1, hidden)).status).toBe(201)
    expect((await link(open1, private1)).status).toBe(201)
    expect((await as(owner).get(`${at(open1)}/links`)).body).toHaveLength(2)
    expect((await as(guest).get(`${at(open1)}/links`)).body).toEqual([])
    expect(await lines(open1)).toEqual([])
    expect((await link(open1, private1, {}, reporter)).body).toEqual({ message: '404 Project Not Found' })
  })
})

describe('moving and cloning an issue', () => {
  it('copies everything to the other project', async () => {
    for (const target of [project, sister])
      await as(owner).post(`/projects/${target.id}/labels`, { name: 'bug', color: '#112233' })
    const issue = await open(
      {
        title: 'Wrong project',
        description: 'See #1, `#1` and first!2',
        labels: 'bug,only-here',
        assignee_ids: [reporter.id],
        weight: 4,
      },
      project,
      reporter,
    )
    const note = (await as(guest).post(`${at(issue)}/discussions`, { body: 'As in #1' })).body
    await as(owner).post(`${at(issue)}/discussions/${note.id}/notes`, { body: 'Yes' })
    await as(guest).post(`${at(issue)}/award_emoji`, { name: 'thumbsup' })
    await as(owner).post(`${at(issue)}/add_spent_time`, { duration: '1h' })
    const moved = await as(reporter).post(`${at(issue)}/move`, { to_project_id: sister.id })
    expect(moved).toMatchObject({
      status: 201,
      body: {
        project_id: sister.id,
        title: 'Wrong project',
        description: `See ${project.path_with_namespace}#1, \`#1\` and first!2`,
        labels: ['bug'],
        assignees: [{ username: 'reporter' }],
        author: { username: 'reporter' },
        weight: 4,
        upvotes: 1,
        user_notes_count: 2,
        created_at: issue.created_at,
        time_stats: { total_time_spent: 3600 },
      },
    })
    expect((await as(owner).get(at(issue))).body).toMatchObject({
      state: 'closed',
      moved_to_id: moved.body.id,
    })
    const { body: threads } = await as(guest).get(`${at(moved.body)}/discussions`)
    const thread = threads.find((thread: Any) => thread.notes.length === 2)
    expect(thread.id).not.toBe(note.id)
    expect(thread.notes[0].body).toBe(`As in ${project.path_with_namespace}#1`)
    expect((await lines(moved.body)).at(-1)).toBe(`moved from first#${issue.iid}`)
    expect((await as(owner).get(`${at(moved.body)}/resource_label_events`)).body).toEqual([])
    expect(await lines(issue)).toContain(`moved to second#${moved.body.iid}`)
    const again = await as(reporter).post(`${at(issue)}/move`, { to_project_id: sister.id })
    expect(again.body).toEqual({ message: 'Cannot move issue due to insufficient permissions!' })
  })

  it('returns the contract’s errors for a move', async () => {
    const issue = await open()
    const move = (to: number, user = owner, iid = issue.iid) =>
      as(user).post(`/projects/${project.id}/issues/${iid}/move`, { to_project_id: to })
    expect(await move(project.id)).toMatchObject({
      status: 400,
      body: { message: 'Cannot move issue to project it originates from!' },
    })
    expect(await move(sister.id, guest)).toMatchObject({
      status: 400,
      body: { message: 'Cannot move issue due to insufficient permissions!' },
    })
    expect((await move(secret.id, reporter)).body).toEqual({ message: '404 Project Not Found' })
    expect((await move(sister.id, owner, 9999)).body).toEqual({ message: '404 Issue Not Found' })
    expect((await as(owner).post(`${at(issue)}/move`, {})).body).toEqual({
      error: 'to_project_id is missing',
    })
  })

  it('clones an issue with or without its notes', async () => {
    const issue = await open({ title: 'Pattern', labels: 'bug' })
    await as(guest).post(`${at(issue)}/notes`, { body: 'Nice' })
    const clone = (params: object, user = reporter) => as(user).post(`${at(issue)}/clone`, params)
    const plain = await clone({ to_project_id: project.id })
    expect(plain).toMatchObject({
      status: 201,
      body: { title: 'Pattern', labels: ['bug'], author: { username: 'reporter' }, user_notes_count: 0 },
    })
    const whole = await clone({ to_project_id: sister.id, with_notes: true })
    expect(whole.body.user_notes_count).toBe(1)
    expect(await lines(plain.body)).toEqual([`cloned from #${issue.iid}`])
    expect(await lines(issue)).toEqual([`cloned to #${plain.body.iid}`, `cloned to second#${whole.body.iid}`])
    expect((await as(owner).get(at(issue))).body.state).toBe('opened')
    expect((await clone({ to_project_id: sister.id }, guest)).body).toEqual({
      message: 'Cannot clone issue due to insufficient permissions!',
    })
  })
})

describe('references in texts', () => {
  it('writes one system note on the target, unless its readers may not see the source', async () => {
    const [a, b, far] = [await open(), await open(), await open({}, sister)]
    const by = await open({
      description: `About #${a.iid}, #${a.iid} and second#${far.iid}; not \`#${b.iid}\``,
    })
    expect(await lines(a)).toEqual([`mentioned in issue #${by.iid}`])
    expect(await lines(b)).toEqual([])
    expect(await lines(far)).toEqual([`mentioned in issue first#${by.iid}`])
    await as(guest).post(`${at(by)}/notes`, { body: `Like #${a.iid} and ${b.web_url}` })
    await instance.drain()
    expect(await lines(a)).toEqual([`mentioned in issue #${by.iid}`])
    expect(await lines(b)).toEqual([`mentioned in issue #${by.iid}`])
    await as(owner).put(at(by), { description: `#${by.iid} and now secret#1` })
    // Mentions from a private project or a confidential issue are not shown to users who cannot read these.
    await open({ description: `${project.path_with_namespace}#${a.iid}` }, secret)
    await open({ description: `#${a.iid}`, confidential: true })
    expect(await lines(a, guest)).toEqual([`mentioned in issue #${by.iid}`])
    expect(await lines(a)).toHaveLength(2)
  })
})

describe('commits', () => {
  it('on the default branch close and mention issues', async () => {
    fill(instance, project, [{ files: { a: 'a' } }])
    const [a, b, c, d] = [await open(), await open(), await open(), await open({}, sister)]
    const commit = async (branch: string, text: string, user = owner) => {
      const made = await as(user).post(`/projects/${project.id}/repository/commits`, {
        branch,
        ...(branch === 'main' ? {} : { start_branch: 'main' }),
        commit_message: text,
        actions: [{ action: 'create', file_path: `f${Math.random()}`, content: 'x' }],
      })
      expect(made.status, made.text).toBe(201)
      await instance.drain()
      return made.body.id as string
    }
    const sha = await commit('main', `Mend\n\nCloses #${a.iid}, #${b.iid} and second#${d.iid}; see #${c.iid}`)
    const state = async (issue: Any) => (await as(owner).get(at(issue))).body
    for (const issue of [a, b, d])
      expect(await state(issue)).toMatchObject({ state: 'closed', closed_by: { username: 'owner' } })
    expect((await state(c)).state).toBe('opened')
    expect(await lines(c)).toEqual([`mentioned in commit ${sha}`])
    expect(await lines(a)).toEqual([])
    const [event] = (await as(owner).get(`${at(a)}/resource_state_events`)).body
    expect(event).toMatchObject({ state: 'closed', source_commit: sha })
    const other = await commit('side', `Fixes #${c.iid}`)
    expect((await state(c)).state).toBe('opened')
    expect(await lines(c)).toContain(`mentioned in commit ${other}`)
  })

  it('close no issue when the project disables it', async () => {
    const quiet = await make.project({ owner, with: 'readme', autoclose_referenced_issues: false })
    const issue = await open({}, quiet)
    await as(owner).post(`/projects/${quiet.id}/repository/commits`, {
      branch: 'main',
      commit_message: `Fix #${issue.iid}`,
      actions: [{ action: 'create', file_path: 'x', content: 'x' }],
    })
    await instance.drain()
    expect((await as(owner).get(at(issue))).body.state).toBe('opened')
    expect(await lines(issue)).toHaveLength(1)
  })
})

describe('an issue that continues threads of a merge request', () => {
  it('describes and resolves all threads or one', async () => {
    const code = await make.project({ owner, with: 'readme' })
    await make.member('projects', code.id, reporter, 20)
    await as(owner).post(`/projects/${code.id}/repository/commits`, {
      branch: 'topic',
      start_branch: 'main',
      commit_message: 'Change',
      actions: [{ action: 'create', file_path: 'x', content: 'x' }],
    })
    const made = await as(owner).post(`/projects/${code.id}/merge_requests`, {
      source_branch: 'topic',
      target_branch: 'main',
      title: 'Topic',
    })
    const request = `/projects/${code.id}/merge_requests/${made.body.iid}`
    const begin = async (body: string) => (await as(reporter).post(`${request}/discussions`, { body })).body
    const [first, second] = [await begin('Why?'), await begin('How?\nReally?')]
    const params = { title: 'Later', merge_request_to_resolve_discussions_of: made.body.iid }
    const issues = `/projects/${code.id}/issues`
    const open = async (id: string) => {
      const { body } = await as(owner).get(`${request}/discussions/${id}`)
      return !body.notes[0].resolved
    }
    // A reporter may not resolve threads of others.
    expect((await as(reporter).post(issues, params)).body.description).toBeNull()
    const issue = await as(owner).post(issues, { ...params, discussion_to_resolve: second.id })
    expect(issue.body.description).toBe(
      [
        `The following discussion from !${made.body.iid} should be addressed:`,
        `- [ ] @reporter started a [discussion](${made.body.web_url}#note_${second.notes[0].id}):`,
        '    > How?\n    > Really?',
      ].join('\n\n'),
    )
    expect([await open(first.id), await open(second.id)]).toEqual([true, false])
    const rest = await as(owner).post(issues, { ...params, description: 'Mine' })
    expect(rest.body.description).toBe('Mine')
    expect(await open(first.id)).toBe(false)
    const { body: notes } = await as(owner).get(`${request}/notes?activity_filter=only_activity`)
    const bodies = notes.map((note: { body: string }) => note.body)
    expect(bodies).toContain(`created #${issue.body.iid} to continue this discussion`)
    expect(bodies).toContain('resolved all threads')
  })
})
