import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { inspectorOf } from './support.ts'

const here = await world()
const root = here.as(here.root)
const inspector = inspectorOf(here)
const project = await here.make.project({ with: 'readme' })
const user = here.make.user({ username: 'reader' })
await inspector.switchTo({ recording: true })
await root.get('/version')
await root.get('/projects/99999')
await here.as(user).get('/user')
await here.as(null).get('/user')
await root.post(
  `/projects/${project.id}/labels`,
  { name: 'one', color: '#112233' },
  { 'user-agent': 'robot/1.0' },
)

const targets = async (query: string) =>
  (await inspector.list(query)).map(({ target }: { target: string }) => target)

describe('the list', () => {
  it.each([
    ['&status=404', ['/api/v4/projects/99999']],
    ['&status=4xx', ['/api/v4/user', '/api/v4/projects/99999']],
    ['&client=reader', ['/api/v4/user']],
    ['&client=robot', [`/api/v4/projects/${project.id}/labels`]],
    ['&credential=none', ['/api/v4/user']],
    ['&method=post', [`/api/v4/projects/${project.id}/labels`]],
    ['&path=VERSION', ['/api/v4/version']],
    ['&path=/projects/:id/labels', [`/api/v4/projects/${project.id}/labels`]],
    ['&slower_than=100000', []],
    ['&slower_than=0&method=POST', [`/api/v4/projects/${project.id}/labels`]],
    ['&hint=any', []],
  ])('is filtered by %s', async (query, expected) => {
    expect(await targets(query)).toEqual(expected)
  })

  it('is paged, newest first, and can return only later requests than a given one', async () => {
    const all = await inspector.list()
    const page = await root.get('/-/workbench/inspector/requests?per_page=2&page=2')
    expect(page.body.map(({ id }: { id: number }) => id)).toEqual([all[2].id, all[3].id])
    expect(page.headers.get('x-total')).toBe(String(all.length))
    expect((await inspector.list(`&after=${all[1].id}`)).map(({ id }: { id: number }) => id)).toEqual([
      all[0].id,
    ])
  })

  it('returns 400 for invalid filters', async () => {
    const wrong = await root.get('/-/workbench/inspector/requests?hint=nothing&slower_than=x')
    expect(wrong.status).toBe(400)
    expect(wrong.body.error).toBe('slower_than is invalid, hint does not have a valid value')
  })
})

describe('the HTTP archive', () => {
  it('has the fields that other tools read', async () => {
    const answer = await inspector.har('?method=POST')
    expect(answer.headers.get('content-disposition')).toContain('deskforge.har')
    const { log } = JSON.parse(answer.text)
    expect(log.version).toBe('1.2')
    expect(log.entries).toHaveLength(1)
    const [entry] = log.entries
    expect(entry.request).toMatchObject({
      method: 'POST',
      url: `${here.url}/api/v4/projects/${project.id}/labels`,
    })
    expect(JSON.parse(entry.request.postData.text)).toEqual({ name: 'one', color: '#112233' })
    expect(entry.response).toMatchObject({ status: 201, content: { mimeType: 'application/json' } })
    expect(entry._deskforge.statements.length).toBeGreaterThan(0)
  })

  it('has only the requested records', async () => {
    const [{ id }] = await inspector.list('&path=version')
    const { log } = JSON.parse((await inspector.har(`?ids[]=${id}`)).text)
    expect(log.entries.map((entry: { request: { url: string } }) => entry.request.url)).toEqual([
      `${here.url}/api/v4/version`,
    ])
  })
})

describe('a comparison', () => {
  it('lists only differences', async () => {
    const first = await inspector.of(await root.get(`/projects/${project.id}/labels?per_page=1`))
    await root.post(`/projects/${project.id}/labels`, { name: 'two', color: '#445566' })
    const second = await inspector.of(await root.get(`/projects/${project.id}/labels?per_page=1`))
    const { differences } = await inspector.compare(first.id, second.id)
    const found = new Map(
      differences.map((difference: { part: string; name: string; left: string; right: string }) => [
        `${difference.part} ${difference.name}`,
        [difference.left, difference.right],
      ]),
    )
    expect(found.get('headers x-total')).toEqual(['1', '2'])
    expect(found.has('request target')).toBe(false)
    expect(found.has('answer status')).toBe(false)
    const same = await inspector.compare(first.id, first.id)
    expect(same.differences).toEqual([])
  })
})

