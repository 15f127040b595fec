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

async function open(params: object = {}, user = owner) {
  const { status, body } = await as(user).post(at, { title: 'Something', ...params })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const put = (iid: number, params: object, user = owner) => as(user).put(`${at}/${iid}`, params)

/** Returns the system notes, oldest first. */
async function lines(iid: number) {
  const { body } = await as(owner).get(`${at}/${iid}/notes?sort=asc&activity_filter=only_activity`)
  return body.map((note: { body: string }) => note.body)
}

describe('updating an issue', () => {
  it('writes a system note for every change', async () => {
    const received = watchEvents(instance, 'issue.updated')
    const { iid } = await open({ title: 'Old title', labels: 'a,b' })
    const milestone = (await as(owner).post(`/projects/${project.id}/milestones`, { title: 'm' })).body.id
    const changed = await put(iid, {
      title: 'New title',
      description: 'Text',
      add_labels: 'c',
      remove_labels: ['a'],
      assignee_ids: [reporter.id, guest.id],
      milestone_id: milestone,
      due_date: '2030-01-31',
      weight: 2,
      issue_type: 'incident',
      health_status: 'at_risk',
      confidential: true,
      discussion_locked: true,
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      title: 'New title',
      description: 'Text',
      labels: ['b', 'c'],
      assignees: [{ username: 'reporter' }, { username: 'guest' }],
      milestone: { title: 'm' },
      due_date: '2030-01-31',
      weight: 2,
      type: 'INCIDENT',
      health_status: 'at_risk',
      confidential: true,
      discussion_locked: true,
      user_notes_count: 0,
    })
    expect((await lines(iid)).toSorted()).toEqual(
      [
        'changed title from **{-Old-} title** to **{+New+} title**',
        'changed the description',
        'made the issue confidential',
        'changed due date to January 31, 2030',
        'changed weight to **2**',
        'changed type from issue to incident',
        'changed health status to **at risk**',
        'locked the discussion in this issue',
        'assigned to @reporter and @guest',
      ].toSorted(),
    )
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({
      changed: expect.arrayContaining(['title', 'description', 'weight']),
      previous: { title: 'Old title', description: null },
      confidential: true,
    })
    const cleared = await put(iid, {
      description: '',
      labels: '',
      assignee_ids: [0],
      milestone_id: 0,
      due_date: null,
      weight: null,
      health_status: null,
      confidential: false,
      discussion_locked: false,
    })
    expect(cleared.body).toMatchObject({
      labels: [],
      assignees: [],
      assignee: null,
      milestone: null,
      due_date: null,
      weight: null,
      health_status: null,
      confidential: false,
      discussion_locked: false,
    })
    expect(await lines(iid)).toEqual(
      expect.arrayContaining([
        'unassigned @reporter and @guest',
        'removed due date',
        'removed the weight',
        'removed the health status',
        'made the issue visible to everyone',
        'unlocked the discussion in this issue',
      ]),
    )
  })

  it('writes a system note about ticked tasks', async () => {
    const { iid } = await open({ description: 'To do\n- [ ] one\n- [x] two' })
    await put(iid, { description: 'To do\n- [x] one\n- [ ] two' })
    await put(iid, { description: 'Done\n- [x] one\n- [x] two' })
    expect(await lines(iid)).toEqual([
      'marked the checklist item **one** as completed',
      'marked the checklist item **two** as incomplete',
      'changed the description',
    ])
  })

  it('returns 400 without changes and for invalid texts', async () => {
    const { iid } = await open()
    const nothing = await put(iid, {})
    expect(nothing.status).toBe(400)
    expect(nothing.body.error).toContain('are missing, at least one parameter must be provided')
    expect((await put(iid, { title: '' })).body).toEqual({ message: { title: ["can't be blank"] } })
    expect((await put(iid, { state_event: 'shut' })).body).toEqual({
      error: 'state_event does not have a valid value',
    })
    expect((await put(999, { title: 'x' })).body).toEqual({ message: '404 Not found' })
    expect((await put(iid, { title: 'Something' })).body.title).toBe('Something')
    expect(await lines(iid)).toEqual([])
  })

  it('is allowed for reporters, authors and assignees; only reporters set metadata', async () => {
    const { iid } = await open({}, guest)
    expect((await put(iid, { title: 'x' }, stranger)).status).toBe(403)
    const own = await put(iid, { title: 'Mine', labels: 'x', weight: 3, assignee_ids: [guest.id] }, guest)
    expect(own.body).toMatchObject({ title: 'Mine', labels: [], weight: null, assignees: [] })
    expect((await put(iid, { labels: 'x' }, reporter)).body.labels).toEqual(['x'])
    const theirs = await open({ assignee_ids: [stranger.id] })
    expect((await put(theirs.iid, { title: 'Taken over' }, stranger)).body.title).toBe('Taken over')
    expect((await put(theirs.iid, { title: 'No' }, guest)).status).toBe(403)
    expect((await as(null).put(`${at}/${iid}`, { title: 'x' })).status).toBe(401)
  })

  it('lets guests set all fields of a new issue, and other users only its texts', async () => {
    const labelled = await open({ labels: 'x', weight: 1 }, guest)
    expect(labelled).toMatchObject({ labels: ['x'], weight: 1 })
    const plain = await open({ labels: 'x', weight: 1, assignee_ids: [owner.id] }, stranger)
    expect(plain).toMatchObject({ labels: [], weight: null, assignees: [] })
    // A user who cannot read the issue does not become an assignee, and a guest cannot create labels.
    const inside = await make.project({ owner })
    const { body } = await as(owner).post(`/projects/${inside.id}/issues`, {
      title: 'x',
      assignee_ids: [stranger.id, owner.id, 999],
      milestone_id: 999,
    })
    expect(body).toMatchObject({ assignees: [{ username: 'owner' }], milestone: null })
    expect((await open({ labels: 'unheard-of' }, guest)).labels).toEqual([])
  })

  it('lets owners choose the IID and the times', async () => {
    const made = await open({ iid: 700, created_at: '2019-05-05T05:05:05Z' })
    expect(made).toMatchObject({ iid: 700, created_at: '2019-05-05T05:05:05.000Z' })
    expect(await as(owner).post(at, { title: 'x', iid: 700 })).toMatchObject({
      status: 409,
      body: { message: 'Duplicated issue' },
    })
    const next = await open({ iid: 900, created_at: '2019-05-05' }, reporter)
    expect(next.iid).toBe(701)
    expect(next.created_at > '2026').toBe(true)
    const changed = await put(700, { title: 'y', updated_at: '2019-06-06T00:00:00Z' })
    expect(changed.body.updated_at).toBe('2019-06-06T00:00:00.000Z')
  })

  it('closes and reopens an issue', async () => {
    const closed = watchEvents(instance, 'issue.closed')
    const { iid, id } = await open()
    const shut = (await put(iid, { state_event: 'close' })).body
    expect(shut).toMatchObject({ state: 'closed', closed_by: { username: 'owner' } })
    expect(shut.closed_at).toBe(shut.updated_at)
    await put(iid, { state_event: 'close' })
    expect((await put(iid, { state_event: 'reopen' })).body).toMatchObject({
      state: 'opened',
      closed_at: null,
      closed_by: null,
    })
    const { body: events } = await as(null).get(`${at}/${iid}/resource_state_events`)
    expect(events).toEqual([
      {
        id: expect.any(Number),
        user: expect.objectContaining({ username: 'owner' }),
        created_at: expect.any(String),
        resource_type: 'Issue',
        resource_id: id,
        state: 'closed',
        source_commit: null,
        source_merge_request_iid: null,
      },
      expect.objectContaining({ state: 'reopened' }),
    ])
    expect(closed).toHaveLength(1)
    // States, labels and milestones have events and therefore no system notes.
    expect(await lines(iid)).toEqual([])
  })

  it('lists when labels and milestones were added and removed', async () => {
    const milestone = (await as(owner).post(`/projects/${project.id}/milestones`, { title: 'n' })).body.id
    const { iid } = await open({ labels: 'p', milestone_id: milestone })
    await put(iid, { labels: 'q', milestone_id: 0 })
    const { body } = await as(null).get(`${at}/${iid}/resource_label_events`)
    expect(
      body.map((event: { label: { name: string }; action: string }) => [event.action, event.label.name]),
    ).toEqual([
      ['add', 'p'],
      ['add', 'q'],
      ['remove', 'p'],
    ])
    const single = await as(null).get(`${at}/${iid}/resource_label_events/${body[0].id}`)
    expect(single.body).toEqual(body[0])
    const events = (await as(null).get(`${at}/${iid}/resource_milestone_events`)).body
    expect(events).toMatchObject([
      { action: 'add', milestone: { title: 'n' }, state: 'opened' },
      { action: 'remove', milestone: { title: 'n' }, state: 'opened' },
    ])
    const missing = await as(owner).get(`${at}/${iid}/resource_milestone_events/${body[0].id + 1000}`)
    expect(missing).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  })

  it('lets owners delete an issue', async () => {
    const deletions = watchEvents(instance, 'issue.deleted')
    const { iid } = await open()
    expect((await as(reporter).delete(`${at}/${iid}`)).status).toBe(403)
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await as(owner).delete(`${at}/${iid}`, undefined, old)).status).toBe(412)
    expect((await as(owner).delete(`${at}/${iid}`)).status).toBe(204)
    expect(await as(owner).delete(`${at}/${iid}`)).toMatchObject({
      status: 404,
      body: { message: '404 Issue Not Found' },
    })
    expect(deletions).toHaveLength(1)
  })
})

