import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

let now = Date.parse('2026-05-01T10:00:00Z')
const w = await world({ clock: { now: () => now } })
const { as, make } = w
const user = make.user()
const at = '/broadcast_messages'

describe('broadcast messages', () => {
  it('are shown for an hour by default', async () => {
    const { status, body } = await as(w.root).post(at, { message: 'Back **soon**' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: body.id,
      message: 'Back **soon**',
      starts_at: '2026-05-01T10:00:00.000Z',
      ends_at: '2026-05-01T11:00:00.000Z',
      color: null,
      font: null,
      target_access_levels: [],
      target_path: null,
      broadcast_type: 'banner',
      theme: 'indigo',
      dismissable: false,
      active: true,
    })
    const shown = () => fetch(`${w.url}/-/broadcast_messages`).then((answer) => answer.json())
    expect(await shown()).toMatchObject([{ message_html: expect.stringContaining('<strong>soon</strong>') }])
    now += 3_600_000
    expect((await as(null).get(`${at}/${body.id}`)).body.active).toBe(false)
    expect(await shown()).toEqual([])
  })

  it('are read by everybody and created by administrators', async () => {
    expect((await as(null).get(at)).status).toBe(200)
    expect((await as(null).post(at, { message: 'x' })).status).toBe(401)
    expect((await as(user).post(at, { message: 'x' })).status).toBe(403)
    expect((await as(user).delete(`${at}/1`)).status).toBe(403)
  })

  it('are updated and deleted', async () => {
    const { body } = await as(w.root).post(at, {
      message: 'One',
      target_access_levels: [30, 40],
      target_path: '*/welcome',
      broadcast_type: 'notification',
      dismissable: true,
      color: '#abc',
    })
    const changed = await as(w.root).put(`${at}/${body.id}`, { message: 'Two', ends_at: '2026-06-01' })
    expect(changed.body).toEqual({ ...body, message: 'Two', ends_at: '2026-06-01T00:00:00.000Z' })
    expect((await as(w.root).delete(`${at}/${body.id}`)).status).toBe(204)
    expect((await as(null).get(`${at}/${body.id}`)).body).toEqual({ message: '404 Not Found' })
    expect((await as(w.root).put(`${at}/${body.id}`, { message: 'x' })).status).toBe(404)
  })

  it.each([
    [{}, 'message is missing'],
    [{ message: ' ' }, "can't be blank"],
    [{ message: 'x', color: 'blue' }, 'must be a valid color code'],
    [{ message: 'x', ends_at: '2020-01-01T00:00:00Z' }, 'must be after the start'],
    [{ message: 'x', broadcast_type: 'shout' }, 'broadcast_type does not have a valid value'],
    [{ message: 'x', target_access_levels: [7] }, 'target_access_levels'],
  ])('refuse %j', async (params, text) => {
    const { status, body } = await as(w.root).post(at, params)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(text)])
  })
})
