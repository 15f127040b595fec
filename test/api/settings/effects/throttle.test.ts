import { afterEach, beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { signIn } from '../../../support/browser-session.ts'
import { world, type Answer, type TestUser, type World } from '../../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
let w: World
let ann: TestUser
let ben: TestUser
let group: { id: number }
let project: { id: number; path_with_namespace: string }
beforeAll(async () => {
  w = await world({ clock })
  ann = w.make.user()
  ben = w.make.user()
  group = await w.make.group({ visibility: 'public' })
  project = await w.make.project({ visibility: 'public' })
})
afterEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
  clock.advance(3_600_000)
})
const set = async (changes: object) => {
  const { status, text } = await w.as(w.root).put('/application/settings', changes)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}
/** Returns settings that allow two requests in 30 seconds. */
const on = (name: string) => ({
  [`throttle_${name}_enabled`]: true,
  [`throttle_${name}_requests_per_period`]: 2,
  [`throttle_${name}_period_in_seconds`]: 30,
})
const fields = (answer: Answer) =>
  ['Name', 'Limit', 'Observed', 'Remaining', 'Reset', 'ResetTime'].map((name) =>
    answer.headers.get(`RateLimit-${name}`),
  )
const git = (user: TestUser | null) => ({
  path: `!/${project.path_with_namespace}.git/info/refs?service=git-upload-pack`,
  headers: user
    ? { authorization: `Basic ${Buffer.from(`${user.username}:${user.token}`).toString('base64')}` }
    : undefined,
})
const lfs = () => `!/${project.path_with_namespace}.git/info/lfs/objects/abc`

/** Requests that each throttle counts, and requests that it does not count. */
const visitors = [
  {
    settings: [
      'throttle_unauthenticated_enabled',
      'throttle_unauthenticated_requests_per_period',
      'throttle_unauthenticated_period_in_seconds',
    ],
    name: 'unauthenticated',
    said: 'unauthenticated_web',
    counted: () => w.as(null).get('/-/session'),
    free: () => w.as(null).get('/projects'),
  },
  {
    settings: [
      'throttle_unauthenticated_api_enabled',
      'throttle_unauthenticated_api_requests_per_period',
      'throttle_unauthenticated_api_period_in_seconds',
    ],
    name: 'unauthenticated_api',
    counted: () => w.as(null).get('/projects'),
    free: () => w.as(null).get('/-/session'),
  },
  {
    settings: [
      'throttle_unauthenticated_packages_api_enabled',
      'throttle_unauthenticated_packages_api_requests_per_period',
      'throttle_unauthenticated_packages_api_period_in_seconds',
    ],
    name: 'unauthenticated_packages_api',
    counted: () => w.as(null).get(`/projects/${project.id}/packages/generic/a/1/b`),
    free: () => w.as(null).get('/projects'),
  },
  {
    settings: [
      'throttle_unauthenticated_files_api_enabled',
      'throttle_unauthenticated_files_api_requests_per_period',
      'throttle_unauthenticated_files_api_period_in_seconds',
    ],
    name: 'unauthenticated_files_api',
    counted: () => w.as(null).get(`/projects/${project.id}/repository/files/README.md?ref=main`),
    free: () => w.as(null).get(`/projects/${project.id}/repository/branches`),
  },
  {
    settings: [
      'throttle_unauthenticated_deprecated_api_enabled',
      'throttle_unauthenticated_deprecated_api_requests_per_period',
      'throttle_unauthenticated_deprecated_api_period_in_seconds',
    ],
    name: 'unauthenticated_deprecated_api',
    counted: () => w.as(null).get(`/groups/${group.id}`),
    free: () => w.as(null).get(`/groups/${group.id}?with_projects=false`),
  },
  {
    settings: [
      'throttle_unauthenticated_git_lfs_enabled',
      'throttle_unauthenticated_git_lfs_requests_per_period',
      'throttle_unauthenticated_git_lfs_period_in_seconds',
    ],
    name: 'unauthenticated_git_lfs',
    counted: () => w.as(null).get(lfs()),
    free: () => w.as(null).get(git(null).path),
  },
]