describe('ordering issues by hand', () => {
  it('moves an issue between the given issues', async () => {
    const [a, b, c] = [await open(), await open(), await open()]
    const order = async () => {
      const query = [a, b, c].map((issue) => `iids[]=${issue.iid}`).join('&')
      const { body } = await as(owner).get(`${at}?order_by=relative_position&sort=asc&${query}`)
      return body
        .map((issue: { id: number }) => ({ [a.id]: 'a', [b.id]: 'b', [c.id]: 'c' })[issue.id])
        .join('')
    }
    const move = (issue: { iid: number }, params: object, user = owner) =>
      as(user).put(`${at}/${issue.iid}/reorder`, params)
    expect((await move(a, { move_before_id: b.id, move_after_id: c.id })).status).toBe(200)
    // The oldest issue came first.
    expect(await order()).toBe('bac')
    expect((await move(b, { move_before_id: a.id })).status).toBe(200)
    expect(await order()).toBe('abc')
    await move(b, { move_after_id: a.id })
    expect(await order()).toBe('bac')
    await move(c, { move_after_id: b.id })
    expect(await order()).toBe('cba')
    for (let round = 0; round < 40; round++) await move(round % 2 ? a : c, { move_before_id: b.id })
    expect(await order()).toBe('bac')
    const refused = { status: 422, body: { message: { error: 'Unprocessable Entity' } } }
    expect(await move(a, {})).toMatchObject(refused)
    expect(await move(a, { move_after_id: 99_999 })).toMatchObject(refused)
    expect((await move(a, { move_after_id: b.id }, stranger)).status).toBe(403)
  })
})

