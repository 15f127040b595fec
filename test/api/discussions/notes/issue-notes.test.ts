import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

// Notes, threads and emoji of issues, and the permissions for them.

const w = await world()
const { as, make } = w
const reporter = make.user({ username: 'reporter' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any

beforeAll(async () => {
  project = await make.project({ visibility: 'public' })
  await make.member('projects', project.id, reporter, 20)
  await make.member('projects', project.id, guest, 10)
})

async function open(params: object = {}, by = reporter): Promise<string> {
  const made = await as(by).post(`/projects/${project.id}/issues`, { title: 'Issue', ...params })
  return `/projects/${project.id}/issues/${made.body.iid}`
}
const errorOf = ({ status, body }: { status: number; body: unknown }) => [status, body]
const forbidden = [403, { message: '403 Forbidden' }]

describe('notes of an issue', () => {
  it('become a thread with the first reply', async () => {
    const at = await open()
    const note = await as(stranger).post(`${at}/notes`, { body: 'One' })
    expect(note.body).toMatchObject({
      type: null,
      noteable_type: 'Issue',
      noteable_iid: Number(at.split('/').at(-1)),
    })
    const [found] = (await as(null).get(`${at}/discussions`)).body
    expect(found).toMatchObject({ individual_note: true, notes: [{ id: note.body.id }] })
    const answer = await as(guest).post(`${at}/discussions/${found.id}/notes`, { body: 'Two' })
    expect([answer.status, answer.body.type]).toEqual([201, 'DiscussionNote'])
    expect((await as(null).get(`${at}/discussions`)).body).toMatchObject([{ individual_note: false }])
    expect((await as(reporter).get(at)).body.user_notes_count).toBe(2)
    expect((await as(stranger).delete(`${at}/notes/${note.body.id}`)).status).toBe(204)
    expect((await as(reporter).get(at)).body.user_notes_count).toBe(1)
  })

  it('have no positions in diffs', async () => {
    const at = await open()
    const made = await as(guest).post(`${at}/discussions`, { body: 'x', position: { base_sha: 'x' } })
    expect([made.status, made.body.notes[0].type]).toEqual([201, 'DiscussionNote'])
  })

  it('can be internal', async () => {
    const at = await open()
    const made = await as(reporter).post(`${at}/notes`, { body: 'Secret', confidential: true })
    expect(made.body).toMatchObject({ internal: true, confidential: true })
    expect(errorOf(await as(guest).post(`${at}/notes`, { body: 'x', internal: true }))).toEqual(forbidden)
    for (const user of [guest, stranger, null]) {
      expect((await as(user).get(`${at}/notes`)).body).toEqual([])
      expect(errorOf(await as(user).get(`${at}/notes/${made.body.id}`))).toEqual([
        404,
        { message: '404 Note Not Found' },
      ])
      expect((await as(user).get(`${at}/notes/${made.body.id}/award_emoji`)).status).toBe(404)
    }
  })

  it('are hidden with a confidential issue', async () => {
    const at = await open({ confidential: true })
    const note = (await as(reporter).post(`${at}/notes`, { body: 'Secret' })).body
    const hidden = [404, { message: '404 Not found' }]
    for (const path of [
      '/notes',
      `/notes/${note.id}`,
      '/discussions',
      '/award_emoji',
      `/notes/${note.id}/award_emoji`,
    ])
      expect(errorOf(await as(guest).get(at + path))).toEqual(hidden)
    expect(errorOf(await as(guest).post(`${at}/notes`, { body: 'x' }))).toEqual(hidden)
    expect(errorOf(await as(guest).post(`${at}/award_emoji`, { name: 'tada' }))).toEqual(hidden)
    const own = await open({ confidential: true }, guest)
    expect((await as(guest).post(`${own}/notes`, { body: 'Mine' })).status).toBe(201)
  })

  it('are for members only when the discussion is locked', async () => {
    const at = await open()
    const note = (await as(stranger).post(`${at}/notes`, { body: 'Before' })).body
    await as(reporter).put(at, { discussion_locked: true })
    expect(errorOf(await as(stranger).post(`${at}/notes`, { body: 'x' }))).toEqual(forbidden)
    expect(errorOf(await as(stranger).put(`${at}/notes/${note.id}`, { body: 'x' }))).toEqual(forbidden)
    expect((await as(stranger).post(`${at}/award_emoji`, { name: 'tada' })).status).toBe(404)
    expect((await as(guest).post(`${at}/notes`, { body: 'x' })).status).toBe(201)
  })

  it('count thumbs as votes', async () => {
    const at = await open()
    await as(stranger).post(`${at}/award_emoji`, { name: '+1' })
    await as(guest).post(`${at}/award_emoji`, { name: 'thumbsdown' })
    expect((await as(null).get(at)).body).toMatchObject({ upvotes: 1, downvotes: 1 })
  })
})