const users = [
  {
    settings: [
      'throttle_authenticated_api_enabled',
      'throttle_authenticated_api_requests_per_period',
      'throttle_authenticated_api_period_in_seconds',
    ],
    name: 'authenticated_api',
    counted: (user: TestUser) => w.as(user).get('/user'),
    free: () => w.as(null).get('/projects'),
  },
  {
    settings: [
      'throttle_authenticated_web_enabled',
      'throttle_authenticated_web_requests_per_period',
      'throttle_authenticated_web_period_in_seconds',
    ],
    name: 'authenticated_web',
    counted: (user: TestUser) => w.as(user).get('/-/session'),
    free: () => w.as(ann).get('/user'),
  },
  {
    settings: [
      'throttle_authenticated_packages_api_enabled',
      'throttle_authenticated_packages_api_requests_per_period',
      'throttle_authenticated_packages_api_period_in_seconds',
    ],
    name: 'authenticated_packages_api',
    counted: (user: TestUser) => w.as(user).get(`/projects/${project.id}/packages/npm/a`),
    free: () => w.as(ann).get('/user'),
  },
  {
    settings: [
      'throttle_authenticated_files_api_enabled',
      'throttle_authenticated_files_api_requests_per_period',
      'throttle_authenticated_files_api_period_in_seconds',
    ],
    name: 'authenticated_files_api',
    counted: (user: TestUser) =>
      w.as(user).get(`/projects/${project.id}/repository/files/README.md/raw?ref=main`),
    free: () => w.as(ann).get('/user'),
  },
  {
    settings: [
      'throttle_authenticated_deprecated_api_enabled',
      'throttle_authenticated_deprecated_api_requests_per_period',
      'throttle_authenticated_deprecated_api_period_in_seconds',
    ],
    name: 'authenticated_deprecated_api',
    counted: (user: TestUser) => w.as(user).get(`/groups/${group.id}`),
    free: () => w.as(ann).get(`/groups/${group.id}/projects`),
  },
  {
    settings: [
      'throttle_authenticated_git_lfs_enabled',
      'throttle_authenticated_git_lfs_requests_per_period',
      'throttle_authenticated_git_lfs_period_in_seconds',
    ],
    name: 'authenticated_git_lfs',
    counted: (user: TestUser) => w.as(user).get(lfs()),
    free: () => w.as(ann).get('/-/session'),
  },
]

