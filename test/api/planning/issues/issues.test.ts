import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { watchEvents } from '../../repository/fill.ts'

const instance = await world()
const { as, make } = instance
const owner = make.user({ username: 'owner' })
const reporter = make.user({ username: 'reporter' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string

beforeAll(async () => {
  project = await make.project({ owner, visibility: 'public' })
  await make.member('projects', project.id, reporter, 20)
  await make.member('projects', project.id, guest, 10)
  at = `/projects/${project.id}/issues`
})

async function open(params: object, user = owner) {
  const { status, body } = await as(user).post(at, { title: 'Something', ...params })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

describe('an issue', () => {
  it('is created with every attribute', async () => {
    const received = watchEvents(instance, 'issue.created')
    const milestone = await as(owner).post(`/projects/${project.id}/milestones`, { title: '1.0' })
    const made = await open({
      title: 'It hurts',
      description: 'Do\n\n- [x] one\n- [ ] two\n',
      labels: 'bug, ui',
      assignee_ids: [reporter.id],
      milestone_id: milestone.body.id,
      due_date: '2030-01-31',
      weight: 3,
      issue_type: 'incident',
    })
    expect(made).toMatchObject({
      project_id: project.id,
      title: 'It hurts',
      state: 'opened',
      closed_at: null,
      closed_by: null,
      labels: ['bug', 'ui'],
      milestone: { title: '1.0' },
      assignees: [{ username: 'reporter' }],
      assignee: { username: 'reporter' },
      author: { username: 'owner' },
      type: 'INCIDENT',
      issue_type: 'incident',
      due_date: '2030-01-31',
      weight: 3,
      confidential: false,
      discussion_locked: null,
      user_notes_count: 0,
      merge_requests_count: 0,
      has_tasks: true,
      task_status: '1 of 2 checklist items completed',
      task_completion_status: { count: 2, completed_count: 1 },
      time_stats: {
        time_estimate: 0,
        total_time_spent: 0,
        human_time_estimate: null,
        human_total_time_spent: null,
      },
      references: {
        short: `#${made.iid}`,
        relative: `#${made.iid}`,
        full: `${project.path_with_namespace}#${made.iid}`,
      },
      web_url: `${project.web_url}/-/issues/${made.iid}`,
      severity: 'UNKNOWN',
      subscribed: true,
      moved_to_id: null,
    })
    expect(made._links).toEqual({
      self: `${instance.url}/api/v4/projects/${project.id}/issues/${made.iid}`,
      notes: `${instance.url}/api/v4/projects/${project.id}/issues/${made.iid}/notes`,
      award_emoji: `${instance.url}/api/v4/projects/${project.id}/issues/${made.iid}/award_emoji`,
      project: `${instance.url}/api/v4/projects/${project.id}`,
      closed_as_duplicate_of: null,
    })
    expect(received).toContainEqual({
      issue_id: made.id,
      iid: made.iid,
      project_id: project.id,
      actor_id: owner.id,
      confidential: false,
    })
    const { subscribed, ...listed } = made
    expect(subscribed).toBe(true)
    expect((await as(null).get(`${at}?iids[]=${made.iid}`)).body).toEqual([listed])
    expect((await as(stranger).get(`${at}/${made.iid}`)).body).toEqual({ ...made, subscribed: false })
  })

  it('returns the contract’s errors', async () => {
    expect(await as(owner).post(at, {})).toMatchObject({ status: 400, body: { error: 'title is missing' } })
    const problem = async (params: object) => (await as(owner).post(at, { title: 'x', ...params })).body
    expect(await problem({ title: ' ' })).toEqual({ message: { title: ["can't be blank"] } })
    expect(await problem({ title: 'x'.repeat(256) })).toEqual({
      message: { title: ['is too long (maximum is 255 characters)'] },
    })
    expect(await problem({ description: 'x'.repeat(1_048_577) })).toEqual({
      message: { description: ['is too long (maximum is 1048576 characters)'] },
    })
    expect(await problem({ issue_type: 'epic' })).toEqual({
      error: 'issue_type does not have a valid value',
    })
    expect(await problem({ due_date: '2022-02-31' })).toEqual({ error: 'due_date is invalid' })
    expect((await as(null).post(at, { title: 'x' })).status).toBe(401)
    expect(await as(owner).get(`${at}/999`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })
})