describe('subscriptions to an issue', () => {
  it('subscribes and unsubscribes only once', async () => {
    const { iid } = await open()
    expect(await as(stranger).post(`${at}/${iid}/subscribe`)).toMatchObject({
      status: 201,
      body: { subscribed: true },
    })
    expect((await as(stranger).post(`${at}/${iid}/subscribe`)).status).toBe(304)
    expect((await as(owner).post(`${at}/${iid}/subscribe`)).status).toBe(304)
    expect((await as(owner).post(`${at}/${iid}/unsubscribe`)).body.subscribed).toBe(false)
    expect((await as(owner).get(`${at}/${iid}`)).body.subscribed).toBe(false)
    expect((await as(null).post(`${at}/${iid}/subscribe`)).status).toBe(401)
    expect((await as(owner).post(`${at}/999/subscribe`)).status).toBe(404)
  })

  it('lists authors of notes, assignees and mentioned users as participants', async () => {
    const { iid } = await open({ description: 'cc @guest', assignee_ids: [reporter.id] })
    await as(stranger).post(`${at}/${iid}/notes`, { body: 'Me too' })
    await as(owner).post(`${at}/${iid}/notes`, { body: 'Hidden @root', internal: true })
    const names = async (user: typeof owner) =>
      (await as(user).get(`${at}/${iid}/participants`)).body.map(
        (participant: { username: string }) => participant.username,
      )
    expect(await names(guest)).toEqual(['owner', 'reporter', 'guest', 'stranger'])
    expect(await names(owner)).toEqual(['root', 'owner', 'reporter', 'guest', 'stranger'])
    expect((await as(guest).get(`${at}/${iid}`)).body.subscribed).toBe(true)
    expect((await as(stranger).get(`${at}/${iid}`)).body).toMatchObject({
      subscribed: true,
      user_notes_count: 2,
    })
  })
})