describe('a throttle for anonymous requests', () => {
  it.each(visitors)(
    '$name counts by address',
    async ({ settings, name, said: headerName = name, counted, free }) => {
      expect(Object.keys(on(name)).sort()).toEqual([...settings].sort())
      const before = await counted()
      expect([before.status === 429, before.headers.get('ratelimit-name')]).toEqual([false, null])
      await set(on(name))
      const [first, second, third] = [await counted(), await counted(), await counted()]
      const reset = String(clock.now() / 1000 + 30)
      const rest = [reset, new Date(Number(reset) * 1000).toUTCString()]
      expect(first.status).not.toBe(429)
      expect(fields(first)).toEqual([`throttle_${headerName}`, '4', '1', '1', ...rest])
      expect([second.status === 429, third.status, third.text]).toEqual([false, 429, 'Retry later\n'])
      expect(third.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(fields(third)).toEqual([`throttle_${headerName}`, '4', '3', '0', ...rest])
      expect([third.headers.get('retry-after'), second.headers.get('retry-after')]).toEqual(['30', null])
      expect((await free()).headers.get('ratelimit-name')).toBeNull()
      expect((await w.as(ann).get('/user')).status).toBe(200)
      clock.advance(30_000)
      expect((await counted()).status).not.toBe(429)
    },
  )
})

describe('a throttle for users', () => {
  it.each(users)('$name counts by user', async ({ settings, name, counted, free }) => {
    expect(Object.keys(on(name)).sort()).toEqual([...settings].sort())
    await set(on(name))
    const [first, second, third] = [await counted(ann), await counted(ann), await counted(ann)]
    expect([first, second, third].map((answer) => answer.status === 429)).toEqual([false, false, true])
    expect(fields(first).slice(0, 4)).toEqual([`throttle_${name}`, '4', '1', '1'])
    expect([third.text, third.headers.get('retry-after')]).toEqual(['Retry later\n', '30'])
    const other = await counted(ben)
    expect([other.status === 429, fields(other)[2]]).toEqual([false, '1'])
    const untouched = name === 'authenticated_api' ? [null] : [null, `throttle_${name}`]
    expect(untouched).toContain((await free()).headers.get('ratelimit-name'))
    clock.advance(30_000)
    expect((await counted(ann)).status).not.toBe(429)
  })

  it('recognizes users by any credential, and counts invalid credentials as anonymous', async () => {
    await set({ ...on('authenticated_api'), ...on('unauthenticated_api') })
    const { token } = ann
    const name = async (headers: Record<string, string>, query = '') =>
      fields(await w.as(null).get(`/user${query}`, headers)).slice(0, 3)
    expect(await name({ authorization: `Bearer ${token}` })).toEqual(['throttle_authenticated_api', '4', '1'])
    expect(await name({}, `?private_token=${token}`)).toEqual(['throttle_authenticated_api', '4', '2'])
    expect(await name({ 'private-token': token })).toEqual(['throttle_authenticated_api', '4', '3'])
    expect(await name({ 'private-token': 'wrong' })).toEqual(['throttle_unauthenticated_api', '4', '1'])
    expect(await name({ 'private-token': w.root.token, sudo: ann.username })).toEqual([
      'throttle_authenticated_api',
      '4',
      '1',
    ])
  })

  it('counts API requests of the window as page requests', async () => {
    const window = await signIn(w)
    await set({ ...on('authenticated_api'), ...on('authenticated_web') })
    const answer = await window.get('/user', { 'x-csrf-token': window.csrf })
    expect([answer.status, fields(answer)[0]]).toEqual([200, 'throttle_authenticated_web'])
    expect(fields(await window.get('/user'))[0]).toBe('throttle_authenticated_api')
  })

  it('counts git over HTTP as page requests of the authenticated user', async () => {
    await set({ ...on('authenticated_web'), ...on('unauthenticated') })
    const ask = (user: TestUser | null) => w.as(null).get(git(user).path, git(user).headers)
    const answers = [await ask(ann), await ask(ann), await ask(ann)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect([fields(answers[0]!)[0], answers[2]!.text]).toEqual([
      'throttle_authenticated_web',
      'Retry later\n',
    ])
    expect((await ask(ben)).status).toBe(200)
    const visitor = await ask(null)
    expect([visitor.status, ...fields(visitor).slice(0, 3)]).toEqual([
      200,
      'throttle_unauthenticated_web',
      '4',
      '1',
    ])
    const wrong = await ask({ ...ann, token: 'wrong' })
    expect([wrong.status, ...fields(wrong).slice(0, 3)]).toEqual([
      401,
      'throttle_unauthenticated_web',
      '4',
      '2',
    ])
  })
})

describe('throttles', () => {
  it('of a part of the API replace the general one', async () => {
    await set({ ...on('authenticated_api'), ...on('authenticated_deprecated_api') })
    expect(fields(await w.as(ann).get(`/groups/${group.id}`))[0]).toBe(
      'throttle_authenticated_deprecated_api',
    )
    await set({ throttle_authenticated_deprecated_api_enabled: false })
    expect(fields(await w.as(ann).get(`/groups/${group.id}`))[0]).toBe('throttle_authenticated_api')
  })

  it('exempt health checks, and runners that poll', async () => {
    await set({ ...on('unauthenticated'), ...on('unauthenticated_api') })
    for (const path of ['/-/health', '/-/liveness', '/-/readiness', '/-/health'])
      expect((await w.as(null).get(path)).status).toBe(200)
    for (let count = 0; count < 3; count++)
      expect((await w.as(null).post('/jobs/request', { token: 'x' })).status).toBe(403)
  })

  it('exempt the icon, but not a group with the same name', async () => {
    await set(on('unauthenticated'))
    const statuses = async (path: string): Promise<number[]> => {
      const answers = [1, 2, 3].map(async () => (await w.as(null).get(`!${path}`)).status)
      return (await Promise.all(answers)).toSorted((a, b) => a - b)
    }
    expect(await statuses('/favicon.ico')).not.toContain(429)
    expect((await statuses('/favicon-of-mine/project/-/raw/main/a.txt')).at(-1)).toBe(429)
  })

  it('protected_paths: counts writes to the listed paths, including sign-ins only if listed', async () => {
    const numbers = on('protected_paths')
    await set({ ...numbers, protected_paths: ['/api/v4/markdown'] })
    const send = () => w.as(null).post('/markdown', { text: 'a' })
    const answers = [await send(), await send(), await send()]
    expect(answers.map(({ status }) => status === 429)).toEqual([false, false, true])
    expect(fields(answers[2]!)[0]).toBe('throttle_protected_paths')
    const guess = () => w.as(null).post('/-/session', { login: 'nobody', password: 'wrong' })
    for (let count = 0; count < 4; count++) expect((await guess()).status).toBe(401)
    await set({ protected_paths_raw: '/users/sign_in;/x' })
    const guesses = [await guess(), await guess(), await guess()]
    expect(guesses.map(({ status }) => status)).toEqual([401, 401, 429])
  })
})
