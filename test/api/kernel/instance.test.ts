import { get } from 'node:http'

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})

describe('health', () => {
  it('needs no sign-in', async () => {
    const health = await w.as(null).get('/-/health')
    expect([health.status, health.text, health.headers.get('content-type')]).toEqual([
      200,
      'GitLab OK',
      'text/plain; charset=utf-8',
    ])
    expect((await w.as(null).get('/-/liveness')).body).toEqual({ status: 'ok' })
    expect((await w.as(null).get('/-/readiness')).body).toEqual({
      status: 'ok',
      master_check: [{ status: 'ok' }],
    })
    expect((await w.as(null).get('/-/readiness?all=1')).body).toEqual({
      status: 'ok',
      master_check: [{ status: 'ok' }],
      db_check: [{ status: 'ok' }],
    })
    expect((await w.as(null).head('/-/health')).status).toBe(200)
    expect((await w.as(null).post('/-/health')).status).toBe(405)
  })
})

describe('the page of the documentation', () => {
  it('loads nothing from other hosts', async () => {
    const page = await w.as(null).get('/-/docs')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("script-src 'self';")
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\/|<script>|\son\w+=/)
    const script = await w.as(null).get('/-/docs/start.js')
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect((await w.as(null).get('/-/docs/other.js')).status).toBe(404)
  })
})

/** Listens until the test ends. `next` resolves with the next event, `ended` when the instance closes the stream. */
async function listen(user: TestUser | null, headers: Record<string, string> = {}) {
  const events: { name: string; [key: string]: unknown }[] = []
  let wake = (): void => undefined
  let hangUp = (): void => undefined
  const ended = new Promise<void>((resolve) => (hangUp = resolve))
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const request = get(
      `${w.url}/-/events`,
      { headers: { ...(user ? { 'private-token': user.token } : {}), ...headers } },
      resolve,
    )
    request.on('error', reject)
    onTestFinished(() => void request.destroy())
  })
  let buffer = ''
  response.setEncoding('utf8').on('error', () => undefined)
  response.on('end', () => hangUp())
  const opened = new Promise<void>((resolve) => response.once('data', () => resolve()))
  response.on('data', (text: string) => {
    buffer += text
    for (const block of buffer.split('\n\n').slice(0, -1)) {
      const data = /^event: event\ndata: (.*)$/.exec(block)?.[1]
      if (data) events.push(JSON.parse(data) as { name: string })
    }
    buffer = buffer.slice(buffer.lastIndexOf('\n\n') + 2)
    wake()
  })
  if (response.statusCode === 200) await opened
  const until = async (name: string): Promise<void> => {
    while (!events.some((event) => event.name === name))
      await new Promise<void>((resolve) => (wake = resolve))
  }
  return { status: response.statusCode, headers: response.headers, events, until, ended }
}

describe('the event stream', () => {
  it('returns 401 without valid credentials', async () => {
    expect((await listen(null)).status).toBe(401)
    expect((await listen({ ...w.root, token: 'wrong' })).status).toBe(401)
    const { status, headers } = await listen(w.root)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ])
  })

  it('sends each user the events that they may see', async () => {
    const [owner, stranger] = [w.make.user(), w.make.user()]
    const [admin, mine, other] = [await listen(w.root), await listen(owner), await listen(stranger)]
    const hidden = await w.make.project({ owner })
    const open = await w.make.project({ owner, visibility: 'internal' })
    const ids = (received: { events: { [key: string]: unknown }[] }) =>
      new Set(received.events.flatMap((event) => event['project_id'] ?? []))
    await w.make.member('projects', open.id, stranger, 30)
    await Promise.all([admin, mine, other].map((stream) => stream.until('member.added')))
    expect(ids(admin)).toEqual(new Set([hidden.id, open.id]))
    expect(ids(mine)).toEqual(new Set([hidden.id, open.id]))
    expect(ids(other)).toEqual(new Set([open.id]))
  })

  it('returns 429 for the 101st stream of a user', async () => {
    const [user, other, third] = [w.make.user(), w.make.user(), w.make.user()]
    const received = await Promise.all(Array.from({ length: 100 }, () => listen(user)))
    expect(new Set(received.map((stream) => stream.status))).toEqual(new Set([200]))
    expect((await listen(user)).status).toBe(429)
    expect((await listen(other)).status).toBe(200)
    const state = (to: string) => w.ctx().db.exec('UPDATE users SET state = ? WHERE id = ?', to, user.id)
    state('blocked')
    await w.make.project({ owner: third, visibility: 'public' })
    await Promise.all(received.map((stream) => stream.ended))
    state('active')
    expect((await listen(user)).status).toBe(200)
  })

  it('ends when the credentials become invalid', async () => {
    const [user, other] = [w.make.user(), w.make.user()]
    const [received, watcher] = [await listen(user), await listen(w.root)]
    w.ctx().db.exec("UPDATE users SET state = 'blocked' WHERE id = ?", user.id)
    const before = received.events.length
    await w.make.project({ owner: other, visibility: 'public' })
    await watcher.until('project.created')
    await received.ended
    expect(received.events.length).toBe(before)
  })
})

describe('one instance', () => {
  it('refuses a second instance on its data folder', async () => {
    await expect(world({ dataDir: w.dataDir })).rejects.toThrow(
      /^Another instance \(process \d+, http.*\) already uses/,
    )
  })
})
