import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

const instance = await world()
const { as, make, root } = instance
const maintainer = make.user({ username: 'maintainer' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
let snippets: string
let at: string

beforeAll(async () => {
  const project = await make.project({ visibility: 'public' })
  await make.member('projects', project.id, maintainer, 40)
  await make.member('projects', project.id, guest, 10)
  snippets = `/projects/${project.id}/snippets`
  const params = { title: 'Snippet', file_name: 'a.txt', content: 'a\n', visibility: 'private' }
  const made = await as(maintainer).post(snippets, params)
  at = `${snippets}/${made.body.id}`
})

describe('emoji on a record', () => {
  it('are added, listed, shown and removed', async () => {
    const added = await as(guest).post(`${at}/award_emoji`, { name: 'rocket' })
    expect(added.status).toBe(201)
    expect(added.body).toEqual({
      id: expect.any(Number),
      name: 'rocket',
      user: expect.objectContaining({ id: guest.id, username: 'guest' }),
      created_at: expect.any(String),
      updated_at: added.body.created_at,
      awardable_id: Number(at.split('/').at(-1)),
      awardable_type: 'Snippet',
      url: null,
    })
    await as(maintainer).post(`${at}/award_emoji`, { name: 'rocket' })
    await as(maintainer).post(`${at}/award_emoji`, { name: '+1' })
    const list = await as(guest).get(`${at}/award_emoji?per_page=2`)
    expect(list.body.map((award: { name: string }) => award.name)).toEqual(['rocket', 'rocket'])
    expect(list.headers.get('x-total')).toBe('3')
    expect((await as(guest).get(`${at}/award_emoji?page=3&per_page=1`)).body[0].name).toBe('thumbsup')
    const path = `${at}/award_emoji/${added.body.id}`
    expect((await as(maintainer).get(path)).body).toEqual(added.body)
    const refused = await as(maintainer).delete(path)
    expect([refused.status, refused.body]).toEqual([401, { message: '401 Unauthorized' }])
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await as(guest).delete(path, undefined, old)).status).toBe(412)
    expect((await as(guest).delete(path)).status).toBe(204)
    const after = await as(guest).get(path)
    expect([after.status, after.body]).toEqual([404, { message: '404 Award Emoji Not Found' }])
    const others = (await as(guest).get(`${at}/award_emoji`)).body
    expect((await as(root).delete(`${at}/award_emoji/${others[0].id}`)).status).toBe(204)
  })

  it('return 404 for unknown names and duplicates', async () => {
    const refusals = [
      [{}, 400, { error: 'name is missing' }],
      [{ name: 'no_such_emoji' }, 404, 'Award Emoji {:name=>["is not a valid emoji name"]}'],
      [{ name: '' }, 404, 'Award Emoji {:name=>["is not a valid emoji name"]}'],
      [{ name: 'constructor' }, 404, 'Award Emoji {:name=>["is not a valid emoji name"]}'],
      [{ name: ':tada:' }, 404, 'Award Emoji {:name=>["is not a valid emoji name"]}'],
    ] as const
    for (const [body, status, message] of refusals) {
      const answer = await as(guest).post(`${at}/award_emoji`, body)
      const expected = typeof message === 'string' ? { message: `404 ${message} Not Found` } : message
      expect([answer.status, answer.body]).toEqual([status, expected])
    }
    expect((await as(guest).post(`${at}/award_emoji`, { name: 'thumbsdown' })).status).toBe(201)
    expect((await as(guest).post(`${at}/award_emoji`, { name: 'slight_smile' })).body.name).toBe(
      'slight_smile',
    )
    for (const name of ['thumbsdown', '-1', 'thumbdown']) {
      const again = await as(guest).post(`${at}/award_emoji`, { name })
      expect([again.status, again.body]).toEqual([
        404,
        { message: '404 Award Emoji {:name=>["has already been taken"]} Not Found' },
      ])
    }
  })

  it('are visible to readers of the record', async () => {
    const hidden = { message: '404 Snippet Not Found' }
    expect((await as(stranger).get(`${at}/award_emoji`)).body).toEqual(hidden)
    expect((await as(stranger).post(`${at}/award_emoji`, { name: 'tada' })).body).toEqual(hidden)
    expect((await as(null).post(`${at}/award_emoji`, { name: 'tada' })).status).toBe(401)
  })

  it('publish events, and are deleted with the record', async () => {
    const made = await as(maintainer).post(snippets, {
      title: 'Other',
      file_name: 'a.txt',
      content: 'a\n',
      visibility: 'public',
    })
    const other = `${snippets}/${made.body.id}`
    const note = (await as(guest).post(`${other}/notes`, { body: 'One' })).body
    await as(stranger).post(`${other}/award_emoji`, { name: 'tada' })
    await as(stranger).post(`${other}/notes/${note.id}/award_emoji`, { name: 'tada' })
    const count = () =>
      instance.ctx().db.one<{ count: number }>(
        `SELECT count(*) AS count FROM award_emoji WHERE awardable_type = 'Snippet' AND awardable_id = ?
             OR awardable_type = 'Note' AND awardable_id = ?`,
        made.body.id,
        note.id,
      )!.count
    expect(count()).toBe(2)
    await as(maintainer).delete(other)
    expect(count()).toBe(0)
  })
})

describe('emoji on a note', () => {
  it('belong to the note only', async () => {
    const note = (await as(guest).post(`${at}/notes`, { body: 'One' })).body
    const under = `${at}/notes/${note.id}/award_emoji`
    const award = await as(maintainer).post(under, { name: 'heart' })
    expect(award.body).toMatchObject({ name: 'heart', awardable_type: 'Note', awardable_id: note.id })
    expect((await as(guest).get(under)).body).toHaveLength(1)
    expect((await as(guest).get(`${under}/${award.body.id}`)).status).toBe(200)
    expect((await as(guest).get(`${at}/award_emoji/${award.body.id}`)).status).toBe(404)
    expect((await as(maintainer).delete(`${under}/${award.body.id}`)).status).toBe(204)
    const lost = await as(maintainer).post(`${at}/notes/999999/award_emoji`, { name: 'heart' })
    expect([lost.status, lost.body]).toEqual([404, { message: '404 Not found' }])
    await as(maintainer).post(under, { name: 'heart' })
    await as(guest).delete(`${at}/notes/${note.id}`)
    expect((await as(guest).get(under)).status).toBe(404)
  })
})
