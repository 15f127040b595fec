import { beforeAll, describe, expect, it } from 'vitest'

import { cpuTime } from '../../../support/cpu-time.ts'
import { world } from '../../../support/world.ts'
import { watchEvents } from '../../repository/fill.ts'

const instance = await world()
const { as, make } = instance
const owner = make.user({ username: 'owner' })
const guest = make.user({ username: 'guest' })
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any
let project: Any
let at: string

beforeAll(async () => {
  project = await make.project({ owner, name: 'here', visibility: 'public' })
  await make.member('projects', project.id, guest, 10)
  at = `/projects/${project.id}/issues`
  for (const name of ['bug', 'two words', 'old'])
    await as(owner).post(`/projects/${project.id}/labels`, { name, color: '#112233' })
  await as(owner).post(`/projects/${project.id}/milestones`, { title: 'Big bang' })
})

async function open(params: object = {}) {
  const { status, body } = await as(owner).post(at, { title: 'Something', ...params })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

async function say(issue: Any, body: string, user = owner) {
  return as(user).post(`${at}/${issue.iid}/notes`, { body })
}

const read = async (issue: Any) => (await as(owner).get(`${at}/${issue.iid}`)).body

describe('quick actions in a note of an issue', () => {
  it.each<[string, object]>([
    ['/assign @guest me', { assignees: [{ username: 'owner' }, { username: 'guest' }] }],
    ['/reassign @guest', { assignees: [{ username: 'guest' }] }],
    ['/unassign @guest', { assignees: [] }],
    ['/label ~bug ~"two words" ~unknown', { labels: ['bug', 'old', 'two words'] }],
    ['/labels bug', { labels: ['bug', 'old'] }],
    ['/unlabel ~old', { labels: [] }],
    ['/unlabel', { labels: [] }],
    ['/relabel ~bug', { labels: ['bug'] }],
    ['/milestone %"Big bang"', { milestone: { title: 'Big bang' } }],
    ['/title Quite another', { title: 'Quite another' }],
    ['/close', { state: 'closed' }],
    ['/due 2030-01-31', { due_date: '2030-01-31' }],
    ['/estimate 1d 2h', { time_stats: { human_time_estimate: '1d 2h' } }],
    ['/spend 30m 2020-01-01', { time_stats: { human_total_time_spent: '30m' } }],
    ['/confidential', { confidential: true }],
    ['/lock', { discussion_locked: true }],
    ['/unsubscribe', { subscribed: false }],
    ['/award :thumbsup:', { upvotes: 1 }],
    ['/weight 7', { weight: 7 }],
    ['/health_status on track', { health_status: 'on_track' }],
    ['/type incident', { issue_type: 'incident' }],
  ])('%j', async (command, expected) => {
    const issue = await open({
      labels: 'old',
      ...(command === '/unassign @guest' ? { assignee_ids: [guest.id] } : {}),
    })
    const answer = await say(issue, command)
    expect(answer.status, answer.text).toBe(202)
    expect(answer.body.summary).toHaveLength(1)
    expect(await read(issue)).toMatchObject(expected)
    expect((await read(issue)).user_notes_count).toBe(0)
  })

  it('remove what other quick actions added', async () => {
    const [milestone] = (await as(owner).get(`/projects/${project.id}/milestones`)).body
    const issue = await open({
      milestone_id: milestone.id,
      due_date: '2030-01-31',
      weight: 2,
      discussion_locked: true,
    })
    await say(issue, '/estimate 1h\n/spend 1h\n/close')
    const answer = await say(
      issue,
      '/remove_milestone\n/remove_due_date\n/clear_weight\n/unlock\n/remove_estimate\n/remove_time_spent\n/reopen',
    )
    expect(answer.status).toBe(202)
    expect(answer.body.commands_changes).toMatchObject({
      milestone_id: null,
      due_date: null,
      state_event: 'reopen',
    })
    expect(answer.body.summary).toEqual([
      'Removed %"Big bang" milestone. Removed the due date. Cleared weight. Unlocked the discussion. ' +
        'Removed time estimate. Removed spent time. Reopened this issue.',
    ])
    expect(await read(issue)).toMatchObject({
      milestone: null,
      due_date: null,
      weight: null,
      discussion_locked: false,
      state: 'opened',
      time_stats: { time_estimate: 0, total_time_spent: 0 },
    })
  })

  it('link issues', async () => {
    const [issue, other, third] = [await open(), await open({ labels: 'bug' }), await open()]
    await say(issue, `/relate #${other.iid}\n/blocks #${third.iid}\n/copy_metadata #${other.iid}`)
    expect((await as(owner).get(`${at}/${issue.iid}/links`)).body).toMatchObject([
      { id: other.id, link_type: 'relates_to' },
      { id: third.id, link_type: 'blocks' },
    ])
    expect((await read(issue)).labels).toEqual(['bug'])
    await say(issue, `/unlink #${third.iid}`)
    expect((await as(owner).get(`${at}/${issue.iid}/links`)).body).toHaveLength(1)
    await say(issue, `/duplicate #${other.iid}`)
    expect(await read(issue)).toMatchObject({
      state: 'closed',
      _links: { closed_as_duplicate_of: expect.stringMatching(`/issues/${other.iid}$`) },
    })
  })

  it('reveal nothing about projects that the author cannot see', async () => {
    const hidden = await make.project({ visibility: 'private' })
    const issue = await open()
    for (const path of [hidden.path_with_namespace, 'owner/nowhere']) {
      expect((await say(issue, `/move ${path}`)).body.summary.join()).toContain('doesn’t exist')
      expect((await say(issue, `/clone ${path}`)).body.summary.join()).toContain('doesn’t exist')
    }
  })

  it('name a hidden project only in internal notes', async () => {
    const hidden = await make.project({ owner, visibility: 'private' })
    const { body: original } = await as(owner).post(`/projects/${hidden.id}/issues`, { title: 'There' })
    const isNotified = async (issue: Any, user: typeof owner) =>
      (await as(user).get(`${at}/${issue.iid}/notes`)).text.includes(hidden.path)
    for (const command of [
      `/move ${hidden.path_with_namespace}`,
      `/clone ${hidden.path_with_namespace}`,
      `/duplicate ${hidden.path_with_namespace}#${original.iid}`,
    ]) {
      const issue = await open()
      expect((await say(issue, command)).status).toBe(202)
      expect([await isNotified(issue, owner), await isNotified(issue, guest)]).toEqual([true, false])
    }
  })

  it('are answered quickly for any text', async () => {
    const issue = await open()
    const start = cpuTime()
    for (const [command, end] of [
      ['/spend a', 'b'],
      ['/clone a', 'b'],
    ])
      await say(issue, `${command}${' '.repeat(100_000)}${end}`)
    expect(cpuTime() - start).toBeLessThan(2000)
  })

  it('move and clone an issue', async () => {
    const elsewhere = await make.project({ owner, name: 'elsewhere' })
    const issue = await open({ title: 'Wanderer' })
    await say(issue, `/clone ${elsewhere.path_with_namespace} --with_notes`)
    expect((await say(issue, `/move ${elsewhere.path_with_namespace}`)).status).toBe(202)
    expect(await read(issue)).toMatchObject({ state: 'closed', moved_to_id: expect.any(Number) })
    expect((await as(owner).get(`/projects/${elsewhere.id}/issues`)).body).toHaveLength(2)
  })

  it('add and finish to-do items', async () => {
    const received = watchEvents(instance, 'issuable.todo_marked')
    const issue = await open()
    await say(issue, '/todo')
    await say(issue, '/done')
    expect(received).toMatchObject([
      { kind: 'Issue', id: issue.id, user_id: owner.id, done: false },
      { done: true },
    ])
  })

  it('are skipped when the author may not use them', async () => {
    const issue = await open()
    const answer = await say(issue, '/close\n/label ~bug\n/assign me\n/weight 3\n/title No', guest)
    expect(answer.status).toBe(400)
    expect(await read(issue)).toMatchObject({
      state: 'opened',
      labels: [],
      assignees: [],
      weight: null,
      title: 'Something',
    })
    expect((await say(issue, 'Hello\n/close', guest)).status).toBe(201)
    expect((await read(issue)).state).toBe('opened')
    expect((await say(issue, '/due someday')).status).toBe(400)
  })

  it('work in the description of a new issue', async () => {
    const issue = await open({ description: 'It hurts\n\n/label ~bug\n/assign @guest\n/due 2031-02-03' })
    expect(issue).toMatchObject({
      description: 'It hurts',
      labels: ['bug'],
      assignees: [{ username: 'guest' }],
      due_date: '2031-02-03',
    })
    const edited = await as(owner).put(`${at}/${issue.iid}`, { description: 'It hurts\n\n/close', weight: 1 })
    expect(edited.body).toMatchObject({ description: 'It hurts', state: 'closed', weight: 1 })
  })
})
