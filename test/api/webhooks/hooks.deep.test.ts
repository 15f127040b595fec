import { describe, expect, it } from 'vitest'

import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { mayReceive } from '../../../server/domains.ts'
import { world, type TestUser } from '../../support/world.ts'
import { watchEvents } from '../repository/fill.ts'

const here = await world()
const root = here.as(here.root)
const owner = here.make.user()
const developer = here.make.user()
const maintainer = here.make.user()
const group = await here.make.group({ owner, visibility: 'public' })
const project = await here.make.project({ owner, namespace_id: group.id, visibility: 'public' })
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, maintainer, 40)

const HOOKS = `/projects/${project.id}/hooks`
const ofGroup = `/groups/${group.id}/hooks`
const URL = 'https://hooks.example.test/a'

const as = here.as(maintainer)
const add = async (more: object = {}) => (await as.post(HOOKS, { url: URL, ...more })).body

describe('a webhook of a project', () => {
  it('listens to pushes by default, and is shown without its secrets', async () => {
    const received = watchEvents(here, 'hook.changed')
    const made = await as.post(HOOKS, {
      url: URL,
      token: 'very-secret',
      name: 'Chat',
      description: 'For the chat',
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(Number),
      url: URL,
      name: 'Chat',
      description: 'For the chat',
      created_at: expect.any(String),
      push_events: true,
      tag_push_events: false,
      merge_requests_events: false,
      repository_update_events: false,
      enable_ssl_verification: true,
      alert_status: 'executable',
      disabled_until: null,
      url_variables: [],
      push_events_branch_filter: null,
      branch_filter_strategy: 'wildcard',
      custom_webhook_template: null,
      custom_headers: [],
      project_id: project.id,
      issues_events: false,
      confidential_issues_events: false,
      note_events: false,
      confidential_note_events: null,
      pipeline_events: false,
      wiki_page_events: false,
      deployment_events: false,
      feature_flag_events: false,
      job_events: false,
      releases_events: false,
      emoji_events: false,
      resource_access_token_events: false,
    })
    expect((await as.get(`${HOOKS}/${made.body.id}`)).body).toEqual(made.body)
    expect(received).toEqual([
      { project_id: project.id, hook_id: made.body.id, action: 'created', actor_id: maintainer.id },
    ])
    const stored = here
      .ctx()
      .db.one<Record<string, string>>('SELECT * FROM web_hooks WHERE id = ?', made.body.id)!
    expect(JSON.stringify(stored)).not.toMatch(/very-secret|hooks\.example/)
  })

  it('is updated, deleted, and listed in pages', async () => {
    const before = (await as.get(HOOKS)).body.length
    const { id } = await add()
    const changed = await as.put(`${HOOKS}/${id}`, {
      push_events: false,
      issues_events: true,
      confidential_note_events: false,
      push_events_branch_filter: 'release/*',
      enable_ssl_verification: false,
    })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        url: URL,
        push_events: false,
        issues_events: true,
        confidential_note_events: false,
        push_events_branch_filter: 'release/*',
        enable_ssl_verification: false,
      },
    })
    const page = await as.get(`${HOOKS}?per_page=1`)
    expect([page.body.length, page.headers.get('x-total')]).toEqual([1, String(before + 1)])
    expect((await as.delete(`${HOOKS}/${id}`)).status).toBe(204)
    expect(await as.get(`${HOOKS}/${id}`)).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    expect((await as.delete(`${HOOKS}/${id}`)).status).toBe(404)
  })

  it('returns 422 for invalid values', async () => {
    const { id } = await add()
    expect(await as.post(HOOKS, {})).toMatchObject({ status: 400, body: { error: 'url is missing' } })
    expect(await as.put(`${HOOKS}/${id}`, {})).toMatchObject({
      status: 400,
      body: { error: 'No parameters provided' },
    })
    const bad = [
      '',
      'no address',
      'ftp://example.test',
      'javascript:alert(1)',
      'https://',
      'http://example.test/a b',
      // The settings forbid these: loopback in every notation, and names that resolve to it.
      'http://127.0.0.1/',
      'http://2130706433/',
      'http://[::1]:80/',
      'http://localhost:9000/hook',
      'http://0.0.0.0',
      'http://169.254.169.254/latest',
      'http://10.1.2.3',
      'https://example.test/{missing}',
      `https://example.test/${'x'.repeat(2050)}`,
    ]
    for (const url of bad) {
      const refused = { status: 422, body: { error: 'Invalid url given' } }
      expect(await as.post(HOOKS, { url }), url).toMatchObject(refused)
      expect(await as.put(`${HOOKS}/${id}`, { url }), url).toMatchObject(refused)
    }
    const filters = [
      { push_events_branch_filter: 'bad name' },
      { push_events_branch_filter: 'a..b' },
      { push_events_branch_filter: '(', branch_filter_strategy: 'regex' },
      { push_events_branch_filter: '(?<=a)b', branch_filter_strategy: 'regex' },
      { push_events_branch_filter: 'x'.repeat(4001) },
      { push_events_branch_filter: '(?:.?){1000}'.repeat(20), branch_filter_strategy: 'regex' },
    ]
    for (const filter of filters) {
      const refused = { status: 422, body: { error: 'Invalid branch filter given' } }
      expect(await as.post(HOOKS, { url: URL, ...filter }), JSON.stringify(filter)).toMatchObject(refused)
    }
    const others: [object, object][] = [
      [{ name: 'x'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] }],
      [{ url_variables: [{ key: 'a b', value: 'c' }] }, { url_variables: ['must be a valid json schema'] }],
      [{ custom_headers: [{ key: 'Host', value: 'c' }] }, { custom_headers: ['Host is reserved'] }],
      [
        { custom_webhook_template: '{"a": {{b}' },
        { custom_webhook_template: [expect.stringContaining('placeholder')] },
      ],
      [
        { custom_webhook_template: 'no json' },
        { custom_webhook_template: [expect.stringContaining('not valid JSON')] },
      ],
      [
        { custom_webhook_template: `[${Array(100_000).fill('{{a}}').join()}]` },
        { custom_webhook_template: ['is too long (maximum is 4096 characters)'] },
      ],
    ]
    for (const [params, message] of others)
      expect(await as.post(HOOKS, { url: URL, ...params })).toMatchObject({ status: 422, body: { message } })
    expect((await as.post(HOOKS, { url: URL, branch_filter_strategy: 'all' })).body).toEqual({
      error: 'branch_filter_strategy does not have a valid value',
    })
    expect((await as.post(HOOKS, { url: URL, url_variables: [{ key: 'a' }] })).status).toBe(400)
  })

  it('loses its token when the URL changes, and headers and variables when the host changes', async () => {
    const secret = {
      token: 't',
      custom_headers: [{ key: 'X-One', value: '1' }],
      url_variables: [{ key: 'v', value: 'w' }],
    }
    const { id } = await add(secret)
    const has = () =>
      here
        .ctx()
        .db.one<{ token: unknown }>('SELECT token IS NOT NULL AS token FROM web_hooks WHERE id = ?', id)
    await as.put(`${HOOKS}/${id}`, { url: URL, issues_events: true })
    expect(has()).toEqual({ token: 1 })
    const moved = await as.put(`${HOOKS}/${id}`, { url: `${URL}/{v}` })
    expect(moved.body).toMatchObject({ url_variables: [{ key: 'v' }], custom_headers: [{ key: 'X-One' }] })
    expect(has()).toEqual({ token: 0 })
    await as.put(`${HOOKS}/${id}`, { url: 'https://other.example.test', token: 'new' })
    expect((await as.get(`${HOOKS}/${id}`)).body).toMatchObject({ url_variables: [], custom_headers: [] })
    expect(has()).toEqual({ token: 1 })
  })

  it('keeps values that an update does not name, if the host stays the same', async () => {
    const { id } = await add({
      url: `${URL}/{v}`,
      url_variables: [
        { key: 'v', value: 'w' },
        { key: 'old', value: 'o' },
      ],
    })
    const answer = await as.put(`${HOOKS}/${id}`, {
      url_variables: [{ key: 'v' }, { key: 'new', value: 'n' }],
    })
    expect(answer.body.url_variables).toEqual([{ key: 'v' }, { key: 'new' }])
    expect(await as.put(`${HOOKS}/${id}`, { url_variables: [{ key: 'v' }, { key: 'never' }] })).toMatchObject(
      {
        status: 422,
        body: { message: { url_variables: ['never has no value'] } },
      },
    )
    const moved = await as.put(`${HOOKS}/${id}`, {
      url: 'https://other.example.test/{v}',
      url_variables: [{ key: 'v' }],
    })
    expect(moved).toMatchObject({ status: 422, body: { message: { url_variables: ['v has no value'] } } })
  })

  it('has endpoints for single URL variables and headers', async () => {
    const { id } = await add({
      url: 'https://{host}/{path}',
      url_variables: [
        { key: 'host', value: 'h.test' },
        { key: 'path', value: 'p' },
      ],
    })
    const at = `${HOOKS}/${id}`
    expect((await as.put(`${at}/url_variables/more`, { value: 'm' })).status).toBe(204)
    expect((await as.put(`${at}/custom_headers/X-Key`, { value: 'secret' })).status).toBe(204)
    const shown = await as.get(at)
    expect(shown.body.url_variables).toEqual([{ key: 'host' }, { key: 'path' }, { key: 'more' }])
    expect(shown.body.custom_headers).toEqual([{ key: 'X-Key' }])
    expect(shown.text).not.toContain('secret')
    expect((await as.delete(`${at}/url_variables/more`)).status).toBe(204)
    expect((await as.delete(`${at}/url_variables/more`)).status).toBe(404)
    // The URL needs the first variable. Without the second one it would lead to this machine.
    expect(await as.delete(`${at}/url_variables/path`)).toMatchObject({
      status: 422,
      body: { error: 'Invalid url given' },
    })
    expect((await as.put(`${at}/url_variables/host`, { value: '127.0.0.1' })).status).toBe(422)
    expect((await as.put(`${at}/url_variables/host`, {})).body).toEqual({ error: 'value is missing' })
    expect((await as.put(`${at}/url_variables/a%20b`, { value: 'x' })).status).toBe(422)
    expect((await as.delete(`${at}/custom_headers/X-Key`)).status).toBe(204)
    // Clients may set many of them concurrently.
    const keys = ['A', 'B', 'C', 'D', 'E', 'F']
    const answers = await Promise.all(
      keys.map((key) => as.put(`${at}/custom_headers/${key}`, { value: key })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(keys.map(() => 204))
    const all = (await as.get(at)).body.custom_headers.map(({ key }: { key: string }) => key)
    expect(all.toSorted()).toEqual(keys)
  })

  it('is visible to maintainers only', async () => {
    const { id } = await add()
    for (const [client, status] of [
      [here.as(null), 401],
      [here.as(developer), 403],
    ] as const) {
      expect((await client.get(HOOKS)).status).toBe(status)
      expect((await client.post(HOOKS, { url: URL })).status).toBe(status)
      expect((await client.put(`${HOOKS}/${id}`, { url: URL })).status).toBe(status)
      expect((await client.get(`${HOOKS}/${id}/events`)).status).toBe(status)
      expect((await client.post(`${HOOKS}/${id}/test/push_events`)).status).toBe(status)
    }
    const other = await here.make.project()
    expect((await as.get(`/projects/${other.id}/hooks`)).status).toBe(404)
    expect((await root.get(`/projects/${other.id}/hooks/${id}`)).status).toBe(404)
  })

  it('is hidden from others, including its events', async () => {
    const { id: hook_id } = await add()
    const receives = (user: TestUser, event: object) => mayReceive(onBehalfOf(here.ctx(), user.id)!, event)
    const ofProject = [
      { project_id: project.id, hook_id, action: 'updated', actor_id: null },
      { project_id: project.id, hook_id, delivery_id: 1, is_ok: true },
      { project_id: project.id, event_id: 1, kind: 'confidential_issue', ref: null },
    ]
    for (const event of ofProject) {
      expect(receives(maintainer, event)).toBe(true)
      expect(receives(developer, event)).toBe(false)
    }
    const ofGroupHook = { group_id: group.id, hook_id, delivery_id: 1, is_ok: true }
    expect([owner, developer].map((user) => receives(user, ofGroupHook))).toEqual([true, false])
    expect(receives(owner, { hook_id, delivery_id: 1, is_ok: true })).toBe(false)
  })

  it('is limited in number per project', async () => {
    const full = await here.make.project({ owner })
    const { db, secrets, now } = here.ctx()
    for (let count = 0; count < 100; count++)
      db.exec(
        `INSERT INTO web_hooks (kind, project_id, url, created_at, updated_at) VALUES ('project', ?, ?, ?, ?)`,
        full.id,
        secrets.seal(URL, 'web_hooks.url'),
        now,
        now,
      )
    expect(await here.as(owner).post(`/projects/${full.id}/hooks`, { url: URL })).toMatchObject({
      status: 422,
      body: { message: { base: ['Maximum number of project hooks (100) exceeded'] } },
    })
  })
})

