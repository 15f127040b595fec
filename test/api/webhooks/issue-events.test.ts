import { describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { keys, listen, PROJECT_KEYS, recorded, USER_KEYS, type Recorded } from './recorded.ts'

const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
const ada = here.make.user({ username: 'ada' })
const project = await here.make.project()
await here.make.member('projects', project.id, ada, 30)
const at = `/projects/${project.id}`
const page = `${here.url}/root/${project.path}`
const NOW = '2026-11-22 08:00:00 UTC'

const ATTRIBUTES = [
  'id',
  'iid',
  'title',
  'description',
  'author_id',
  'assignee_id',
  'assignee_ids',
  'project_id',
  'milestone_id',
  'state_id',
  'state',
  'confidential',
  'discussion_locked',
  'due_date',
  'created_at',
  'updated_at',
  'closed_at',
  'updated_by_id',
  'last_edited_at',
  'last_edited_by_id',
  'relative_position',
  'moved_to_id',
  'duplicated_to_id',
  'time_estimate',
  'total_time_spent',
  'time_change',
  'human_time_estimate',
  'human_total_time_spent',
  'human_time_change',
  'weight',
  'labels',
  'severity',
  'escalation_status',
  'escalation_policy',
  'url',
  'action',
]
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
  'assignee',
]
const LABEL_KEYS = [
  'color',
  'created_at',
  'description',
  'group_id',
  'id',
  'project_id',
  'template',
  'title',
  'type',
  'updated_at',
]

// Tests look into answers of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
const open = async (params: object = {}): Promise<any> => {
  const { status, body } = await root.post(`${at}/issues`, { title: 'An issue', ...params })
  expect(status).toBe(201)
  return body
}
const put = (iid: number, params: object) => async () => {
  const { status, text } = await root.put(`${at}/issues/${iid}`, params)
  expect([status, text]).toEqual([200, expect.any(String)])
}
const ofIssues = async (act: () => unknown): Promise<Recorded[]> =>
  (await recorded(here, null, act)).filter((event) => event.kind.endsWith('issue'))

it('an event stores no jobs without a listener', async () => {
  here.jobs()
  expect(await recorded(here, null, () => open({ labels: 'a' }))).toEqual([])
  expect(here.jobs().filter((name) => name.startsWith('event:webhooks'))).toEqual([])
})

describe('a new issue', () => {
  it('has one event with all attributes', async () => {
    listen(here, { project_id: project.id })
    const description = 'See ![a](/uploads/0123456789abcdef0123456789abcdef/a.png) and [b](/other)'
    // oxlint-disable-next-line typescript/no-explicit-any
    let issue: any
    const events = await ofIssues(async () => {
      issue = await open({
        description,
        labels: 'bug,api',
        assignee_ids: [ada.id],
        due_date: '2026-12-24',
        weight: 3,
      })
    })
    expect(events).toHaveLength(1)
    const [{ payload, ...rest }] = events as [Recorded]
    expect(rest).toEqual({ kind: 'issue', project_id: project.id, group_id: null, actor_id: 1, ref: null })
    expect(keys(payload)).toEqual([...TOP].sort())
    expect(keys(payload.object_attributes)).toEqual([...ATTRIBUTES].sort())
    expect([keys(payload.user), keys(payload.project)]).toEqual([USER_KEYS, PROJECT_KEYS])
    expect(keys(payload.labels[0])).toEqual(LABEL_KEYS)
    expect(payload).toMatchObject({
      object_kind: 'issue',
      event_type: 'issue',
      user: { id: 1, username: 'root', email: '[REDACTED]' },
      assignees: [{ id: ada.id, username: 'ada' }],
      assignee: { id: ada.id },
      labels: [
        {
          title: 'api',
          type: 'ProjectLabel',
          created_at: NOW,
          project_id: project.id,
          group_id: null,
          template: false,
        },
        { title: 'bug' },
      ],
      repository: { name: project.name, homepage: page },
    })
    expect(payload.object_attributes).toMatchObject({
      id: issue.id,
      iid: issue.iid,
      title: 'An issue',
      description: `See ![a](${page}/uploads/0123456789abcdef0123456789abcdef/a.png) and [b](/other)`,
      author_id: 1,
      assignee_id: ada.id,
      assignee_ids: [ada.id],
      state_id: 1,
      state: 'opened',
      confidential: false,
      due_date: '2026-12-24',
      created_at: NOW,
      updated_at: NOW,
      closed_at: null,
      updated_by_id: null,
      time_change: 0,
      human_time_estimate: null,
      weight: 3,
      severity: 'unknown',
      url: `${page}/-/issues/${issue.iid}`,
      action: 'open',
    })
    expect(payload.changes).toMatchObject({
      title: { previous: null, current: 'An issue' },
      state_id: { previous: null, current: 1 },
      labels: { previous: [], current: payload.labels },
      assignees: { previous: [], current: payload.assignees },
    })
  })
})

