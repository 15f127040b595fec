import { beforeAll, beforeEach, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { world, type TestUser } from '../../../support/world.ts'
import { demoCode } from './demo-repository.ts'
import { demoResponses } from './demo-responses.ts'
import { stubHost } from './stub-host.ts'

const clock = frozenClock('2026-11-22T10:00:00Z')
const w = await world({ clock })
const host = await stubHost()
let alice: TestUser
let group: { id: number; full_path: string }

beforeAll(async () => {
  alice = w.make.user({ username: 'alice' })
  await w.as(w.root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  group = await w.make.group()
  await w.make.member('groups', group.id, alice, 20)
  demoResponses(host, demoCode(host))
})

// Each test starts in its own minute, because the requests of a minute are counted.
beforeEach(() => clock.advance(61_000))

const begin = (params: object = {}, user: TestUser | null = w.root) =>
  w.as(user).post('/import/github', {
    personal_access_token: host.token,
    repo_id: 4711,
    target_namespace: 'root',
    github_hostname: host.url,
    ...params,
  })

const refused = async (params: object, user?: TestUser): Promise<[number, unknown]> => {
  const { status, body } = await begin(params, user)
  return [status, body]
}

it('an import requires its parameters', async () => {
  expect((await begin({}, null)).status).toBe(401)
  expect(await refused({ repo_id: undefined })).toEqual([400, { error: 'repo_id is missing' }])
  expect(await refused({ personal_access_token: undefined })).toEqual([
    400,
    { error: 'personal_access_token is missing' },
  ])
  expect(await refused({ target_namespace: undefined })).toEqual([
    400,
    { error: 'target_namespace is missing' },
  ])
})

it('an import is refused if the settings disable the source', async () => {
  const before = (await w.as(w.root).get('/application/settings')).body.import_sources
  await w.as(w.root).put('/application/settings', { import_sources: ['git'] })
  expect((await begin()).status).toBe(403)
  expect((await w.as(w.root).post('/import/github/gists', { personal_access_token: 'x' })).status).toBe(403)
  expect(
    (await w.as(w.root).post('/-/imports/host_a/repositories', { personal_access_token: 'x' })).status,
  ).toBe(403)
  await w.as(w.root).put('/application/settings', { import_sources: before })
})

it('an import refuses invalid addresses', async () => {
  expect(await refused({ github_hostname: 'ftp://there' })).toEqual([
    400,
    { errors: 'Invalid URL: ftp://there' },
  ])
  expect(await refused({ github_hostname: 'nonsense' })).toEqual([400, { errors: 'Invalid URL: nonsense' }])
})

it('an import sends no requests to the local network unless the settings allow it', async () => {
  await w.as(w.root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: false })
  expect(await refused({})).toEqual([400, { errors: `Invalid URL: ${host.url}` }])
  await w.as(w.root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
})

it('an import requires a namespace that the caller may use', async () => {
  const missing = 'Namespace or group to import repository into does not exist.'
  expect(await refused({ target_namespace: 'nowhere' })).toEqual([422, { errors: missing }])
  expect(await refused({ target_namespace: ' ' })).toEqual([422, { errors: missing }])
  expect(await refused({ target_namespace: group.full_path }, alice)).toEqual([
    422,
    { errors: 'You are not allowed to import projects in this namespace.' },
  ])
})

it('an import returns the error of the other host', async () => {
  expect(await refused({ personal_access_token: 'wrong' })).toEqual([
    401,
    { error: 'Access denied to your GitHub account.' },
  ])
  expect(await refused({ repo_id: 1 })).toEqual([
    422,
    { errors: 'Import failed due to a GitHub error: Not Found (HTTP 404)' },
  ])
  host.faults.push({ at: /4711/, status: 429, headers: { 'retry-after': '60' } })
  expect(await refused({})).toEqual([429, { error: 'Too Many Requests' }])
})

it('an import respects the largest repository size, and refuses invalid and taken names', async () => {
  await w.as(w.root).put('/application/settings', { repository_size_limit: 1 })
  host.responses['/repositories/4799'] = { ...(host.responses['/repositories/4711'] as object), size: 4096 }
  expect(await refused({ repo_id: 4799 })).toEqual([
    422,
    { errors: '"demo" size (4 MB) is larger than the limit of 1 MB.' },
  ])
  await w.as(w.root).put('/application/settings', { repository_size_limit: 0 })
  await w.make.project({ name: 'taken' })
  expect(await refused({ new_name: 'taken' })).toEqual([422, { errors: 'Name has already been taken' }])
  expect(await refused({ new_name: 'not (allowed)' })).toEqual([
    422,
    { errors: expect.stringMatching(/^Name can contain only/) },
  ])
})

it('the importer limits the requests of a user', async () => {
  for (let count = 0; count < 6; count++) await begin({ repo_id: 1 }, alice)
  expect((await begin({ repo_id: 1 }, alice)).status).toBe(429)
})

it('the importer lists the repositories of a token', async () => {
  const ask = (params: object) =>
    w.as(w.root).post('/-/imports/host_a/repositories', {
      personal_access_token: host.token,
      hostA_hostname: host.url,
      ...params,
    })
  const first = await ask({})
  expect(first.status, first.text).toBe(200)
  expect(first.body.map((repository: { full_name: string }) => repository.full_name)).toEqual([
    'octo/demo',
    'octo/other',
  ])
  expect(first.headers.get('x-next-page')).toBe('2')
  expect(first.body[0]).toEqual({
    id: 4711,
    full_name: 'octo/demo',
    description: 'A *demo* of another host',
    private: false,
    size: 12_288,
    language: 'Text',
    updated_at: '2024-03-01T20:00:00Z',
    imported_as: null,
  })
  const second = await ask({ page: 2 })
  expect(second.body).toMatchObject([{ full_name: 'octo/third' }])
  expect(second.headers.get('x-next-page')).toBe('')
  host.responses['/search/repositories'] = { total_count: 1, items: [host.responses['/repositories/4711']] }
  const found = await ask({ search: 'dem' })
  expect(found.body).toHaveLength(1)
  const query = new URLSearchParams(host.requests.at(-1)!.path.split('?')[1])
  expect(query.get('q')).toBe('dem in:name fork:true user:octo')
  expect((await ask({ personal_access_token: 'wrong' })).body).toEqual({
    error: 'Access denied to your GitHub account.',
  })
})

it('the importer imports gists as snippets', async () => {
  const gist = (id: string, more: object) => ({
    id,
    public: true,
    description: `Gist ${id}`,
    files: {},
    ...more,
  })
  host.responses['/gists'] = [gist('a', {}), gist('b', {}), gist('c', {})]
  host.responses['/gists/a'] = gist('a', {
    files: {
      'one.txt': { filename: 'one.txt', content: 'one\n' },
      'two.txt': { filename: 'two.txt', content: 'two\n' },
    },
  })
  host.responses['/gists/b'] = gist('b', {
    public: false,
    description: '',
    files: { 'b.md': { filename: 'b.md', content: '# b\n' } },
  })
  host.responses['/gists/c'] = gist('c', {
    files: Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [`${index}`, { filename: `${index}`, content: 'x' }]),
    ),
  })
  host.faults.push({ at: /^\/gists\/b/, status: 429, headers: { 'retry-after': '120' } })
  const params = { personal_access_token: host.token, github_hostname: host.url }
  const begun = await w.as(alice).post('/import/github/gists', params)
  expect([begun.status, begun.body]).toEqual([202, { message: '202 Accepted' }])
  await w.drain()
  expect((await w.as(alice).post('/import/github/gists', params)).body).toEqual({
    errors: 'Import already in progress',
  })
  clock.advance(121_000)
  await w.drain()
  const snippets = (await w.as(alice).get('/snippets')).body
  const shown = snippets.map((snippet: { title: string; visibility: string; files: object[] }) => [
    snippet.title,
    snippet.visibility,
    snippet.files.length,
  ])
  expect(shown.toSorted()).toEqual([
    ['Gist a', 'public', 2],
    ['b.md', 'private', 1],
  ])
  expect(
    (await w.as(alice).post('/import/github/gists', { ...params, personal_access_token: 'wrong' })).status,
  ).toBe(401)
})

it('an import follows a renamed repository, and sends the token to no other host', async () => {
  const elsewhere = await stubHost()
  demoResponses(elsewhere, {} as never)
  const to = (url: string) => ({ at: /^\/repositories\/4711$/, status: 301, headers: { location: url } })
  host.faults.push(to(`${host.url}/api/v3/repositories/4711?renamed=1`))
  const begun = await begin({ new_name: 'renamed' })
  expect(begun.status, begun.text).toBe(201)
  host.faults.push(to(`${elsewhere.url}/api/v3/repositories/4711`))
  expect((await begin({ new_name: 'elsewhere' })).status).toBe(401)
  expect(elsewhere.requests.map((request) => request.authorization)).toEqual([''])
})