describe('a webhook of a group', () => {
  it('is visible to owners only, and receives events about members and subgroups', async () => {
    const made = await here.as(owner).post(ofGroup, { url: URL, member_events: true, subgroup_events: true })
    expect(made).toMatchObject({
      status: 201,
      body: { group_id: group.id, push_events: true, member_events: true, subgroup_events: true },
    })
    const at = `${ofGroup}/${made.body.id}`
    expect((await here.as(owner).put(at, { member_events: false })).body).toMatchObject({
      member_events: false,
    })
    await here.make.member('groups', group.id, developer, 40)
    expect((await here.as(developer).get(ofGroup)).status).toBe(403)
    expect((await here.as(null).get(ofGroup)).status).toBe(401)
    expect((await as.get(`${HOOKS}/${made.body.id}`)).status).toBe(404)
    expect((await here.as(owner).delete(at)).status).toBe(204)
  })
})

describe('a webhook of the instance', () => {
  it('is visible to administrators only, and receives repository updates by default', async () => {
    // System hooks may reach this machine by default.
    const made = await root.post('/hooks', { url: 'http://127.0.0.1:1/', token: 'secret' })
    expect(made).toMatchObject({
      status: 201,
      body: { push_events: false, repository_update_events: true, url: 'http://127.0.0.1:1/' },
    })
    expect(made.text).not.toMatch(/secret|project_id|issues_events/)
    expect((await root.get('/hooks')).body).toHaveLength(1)
    expect((await root.put(`/hooks/${made.body.id}`, { tag_push_events: true })).body).toMatchObject({
      tag_push_events: true,
    })
    await root.put('/application/settings', { allow_local_requests_from_system_hooks: false })
    expect((await root.post('/hooks', { url: 'http://127.0.0.1:1/' })).body).toEqual({
      error: 'Invalid url given',
    })
    expect((await here.as(owner).get('/hooks')).status).toBe(403)
    expect((await here.as(null).get('/hooks')).status).toBe(401)
    expect((await root.delete(`/hooks/${made.body.id}`)).status).toBe(204)
    expect((await root.get(`/hooks/${made.body.id}`)).status).toBe(404)
  })
})