describe('a change of an issue', () => {
  it('of everything at once is one event with the previous values', async () => {
    const { id: milestone_id } = (await root.post(`${at}/milestones`, { title: 'one' })).body
    const issue = await open({ description: 'Old', labels: 'bug', assignee_ids: [ada.id] })
    await here.drain()
    clock.advance(60_000)
    const params = {
      title: 'Another title',
      description: 'New',
      labels: 'api,bug',
      assignee_ids: [1],
      milestone_id,
      due_date: '2027-01-01',
      weight: 5,
      discussion_locked: true,
      state_event: 'close',
    }
    const [event, ...more] = await ofIssues(put(issue.iid, params))
    expect(more).toEqual([])
    const later = '2026-11-22 08:01:00 UTC'
    const { changes, object_attributes } = event!.payload
    expect(object_attributes).toMatchObject({
      action: 'close',
      state: 'closed',
      state_id: 2,
      updated_by_id: 1,
    })
    const titles = ({ previous, current }: Record<string, { title: string }[]>) => [
      previous!.map((label) => label.title),
      current!.map((label) => label.title),
    ]
    const { labels, assignees, ...columns } = changes
    expect(columns).toEqual({
      title: { previous: 'An issue', current: 'Another title' },
      description: { previous: 'Old', current: 'New' },
      milestone_id: { previous: null, current: milestone_id },
      due_date: { previous: null, current: '2027-01-01' },
      weight: { previous: null, current: 5 },
      discussion_locked: { previous: null, current: true },
      state_id: { previous: 1, current: 2 },
      closed_at: { previous: null, current: later },
      last_edited_at: { previous: null, current: later },
      last_edited_by_id: { previous: null, current: 1 },
      updated_at: { previous: NOW, current: later },
      updated_by_id: { previous: null, current: 1 },
    })
    expect(titles(labels)).toEqual([['bug'], ['api', 'bug']])
    expect(keys(labels.previous[0])).toEqual(LABEL_KEYS)
    expect([assignees.previous, assignees.current]).toMatchObject([[{ id: ada.id }], [{ id: 1 }]])
    expect(keys(assignees.previous[0])).toEqual(USER_KEYS)
    const [again] = await ofIssues(put(issue.iid, { state_event: 'reopen', title: 'Open' }))
    expect(again!.payload.object_attributes).toMatchObject({
      action: 'reopen',
      state: 'opened',
      closed_at: null,
    })
    expect(again!.payload.changes).toMatchObject({
      state_id: { previous: 2, current: 1 },
      title: { current: 'Open' },
    })
  })

  it('of one attribute is an update; of none, or of the position alone, has no event', async () => {
    const [issue, other] = [await open(), await open()]
    await here.drain()
    const [labelled, ...more] = await ofIssues(put(issue.iid, { add_labels: 'bug' }))
    expect(more).toEqual([])
    expect(labelled!.payload.object_attributes.action).toBe('update')
    expect(keys(labelled!.payload.changes)).toEqual(expect.arrayContaining(['labels']))
    expect(await ofIssues(put(issue.iid, { title: 'An issue', labels: 'bug' }))).toEqual([])
    const reorder = () => root.put(`${at}/issues/${issue.iid}/reorder`, { move_after_id: other.id })
    expect(await ofIssues(reorder)).toEqual([])
    const link = { target_project_id: project.id, target_issue_iid: other.iid }
    expect(await ofIssues(() => root.post(`${at}/issues/${issue.iid}/links`, link))).toEqual([])
  })

  it('of times has the spent time', async () => {
    const { iid } = await open()
    await here.drain()
    const [estimated] = await ofIssues(() => root.post(`${at}/issues/${iid}/time_estimate?duration=3h`))
    expect(estimated!.payload.changes.time_estimate).toEqual({ previous: 0, current: 10_800 })
    await root.post(`${at}/issues/${iid}/add_spent_time?duration=1h`)
    const [spent] = await ofIssues(() => root.post(`${at}/issues/${iid}/add_spent_time?duration=30m`))
    expect(spent!.payload.changes).toMatchObject({
      total_time_spent: { previous: 3600, current: 5400 },
      time_change: { previous: 0, current: 1800 },
    })
    expect(spent!.payload.object_attributes).toMatchObject({
      time_estimate: 10_800,
      total_time_spent: 5400,
      time_change: 1800,
      human_time_estimate: '3h',
      human_total_time_spent: '1h 30m',
      human_time_change: '30m',
    })
  })

  it('by quick actions in its text is also one event', async () => {
    const { iid } = await open({ description: 'Old' })
    const [event, ...more] = await ofIssues(put(iid, { description: 'Text\n/label ~bug\n/weight 7\n/close' }))
    expect(more).toEqual([])
    expect(event!.payload.object_attributes).toMatchObject({
      action: 'close',
      weight: 7,
      description: 'Text',
    })
    expect(keys(event!.payload.changes)).toEqual(
      expect.arrayContaining(['labels', 'weight', 'state_id', 'description']),
    )
  })
})