describe('the time of an issue', () => {
  it('sets, adds and resets estimates and spent time', async () => {
    const received = watchEvents(instance, 'issuable.time_changed')
    const { iid } = await open()
    const post = (what: string, params: object = {}, user = reporter) =>
      as(user).post(`${at}/${iid}/${what}`, params)
    expect(await post('time_estimate', { duration: '1mo 3h 30m' })).toMatchObject({
      status: 200,
      body: { time_estimate: 588_600, human_time_estimate: '1mo 3h 30m', human_total_time_spent: null },
    })
    expect(await post('add_spent_time', { duration: '1d', summary: 'Work' })).toMatchObject({
      status: 201,
      body: { total_time_spent: 28_800, human_total_time_spent: '1d' },
    })
    expect((await post('add_spent_time', { duration: '-2h' })).body.human_total_time_spent).toBe('6h')
    expect(await post('add_spent_time', { duration: '-7h' })).toMatchObject({
      status: 400,
      body: { message: { base: ['Time to subtract exceeds the total time spent'] } },
    })
    expect((await post('add_spent_time', { duration: 'long' })).body).toEqual({
      error: 'duration is invalid',
    })
    expect((await post('add_spent_time')).body).toEqual({ error: 'duration is missing' })
    expect((await post('time_estimate', { duration: '-1h' })).status).toBe(400)
    expect((await as(null).get(`${at}/${iid}/time_stats`)).body).toEqual({
      time_estimate: 588_600,
      total_time_spent: 21_600,
      human_time_estimate: '1mo 3h 30m',
      human_total_time_spent: '6h',
    })
    expect((await post('reset_spent_time')).body.total_time_spent).toBe(0)
    expect((await post('reset_time_estimate')).body.time_estimate).toBe(0)
    expect(await lines(iid)).toEqual([
      'changed time estimate to 1mo 3h 30m',
      'added 1d of time spent',
      'subtracted 2h of time spent',
      'removed time spent',
      'removed time estimate',
    ])
    expect(received).toHaveLength(5)
    expect((await post('time_estimate', { duration: '1h' }, guest)).status).toBe(403)
  })
})

describe('the discussions of an issue', () => {
  it('takes notes only from members while it is locked', async () => {
    const { iid } = await open({ discussion_locked: true })
    const say = (user: typeof owner) => as(user).post(`${at}/${iid}/notes`, { body: 'Hello' })
    expect((await say(stranger)).status).toBe(403)
    expect((await say(guest)).status).toBe(201)
    expect((await as(owner).get(`${at}/${iid}`)).body.user_notes_count).toBe(1)
  })

  it('resolves threads', async () => {
    const { iid } = await open()
    const thread = (await as(guest).post(`${at}/${iid}/discussions`, { body: 'Why?' })).body
    expect(thread).toMatchObject({ individual_note: false, notes: [{ noteable_type: 'Issue' }] })
    const done = await as(owner).put(`${at}/${iid}/discussions/${thread.id}`, { resolved: true })
    expect(done.body.notes[0]).toMatchObject({ resolved: true })
  })

  it('counts upvotes and downvotes', async () => {
    const { iid } = await open()
    await as(guest).post(`${at}/${iid}/award_emoji`, { name: 'thumbsup' })
    await as(owner).post(`${at}/${iid}/award_emoji`, { name: 'thumbsdown' })
    expect((await as(null).get(`${at}/${iid}`)).body).toMatchObject({ upvotes: 1, downvotes: 1 })
  })
})