describe('replaying a request', () => {
  it('sends it again in the name of the same user', async () => {
    const recorded = await inspector.of(await here.as(user).get('/user'))
    const again = await inspector.replay(recorded.id)
    expect(again.status, again.text).toBe(201)
    expect(again.body).toMatchObject({ target: '/api/v4/user', status: 200, actor: { username: 'root' } })
    expect(again.body.id).toBeGreaterThan(recorded.id)
    expect(JSON.parse(again.body.answer_body.text).username).toBe('root')
  })

  it('accepts changes of the method, target, headers and body', async () => {
    const recorded = await inspector.of(await root.get('/version'))
    const again = await inspector.replay(recorded.id, {
      method: 'POST',
      target: `/api/v4/projects/${project.id}/labels`,
      headers: { 'x-note': 'hello', 'private-token': 'another', host: 'evil.example' },
      body: JSON.stringify({ name: 'by replay', color: '#778899' }),
    })
    expect(again.body, again.text).toMatchObject({ status: 201, method: 'POST', actor: { username: 'root' } })
    expect(again.body.request_headers['x-note']).toBe('hello')
    const labels = await root.get(`/projects/${project.id}/labels`)
    expect(labels.body.map(({ name }: { name: string }) => name)).toContain('by replay')
  })

  it.each([
    ['http://example.com/api/v4/user', 'target must be a path of this instance'],
    ['//example.com/api/v4/user', 'target must be a path of this instance'],
    ['/\\example.com/api/v4/user', 'target must be a path of this instance'],
    ['/-/workbench/inspector', 'Requests to this path cannot be sent again.'],
    ['/index.html', 'Requests to this path cannot be sent again.'],
  ])('refuses the address %s', async (target, message) => {
    const recorded = await inspector.of(await root.get('/version'))
    const again = await inspector.replay(recorded.id, { target })
    expect([again.status, again.body.message]).toEqual([400, message])
  })

  it('refuses a request with masked values', async () => {
    const recorded = await inspector.of(
      await root.post(`/projects/${project.id}/variables`, { key: 'A', value: 'a secret value' }),
    )
    const again = await inspector.replay(recorded.id)
    expect(again.status).toBe(400)
    expect(again.body.message).toContain('[masked]')
    const edited = await inspector.replay(recorded.id, {
      body: JSON.stringify({ key: 'B', value: 'another' }),
    })
    expect(edited.body, edited.text).toMatchObject({ status: 201 })
  })
})

describe('permission', () => {
  const paths = [
    ['get', ''],
    ['put', ''],
    ['get', '/requests'],
    ['get', '/requests/1'],
    ['delete', '/requests'],
    ['post', '/requests/1/replay'],
    ['get', '/har'],
    ['get', '/comparison?left=1&right=2'],
  ] as const

  it.each(paths)('refuses %s %s to everybody else', async (method, path) => {
    const at = `/-/workbench/inspector${path}`
    expect((await here.as(user)[method](at)).status).toBe(403)
    expect((await here.as(null)[method](at)).status).toBe(401)
  })
})

describe('limits', () => {
  it('store only the beginning of large bodies, and mark them as truncated', async () => {
    const long = 'x'.repeat(300_000)
    const issue = await root.post(`/projects/${project.id}/issues`, { title: 'long', description: long })
    const record = await inspector.of(issue)
    expect(record.request_body).toMatchObject({ is_cut: true, note: null })
    expect(record.request_body.text.length).toBe(65_536)
    expect(record.answer_body.text.length).toBeLessThanOrEqual(65_536)
    expect(record.answer_body.is_cut).toBe(true)
    expect((await inspector.replay(record.id)).status).toBe(400)
  })
})
