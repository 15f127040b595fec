import { afterEach, beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { world, type Answer, type TestUser, type World } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const TOO_MANY = { message: { error: 'This endpoint has been requested too many times. Try again later.' } }
let w: World
let ann: TestUser
let ben: TestUser
let project: { id: number }
let issue: { iid: number }
beforeAll(async () => {
  w = await world({ clock })
  ann = w.make.user()
  ben = w.make.user()
  project = await w.make.project({ visibility: 'public' })
  for (const user of [ann, ben]) await w.make.member('projects', project.id, user, 40)
  issue = (await w.as(w.root).post(`/projects/${project.id}/issues`, { title: 'One' })).body
})
afterEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
  // Rate windows start every ten minutes.
  clock.advance(600_000 - (clock.now() % 600_000))
})
const set = async (changes: object) => {
  const { status, text } = await w.as(w.root).put('/application/settings', changes)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}
const statuses = async (asks: (() => Promise<Answer>)[]): Promise<number[]> => {
  const found: number[] = []
  for (const ask of asks) found.push((await ask()).status)
  return found
}
const times = (count: number, ask: () => Promise<Answer>) =>
  statuses(Array.from({ length: count }, () => ask))

let title = 0
const rows = [
  {
    setting: 'issues_create_limit',
    ask: (user: TestUser | null) =>
      w.as(user).post(`/projects/${project.id}/issues`, { title: `Issue ${++title}` }),
    good: 201,
    seconds: 60,
  },
  {
    setting: 'notes_create_limit',
    ask: (user: TestUser | null) =>
      w.as(user).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: `Note ${++title}` }),
    good: 201,
    seconds: 60,
  },
  {
    setting: 'search_rate_limit',
    ask: (user: TestUser | null) => w.as(user).get(`/search?scope=projects&search=a`),
    good: 200,
    seconds: 60,
  },
  {
    setting: 'users_get_by_id_limit',
    ask: (user: TestUser | null) => w.as(user).get(`/users/${ann.id}`),
    good: 200,
    seconds: 600,
  },
  {
    setting: 'project_jobs_api_rate_limit',
    ask: (user: TestUser | null) => w.as(user).get(`/projects/${project.id}/jobs`),
    good: 200,
    seconds: 60,
  },
  {
    setting: 'autocomplete_users',
    ask: (user: TestUser | null) => w.as(user).get(`/users?search=user`),
    good: 200,
    seconds: 60,
  },
]

describe('a rate limit per user', () => {
  it.each(rows)('$setting', async ({ setting, ask, good, seconds }) => {
    await set({ [setting]: 2 })
    expect(await times(2, () => ask(ann))).toEqual([good, good])
    const refused = await ask(ann)
    expect([refused.status, refused.body, refused.headers.get('ratelimit-limit')]).toEqual([
      429,
      TOO_MANY,
      null,
    ])
    expect((await ask(ben)).status).toBe(good)
    clock.advance((seconds - 1) * 1000)
    expect((await ask(ann)).status).toBe(429)
    clock.advance(1000)
    expect((await ask(ann)).status).toBe(good)
    await set({ [setting]: 0 })
    expect(await times(4, () => ask(ann))).toEqual([good, good, good, good])
  })
})

