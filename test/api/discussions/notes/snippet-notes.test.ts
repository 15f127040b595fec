import { beforeEach, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

const instance = await world()
const { as, make } = instance
const maintainer = make.user({ username: 'maintainer' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let snippet: number
let at: string

beforeEach(async () => {
  project = await make.project({ visibility: 'public' })
  await make.member('projects', project.id, maintainer, 40)
  await make.member('projects', project.id, guest, 10)
  const made = await as(maintainer).post(`/projects/${project.id}/snippets`, {
    title: 'Snippet',
    visibility: 'private',
    file_name: 'a.txt',
    content: 'a\n',
  })
  snippet = made.body.id
  at = `/projects/${project.id}/snippets/${snippet}`
})

describe('notes of a snippet', () => {
  it('are created, listed newest first, updated and deleted', async () => {
    const made = await as(guest).post(`${at}/notes`, { body: 'One' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      type: null,
      body: 'One',
      noteable_type: 'Snippet',
      noteable_id: snippet,
      noteable_iid: null,
      resolvable: false,
    })
    await as(maintainer).post(`${at}/notes`, { body: 'Two', created_at: '2020-01-01T00:00:00Z' })
    const list = async (query = '') =>
      (await as(guest).get(`${at}/notes${query}`)).body.map((note: { body: string }) => note.body)
    expect(await list()).toEqual(['One', 'Two'])
    expect(await list('?sort=asc')).toEqual(['Two', 'One'])
    expect(await list('?order_by=updated_at&sort=asc&per_page=1')).toEqual(['Two'])
    expect(await list('?activity_filter=only_activity')).toEqual([])
    const notePath = `${at}/notes/${made.body.id}`
    expect((await as(guest).get(notePath)).body).toEqual(made.body)
    expect((await as(guest).put(notePath, { body: 'Three' })).body.body).toBe('Three')
    expect((await as(guest).put(notePath, {})).status).toBe(400)
    expect((await as(guest).put(`${at}/notes/999999`, { body: 'x' })).body).toEqual({
      message: '404 Note Not Found',
    })
    expect((await as(maintainer).delete(notePath)).status).toBe(204)
    expect(await list()).toEqual(['Two'])
  })

  it('take replies only in threads', async () => {
    const thread = await as(guest).post(`${at}/discussions`, { body: 'Why?' })
    expect(thread.body).toMatchObject({ individual_note: false, notes: [{ type: 'DiscussionNote' }] })
    const answer = await as(maintainer).post(`${at}/discussions/${thread.body.id}/notes`, { body: 'So' })
    expect(answer.status).toBe(201)
    await as(guest).post(`${at}/notes`, { body: 'Alone' })
    const list = (await as(guest).get(`${at}/discussions`)).body
    expect(list.map((discussion: { individual_note: boolean }) => discussion.individual_note)).toEqual([
      false,
      true,
    ])
    const refused = await as(guest).post(`${at}/discussions/${list[1].id}/notes`, { body: 'x' })
    expect(refused.body).toEqual({ message: '400 Bad request - Discussion can not be replied to.' })
    expect((await as(guest).post(`${at}/notes`, { body: ' ' })).body).toEqual({
      message: `400 Bad request - Note {:note=>["can't be blank"]}`,
    })
  })

  it('are visible to readers of the snippet', async () => {
    const hidden = { message: '404 Snippet Not Found' }
    expect((await as(stranger).get(`${at}/notes`)).body).toEqual(hidden)
    expect((await as(stranger).post(`${at}/notes`, { body: 'x' })).body).toEqual(hidden)
    expect((await as(null).get(`${at}/discussions`)).body).toEqual(hidden)
    await as(maintainer).put(at, { visibility: 'public' })
    expect((await as(stranger).post(`${at}/notes`, { body: 'x' })).status).toBe(201)
    expect((await as(null).get(`${at}/notes`)).body).toHaveLength(1)
    expect((await as(null).post(`${at}/notes`, { body: 'x' })).status).toBe(401)
  })

  it('appear only in the feeds of users who see the snippet', async () => {
    await as(guest).post(`${at}/notes`, { body: 'Secret words' })
    await instance.drain()
    for (const [user, sees] of [
      [stranger, false],
      [guest, true],
      [instance.root, true],
    ] as const) {
      const { status, text } = await as(user).get(`/projects/${project.id}/events`)
      expect([user.username, status, text.includes('Secret words')]).toEqual([user.username, 200, sees])
    }
  })

  it('are deleted with the snippet', async () => {
    await as(guest).post(`${at}/notes`, { body: 'One' })
    const count = () =>
      instance
        .ctx()
        .db.one("SELECT 1 FROM notes WHERE noteable_type = 'Snippet' AND noteable_id = ?", snippet)
    expect(count()).toBeDefined()
    expect((await as(maintainer).delete(at)).status).toBe(204)
    expect(count()).toBeUndefined()
    expect((await as(guest).get(`${at}/notes`)).status).toBe(404)
  })
})