describe('a confidential issue', () => {
  it('has another kind of event', async () => {
    const events: Recorded[] = []
    const { iid } = await open()
    await here.drain()
    events.push(...(await ofIssues(put(iid, { confidential: true }))))
    events.push(...(await ofIssues(put(iid, { title: 'Secret' }))))
    events.push(...(await ofIssues(put(iid, { confidential: false }))))
    expect(
      events.map(({ kind, payload }) => [kind, payload.event_type, payload.changes.confidential]),
    ).toEqual([
      ['confidential_issue', 'confidential_issue', { previous: false, current: true }],
      ['confidential_issue', 'confidential_issue', undefined],
      ['issue', 'issue', { previous: true, current: false }],
    ])
  })

  it('is not stored if webhooks listen to other issues only', async () => {
    const quiet = await here.make.project()
    const { db } = here.ctx()
    db.exec(
      'UPDATE web_hooks SET confidential_issues_events = 0 WHERE id = ?',
      listen(here, { project_id: quiet.id }),
    )
    const secret = () => root.post(`/projects/${quiet.id}/issues`, { title: 'Hush', confidential: true })
    expect(await ofIssues(secret)).toEqual([])
  })
})

describe('an issue that moves', () => {
  it('has a close event in the old project and an open event in the new one', async () => {
    const there = await here.make.project()
    listen(here, { project_id: there.id })
    const { iid } = await open()
    await here.drain()
    const events = await ofIssues(() => root.post(`${at}/issues/${iid}/move`, { to_project_id: there.id }))
    const found = events.map(({ project_id, payload }) => [project_id, payload.object_attributes.action])
    expect(found).toHaveLength(2)
    expect(found).toEqual(
      expect.arrayContaining([
        [project.id, 'close'],
        [there.id, 'open'],
      ]),
    )
    const [closed] = events.filter((event) => event.project_id === project.id)
    expect(closed!.payload.changes.moved_to_id).toEqual({ previous: null, current: expect.any(Number) })
  })
})