describe('limits', () => {
  it('notes_create_limit_allowlist: exempts its users for all types of comments', async () => {
    const { name } = { name: ann.username.toUpperCase() }
    await set({ notes_create_limit: 1, notes_create_limit_allowlist_raw: `${name};nobody` })
    const note = (user: TestUser) => () =>
      w.as(user).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: `Note ${++title}` })
    const thread = (user: TestUser) => () =>
      w.as(user).post(`/projects/${project.id}/issues/${issue.iid}/discussions`, { body: `Note ${++title}` })
    expect(await statuses([note(ann), note(ann), thread(ann)])).toEqual([201, 201, 201])
    expect(await statuses([note(ben), thread(ben), note(ben)])).toEqual([201, 429, 429])
  })

  it('users_get_by_id_limit_allowlist: exempts its users', async () => {
    await set({ users_get_by_id_limit: 1, users_get_by_id_limit_allowlist: [ann.username] })
    expect(await times(3, () => w.as(ann).get('/users/1'))).toEqual([200, 200, 200])
    expect(await times(2, () => w.as(ben).get('/users/1'))).toEqual([200, 429])
  })

  it('search_rate_limit_unauthenticated: counts anonymous searches by address, also in lists', async () => {
    await set({ search_rate_limit_unauthenticated: 2, search_rate_limit: 3 })
    const search = () => w.as(null).get(`/projects/${project.id}/issues?search=a`)
    expect(await times(3, search)).toEqual([200, 200, 429])
    expect(await times(3, () => w.as(null).get(`/projects/${project.id}/issues`))).toEqual([200, 200, 200])
    // All searches of a user are counted together, including cached responses.
    const other = () => w.as(ann).get('/merge_requests?search=a&scope=all')
    expect(
      await statuses([other, other, () => w.as(ann).get('/search?scope=users&search=a'), other]),
    ).toEqual([200, 200, 200, 429])
  })

  it('projects_api_rate_limit_unauthenticated: counts lists of projects by address', async () => {
    await set({ projects_api_rate_limit_unauthenticated: 2 })
    const list = () => w.as(null).get('/projects')
    expect(await times(3, list)).toEqual([200, 200, 429])
    expect(await times(3, () => w.as(ann).get('/projects'))).toEqual([200, 200, 200])
    clock.advance(600_000)
    expect(await times(1, list)).toEqual([200])
  })

  it('autocomplete_users_unauthenticated: counts user suggestions by address', async () => {
    await set({ autocomplete_users_unauthenticated: 1 })
    const suggest = () => w.as(null).get('/users?search=u&username=root')
    expect(await times(2, suggest)).toEqual([200, 429])
    expect(await times(2, () => w.as(null).get('/users?username=root'))).toEqual([200, 200])
  })

  it('raw_blob_request_limit: returns a plain text error', async () => {
    const owner = await w.make.project({ visibility: 'public' })
    fill(w, owner, [{ files: { a: 'a\n' } }])
    await set({ raw_blob_request_limit: 1 })
    const raw = () => w.as(null).get(`!/${owner.path_with_namespace}/-/raw/main/a`)
    expect((await raw()).status).toBe(200)
    const refused = await raw()
    expect([refused.status, refused.text.trim()]).toEqual([
      429,
      'You cannot access the raw file. Please wait a minute.',
    ])
  })

  it('pipeline_limit_per_project_user_sha: applies per commit and user', async () => {
    const owner = await w.make.project()
    await w.make.member('projects', owner.id, ann, 40)
    const config = 'job: { script: echo }\n'
    fill(w, owner, [{ files: { '.gitlab-ci.yml': config } }])
    await set({ pipeline_limit_per_project_user_sha: 1 })
    const run = (user: TestUser) => () => w.as(user).post(`/projects/${owner.id}/pipeline`, { ref: 'main' })
    expect((await run(ann)()).status).toBe(201)
    const refused = await run(ann)()
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: { base: ['Too many pipelines created in the last minute. Try again later.'] } },
    ])
    expect((await run(w.root)()).status).toBe(201)
    clock.advance(60_000)
    expect((await run(ann)()).status).toBe(201)
  })

  it('downstream_pipeline_trigger_limit_per_project_user_sha: applies to downstream pipelines of jobs', async () => {
    const owner = await w.make.project()
    const target = await w.make.project()
    fill(w, target, [{ files: { '.gitlab-ci.yml': 'far: { script: echo }\n' } }])
    const trigger = `{ trigger: ${target.path_with_namespace} }`
    fill(w, owner, [{ files: { '.gitlab-ci.yml': `one: ${trigger}\ntwo: ${trigger}\n` } }])
    const bridges = async () => {
      const { id } = (await w.as(w.root).post(`/projects/${owner.id}/pipeline`, { ref: 'main' })).body
      await w.drain()
      const { body } = await w.as(w.root).get(`/projects/${owner.id}/pipelines/${id}/bridges`)
      return body.map(({ status }: { status: string }) => status).sort()
    }
    expect(await bridges()).toEqual(['success', 'success'])
    await set({ downstream_pipeline_trigger_limit_per_project_user_sha: 1 })
    expect(await bridges()).toEqual(['failed', 'success'])
  })

  it('max_number_of_repository_downloads: refuses further projects, sends an email, and can ban the user', async () => {
    const owners = [await w.make.project(), await w.make.project(), await w.make.project()]
    for (const owner of owners) {
      await w.make.member('projects', owner.id, ben, 20)
      fill(w, owner, [{ files: { a: 'a\n' } }])
    }
    const archive = (at: number) => () => w.as(ben).get(`/projects/${owners[at]!.id}/repository/archive.zip`)
    const clone = (at: number) => () =>
      w.as(null).get(`!/${owners[at]!.path_with_namespace}.git/info/refs?service=git-upload-pack`, {
        authorization: `Basic ${Buffer.from(`x:${ben.token}`).toString('base64')}`,
      })
    const limits = {
      max_number_of_repository_downloads: 2,
      max_number_of_repository_downloads_within_time_period: 300,
      git_rate_limit_users_alertlist: [ann.id],
    }
    await set(limits)
    expect(await statuses([archive(0), clone(1), clone(0), archive(1), archive(2), clone(2)])).toEqual([
      200, 200, 200, 200, 403, 403,
    ])
    await w.drain()
    expect((await w.as(w.root).get(`/users/${ben.id}`)).body.state).toBe('active')
    const mail = w
      .ctx()
      .db.one<{ recipients: string[]; text: string }>(
        "SELECT recipients, text FROM mails WHERE subject LIKE '%downloads many projects' LIMIT 1",
      )
    expect(mail).toMatchObject({
      recipients: [`${ann.username}@example.test`],
      text: expect.stringContaining(`@${ben.username}`),
    })
    clock.advance(300_000)
    expect(await statuses([archive(2), clone(1)])).toEqual([200, 200])
    expect((await archive(0)()).status).toBe(403)
    await set({ git_rate_limit_users_allowlist: [ben.username] })
    expect((await archive(0)()).status).toBe(200)
    await set({ git_rate_limit_users_allowlist: [], auto_ban_user_on_excessive_projects_download: true })
    expect((await clone(0)()).status).toBe(403)
    await w.drain()
    expect((await w.as(w.root).get(`/users/${ben.id}`)).body.state).toBe('banned')
    await w.as(w.root).post(`/users/${ben.id}/unban`)
  })

  const proved = {
    settings: [
      'max_number_of_repository_downloads_within_time_period',
      'auto_ban_user_on_excessive_projects_download',
      'git_rate_limit_users_allowlist',
      'git_rate_limit_users_alertlist',
    ],
  }
  it('of downloads are covered by the test above', async () => {
    const { body } = await w.as(w.root).get('/application/settings')
    expect(proved.settings.filter((name) => !(name in body))).toEqual([])
  })
})
