import { beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { cookieOf } from '../../support/browser-session.ts'
import { world, type World } from '../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const HOUR = 3_600_000
let w: World
let raw: string
beforeAll(async () => {
  w = await world({ clock })
  const { body } = await w.as(w.root).post('/projects', { name: 'Kept', initialize_with_readme: true })
  raw = `!/${body.path_with_namespace}/-/raw/main/README.md`
})

interface Page {
  cookie: string
  'x-csrf-token': string
}

/** Signs in like a browser, which sends the origin of the page. */
async function signInAsPage(
  remember_me = false,
): Promise<Page & { ticket: string; answer: { headers: Headers } }> {
  const credentials = { login: 'root', password: w.root.password, remember_me }
  const answer = await w.as(null).post('/-/session', credentials, { origin: w.url })
  expect(answer.status).toBe(201)
  const { csrf_token, file_ticket } = answer.body
  return { cookie: cookieOf(answer), 'x-csrf-token': csrf_token, ticket: file_ticket, answer }
}

describe('a session of a browser', () => {
  it('refuses its cookie alone', async () => {
    const { cookie } = await signInAsPage()
    const thief = w.as(null)
    const faked = { cookie, origin: w.url, 'sec-fetch-site': 'same-origin', referer: `${w.url}/` }
    for (const headers of [{ cookie }, faked]) {
      expect((await thief.get('/user', headers)).status).toBe(401)
      expect((await thief.get('/projects', headers)).body).toEqual([])
      expect((await thief.get('/-/events', headers)).status).toBe(401)
      expect((await thief.get(raw, headers)).status).toBe(404)
      expect((await thief.post('/projects', { name: 'x' }, headers)).status).toBe(401)
      expect((await thief.put('/users/1', { name: 'x' }, headers)).status).toBe(401)
      const session = await thief.get('/-/session', headers)
      expect([session.body.user, session.body.csrf_token, session.body.file_ticket]).toEqual([
        null,
        null,
        null,
      ])
      expect((await thief.get('/user', { ...headers, 'x-csrf-token': 'guessed' })).status).toBe(401)
      expect((await thief.get('/user?page_ticket=guessed', headers)).status).toBe(401)
      expect((await thief.delete('/-/session', undefined, headers)).status).toBe(401)
    }
  })

  it('accepts the cookie with the token of its page, and with no other', async () => {
    const { cookie, ...page } = await signInAsPage()
    const other = await signInAsPage()
    const headers = { cookie, 'x-csrf-token': page['x-csrf-token'] }
    expect((await w.as(null).get('/user', headers)).body.username).toBe('root')
    expect((await w.as(null).get('/-/session', headers)).body).toMatchObject({
      user: { username: 'root' },
      csrf_token: page['x-csrf-token'],
      file_ticket: page.ticket,
    })
    const crossed = { cookie, 'x-csrf-token': other['x-csrf-token'] }
    expect((await w.as(null).get('/user', crossed)).status).toBe(401)
    expect((await w.as(null).get(`${raw}?page_ticket=${other.ticket}`, { cookie })).status).toBe(404)
  })

  it('opens files by a ticket in the address, which allows no change and expires', async () => {
    const { cookie, ticket, ...page } = await signInAsPage(true)
    const file = `${raw}?page_ticket=${ticket}`
    expect((await w.as(null).get(file, { cookie })).text).toContain('# Kept')
    expect((await w.as(null).get(file)).status).toBe(404)
    expect((await w.as(null).post(`/projects?page_ticket=${ticket}`, { name: 'x' }, { cookie })).status).toBe(
      401,
    )
    clock.advance(6 * HOUR)
    expect((await w.as(null).get(file, { cookie })).status).toBe(200)
    clock.advance(6 * HOUR)
    expect((await w.as(null).get(file, { cookie })).status).toBe(404)
    const headers = { cookie, 'x-csrf-token': page['x-csrf-token'] }
    const { body } = await w.as(null).get('/-/session', headers)
    expect(body.file_ticket).not.toBe(ticket)
    expect((await w.as(null).get(`${raw}?page_ticket=${body.file_ticket}`, { cookie })).status).toBe(200)
  })

  it('answers a typed file address with a page that shows nothing by itself', async () => {
    const { cookie, ticket } = await signInAsPage()
    const accept = 'text/html,application/xhtml+xml'
    for (const path of [raw, '/user']) {
      const answer = await w.as(null).get(path, { cookie, accept })
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([401, 'no-store'])
      expect(answer.text).toContain('deskforge.page')
      expect(answer.text).not.toContain('Kept')
    }
    const opened = await w.as(null).get(`${raw}?page_ticket=${ticket}`, { cookie, accept })
    expect(opened.text).toContain('# Kept')
    expect((await w.as(null).get(raw, { accept })).text).not.toContain('deskforge.page')
  })
})

describe('a session of a program that keeps cookies', () => {
  it('reads by its cookie, and writes with its token', async () => {
    const answer = await w.as(null).post('/-/session', { login: 'root', password: w.root.password })
    const cookie = cookieOf(answer)
    expect(answer.body.file_ticket).toBeNull()
    expect((await w.as(null).get('/user', { cookie })).body.username).toBe('root')
    const headers = { cookie, 'x-csrf-token': answer.body.csrf_token }
    expect((await w.as(null).post('/projects', { name: 'By cookie' }, headers)).status).toBe(201)
    expect((await w.as(null).post('/projects', { name: 'Without' }, { cookie })).status).toBe(401)
  })
})

describe('the maximum age of a session', () => {
  /** Returns the number of days for which a daily user stays signed in. */
  async function daysOf(remember_me: boolean): Promise<number> {
    const page = await signInAsPage(remember_me)
    const headers = { cookie: page.cookie, 'x-csrf-token': page['x-csrf-token'] }
    for (let days = 1; days < 400; days += 1) {
      clock.advance(24 * HOUR)
      if ((await w.as(null).get('/user', headers)).status === 401) return days
      w.ctx().bookkeeping.flush()
    }
    throw new Error('The session does not end.')
  }

  it('ends a session despite use, and later for remembered users', async () => {
    expect([await daysOf(false), await daysOf(true)]).toEqual([14, 30])
  })

  it('is not shorter than the delay in the settings', async () => {
    const settings = { session_expire_delay: 40 * 1440 }
    expect((await w.as(w.root).put('/application/settings', settings)).status).toBe(200)
    expect(await daysOf(false)).toBe(40)
    await w.as(w.root).put('/application/settings', { session_expire_delay: 10_080 })
  })
})
