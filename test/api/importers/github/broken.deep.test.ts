import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { world, type World } from '../../../support/world.ts'
import { demoCode } from './demo-repository.ts'
import { demoResponses, plainResponses, withoutPulls } from './demo-responses.ts'
import { stubHost } from './stub-host.ts'

const clock = frozenClock('2026-11-22T10:00:00Z')
const w = await world({ clock })
const host = await stubHost()
let number = 0

beforeAll(async () => {
  w.make.user({ username: 'alice' })
  await w.as(w.root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
})

beforeEach(() => {
  clock.advance(61_000)
  demoResponses(host, demoCodeOnce())
})

afterEach(() => {
  host.watch = undefined
  host.faults.length = 0
})

let commits: ReturnType<typeof demoCode> | undefined
const demoCodeOnce = () => (commits ??= demoCode(host))

async function begin(on: World = w): Promise<number> {
  const answer = await on.as(on.root).post('/import/github', {
    personal_access_token: host.token,
    repo_id: 4711,
    target_namespace: 'root',
    new_name: `import-${++number}`,
    github_hostname: host.url,
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

const status = async (id: number) => (await w.as(w.root).get(`/projects/${id}/import`)).body

/** Expects that the project has no records. */
async function expectEmpty(id: number): Promise<void> {
  for (const list of [
    'issues',
    'merge_requests',
    'labels',
    'milestones',
    'releases',
    'protected_branches',
    'repository/branches',
    'repository/tags',
  ])
    expect((await w.as(w.root).get(`/projects/${id}/${list}`)).body, list).toEqual([])
  expect((await w.as(w.root).get(`/projects/${id}`)).body).toMatchObject({
    empty_repo: true,
    open_issues_count: 0,
  })
}

it('an import reports that the token is no longer valid', async () => {
  const id = await begin()
  host.faults.push({ at: /\/issues\?/, status: 401, body: '{"message":"Bad credentials"}' })
  await w.drain()
  expect(await status(id)).toMatchObject({
    import_status: 'failed',
    import_error: 'Access denied to your GitHub account.',
  })
  await expectEmpty(id)
  const { credentials } = w
    .ctx()
    .db.one<{ credentials: string | null }>('SELECT credentials FROM import_runs WHERE project_id = ?', id)!
  expect(credentials).toBe(null)
})

it('an import reports that the repository no longer exists', async () => {
  withoutPulls(host, demoCodeOnce())
  const id = await begin()
  host.watch = (path) => {
    if (!path.startsWith('/repos/octo/demo/pulls/comments')) return
    for (const name of Object.keys(host.responses))
      if (name.startsWith('/repos/')) delete host.responses[name]
  }
  await w.drain()
  expect(await status(id)).toMatchObject({
    import_status: 'failed',
    import_error: 'The repository no longer exists at the other host.',
  })
  await expectEmpty(id)
})

it('an import skips what the other host has disabled', async () => {
  plainResponses(host, demoCodeOnce())
  const id = await begin()
  host.faults.push({ at: /\/issues\?/, status: 410, body: '{"message":"Issues are disabled for this repo"}' })
  await w.drain()
  const done = await status(id)
  expect(done).toMatchObject({ import_status: 'finished', import_error: null })
  expect(done.failed_relations).toMatchObject([
    {
      source: 'GET /repos/octo/demo/issues',
      exception_message: 'Issues are disabled for this repo',
    },
  ])
  expect((await w.as(w.root).get(`/projects/${id}/repository/branches`)).body).toHaveLength(2)
})

it('an import tries again later while the host fails, and stops after the last try', async () => {
  withoutPulls(host, demoCodeOnce())
  const id = await begin()
  for (let count = 0; count < 12; count++) host.faults.push({ at: /\/labels\?/, status: 500 })
  for (const minutes of [1, 4, 16]) {
    await w.drain()
    expect((await status(id)).import_status).toBe('started')
    clock.advance(minutes * 60_000 + 5000)
  }
  await w.drain()
  expect(await status(id)).toMatchObject({
    import_status: 'failed',
    import_error: 'The other host refused (HTTP 500): Server Error',
  })
  await expectEmpty(id)
})

it('an import fails if the repository cannot be cloned', async () => {
  host.responses['/repos/octo/demo'] = {
    ...(host.responses['/repos/octo/demo'] as object),
    clone_url: `${host.url}/octo/none.git`,
  }
  const id = await begin()
  await w.drain()
  const { import_status, import_error } = await status(id)
  expect(import_status).toBe('failed')
  expect(import_error).toMatch(/not found|fatal/)
  expect(import_error).not.toContain(host.token)
})

it('an import can be canceled while it runs, by owners of the project only', async () => {
  const id = await begin()
  const stranger = w.make.user()
  const members: ReturnType<typeof w.make.user>[] = []
  for (const level of [10, 20, 30, 40]) {
    const member = w.make.user()
    await w.make.member('projects', id, member, level)
    members.push(member)
  }
  const cancel = (user: typeof w.root | null = w.root) =>
    w.as(user).post('/import/github/cancel', { project_id: id })
  let answer: Awaited<ReturnType<typeof cancel>> | undefined
  host.watch = async (path) => {
    if (answer || !path.startsWith('/repos/octo/demo/issues?')) return
    expect((await cancel(null)).status).toBe(401)
    expect((await cancel(stranger)).status).toBe(404)
    for (const member of members)
      expect(await cancel(member)).toMatchObject({ status: 403, body: { message: 'Unauthorized access' } })
    expect((await status(id)).import_status).toBe('started')
    answer = await cancel()
  }
  await w.drain()
  expect(answer).toMatchObject({
    status: 200,
    body: {
      id,
      name: `import-${number}`,
      full_path: `/root/import-${number}`,
      import_source: 'octo/demo',
      import_status: 'canceled',
      human_import_status_name: 'canceled',
      provider_link: `${host.url}/octo/demo`,
    },
  })
  expect((await status(id)).import_status).toBe('canceled')
  await expectEmpty(id)
  expect(await cancel()).toMatchObject({
    status: 400,
    body: { message: 'The import cannot be canceled because it is canceled' },
  })
  const own = await w.make.project()
  expect((await w.as(w.root).post('/import/github/cancel', { project_id: own.id })).status).toBe(400)
  expect((await w.as(w.root).post('/import/github/cancel', {})).body).toEqual({
    error: 'project_id is missing',
  })
})

it('an import can be canceled while it waits for the host', async () => {
  withoutPulls(host, demoCodeOnce())
  const id = await begin()
  host.faults.push({ at: /\/issues\?/, status: 429, headers: { 'retry-after': '600' } })
  await w.drain()
  expect((await w.as(w.root).get(`/projects/${id}/labels`)).body).toHaveLength(4)
  await w.as(w.root).post('/import/github/cancel', { project_id: id })
  await w.drain()
  await expectEmpty(id)
  clock.advance(700_000)
  await w.drain()
  expect((await status(id)).import_status).toBe('canceled')
  await expectEmpty(id)
})

it('an import ends if the project is deleted meanwhile', async () => {
  withoutPulls(host, demoCodeOnce())
  const id = await begin()
  host.watch = async (path) => {
    if (!path.startsWith('/repos/octo/demo/pulls/comments?')) return
    host.watch = undefined
    expect((await w.as(w.root).delete(`/projects/${id}`)).status).toBe(202)
  }
  await w.drain()
  expect((await w.as(w.root).get(`/projects/${id}`)).status).toBe(404)
  const jobs = w
    .ctx()
    .db.many("SELECT name, error FROM jobs WHERE state IN ('ready', 'failed') AND name LIKE '%host%'")
  expect(jobs).toEqual([])
})

it('the importer runs as many imports at once as the settings allow', async () => {
  plainResponses(host, demoCodeOnce())
  await w.as(w.root).put('/application/settings', { concurrent_github_import_jobs_limit: 1 })
  const [first, second] = [await begin(), await begin()]
  let busiest = 0
  host.watch = async () => {
    const started = (await Promise.all([first, second].map(status))).filter(
      (run) => run.import_status === 'started',
    )
    busiest = Math.max(busiest, started.length)
  }
  await w.drain()
  clock.advance(3000)
  await w.drain()
  expect(busiest).toBe(1)
  expect((await status(second)).import_status).toBe('finished')
  await w.as(w.root).put('/application/settings', { concurrent_github_import_jobs_limit: 1000 })
})

it('an import continues after a restart, and creates no record twice', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'deskforge-restart-'))
  const before = await world({ dataDir })
  before.make.user({ username: 'alice' })
  await before
    .as(before.root)
    .put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  const reached = new Promise<void>((resolve) => {
    host.watch = (path) => {
      if (!/issues\/comments\?.*page=2/.test(path)) return
      resolve()
      // Holds the response until the instance is closed.
      return new Promise(() => undefined)
    }
  })
  const id = await begin(before)
  await reached
  await before.instance.close()
  host.watch = undefined
  host.requests.length = 0
  const after = await world({ dataDir })
  await after.drain()
  const get = async (path: string) => (await after.as(after.root).get(`/projects/${id}${path}`)).body
  const done = await get('/import')
  expect(done).toMatchObject({ import_status: 'finished', import_error: null })
  expect(done.stats.imported).toMatchObject({
    issue: 2,
    label: 4,
    note: 3,
    diff_note: 8,
    pull_request: 4,
    release: 2,
  })
  expect(done.stats.fetched).toMatchObject({
    issue: 2,
    label: 4,
    note: 4,
    diff_note: 8,
    pull_request: 4,
    release: 2,
  })
  expect(await get('/issues')).toHaveLength(2)
  expect(await get('/issues/5/notes?activity_filter=only_comments')).toHaveLength(2)
  expect((await get('/merge_requests/1')).user_notes_count).toBe(11)
  expect(host.requests.some((request) => request.path.includes('/labels'))).toBe(false)
})
