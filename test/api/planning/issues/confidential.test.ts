import { describe, expect, it } from 'vitest'

import { onBehalfOf } from '../../../../server/domains/planning/index.ts'
import { mayReceive } from '../../../../server/domains.ts'
import { world, type TestUser } from '../../../support/world.ts'
import { watchEvents } from '../../repository/fill.ts'

const instance = await world()
const { as, make, ctx } = instance
const [owner, reporter, guest, stranger] = ['owner', 'reporter', 'guest', 'stranger'].map((username) =>
  make.user({ username }),
) as [TestUser, TestUser, TestUser, TestUser]
const project = await make.project({ owner, visibility: 'public' })
await make.member('projects', project.id, reporter, 20)
await make.member('projects', project.id, guest, 10)
const at = `/projects/${project.id}/issues`

async function secret(by = owner, params: object = {}) {
  const { body } = await as(by).post(at, { title: 'Secret', confidential: true, ...params })
  return body
}

describe('a confidential issue', () => {
  it('is visible only to its author, assignees and reporters, on every endpoint', async () => {
    const { iid } = await secret(owner, { description: 'About' })
    const note = (await as(owner).post(`${at}/${iid}/notes`, { body: 'Hush' })).body
    const paths = [
      '',
      '/notes',
      `/notes/${note.id}`,
      '/discussions',
      '/participants',
      '/time_stats',
      '/links',
      '/award_emoji',
      `/notes/${note.id}/award_emoji`,
      '/resource_label_events',
      '/resource_state_events',
      '/resource_milestone_events',
    ]
    for (const path of paths) {
      for (const user of [null, guest, stranger])
        expect((await as(user).get(`${at}/${iid}${path}`)).status, path).toBe(404)
      expect((await as(reporter).get(`${at}/${iid}${path}`)).status, path).toBe(200)
    }
    const writes = [
      ['/notes', { body: 'x' }],
      ['/subscribe', {}],
      ['/award_emoji', { name: 'thumbsup' }],
      ['/links', { target_project_id: project.id, target_issue_iid: 1 }],
      ['/move', { to_project_id: project.id }],
    ] as const
    for (const [path, params] of writes)
      expect((await as(guest).post(`${at}/${iid}${path}`, params)).status, path).toBe(404)
    expect((await as(guest).put(`${at}/${iid}`, { title: 'x' })).status).toBe(404)
    await as(owner).put(`${at}/${iid}`, { assignee_ids: [guest.id] })
    for (const path of paths) expect((await as(guest).get(`${at}/${iid}${path}`)).status, path).toBe(200)
  })

  it('stays visible to its author, who cannot make it public as a guest', async () => {
    const { iid } = await secret(guest)
    expect((await as(guest).get(`${at}/${iid}`)).status).toBe(200)
    expect((await as(guest).put(`${at}/${iid}`, { confidential: false, title: 'y' })).body).toMatchObject({
      confidential: true,
      title: 'y',
    })
    expect((await as(stranger).get(`${at}/${iid}`)).status).toBe(404)
    expect((await as(reporter).put(`${at}/${iid}`, { confidential: false })).status).toBe(200)
    expect((await as(stranger).get(`${at}/${iid}`)).status).toBe(200)
  })

  it('is not counted in the open issues of the project', async () => {
    const count = async () => (await as(owner).get(`/projects/${project.id}`)).body.open_issues_count
    const before = await count()
    const { iid } = await secret()
    expect(await count()).toBe(before)
    await as(owner).put(`${at}/${iid}`, { confidential: false })
    expect(await count()).toBe(before + 1)
    await as(owner).put(`${at}/${iid}`, { state_event: 'close' })
    expect(await count()).toBe(before)
  })

  it('is not sent to the event streams of other users', async () => {
    const received = ['issue.created', 'issuable.assignees_changed'].map((name) =>
      watchEvents(instance, name),
    )
    const deletions = watchEvents(instance, 'issue.deleted')
    const { iid } = await secret(owner, { assignee_ids: [owner.id] })
    const all = [owner, reporter, guest, stranger]
    const receivers = (event: unknown) => all.filter((user) => mayReceive(onBehalfOf(ctx(), user.id)!, event))
    for (const events of received) expect(events.map(receivers)).toEqual([[owner, reporter]])
    await as(owner).delete(`${at}/${iid}`)
    expect(deletions.map(receivers)).toEqual([[owner, reporter]])
    const open = (await as(owner).post(at, { title: 'Open' })).body
    const event = { issue_id: open.id, iid: open.iid, project_id: project.id, confidential: false }
    expect(receivers(event)).toEqual(all)
    const inner = { project_id: project.id, noteable_type: 'Issue', noteable_id: open.id, internal: true }
    expect(receivers(inner)).toEqual([owner, reporter])
  })
})
