import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, afterEach, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from '../repository/fill.ts'

const clock = frozenClock('2026-11-22T10:00:00.000Z')
const MINUTE = 60_000
const here = await world({ clock })
const there = await world({ clock })
const ada = here.make.user({ username: 'ada' })
const developer = here.make.user()
const bob = there.make.user({ username: 'bob' })
const TOKEN = there.make.token(bob, ['read_repository'])
const host = new URL(there.url).host
const local = (allowed: boolean) =>
  here
    .as(here.root)
    .put('/application/settings', { allow_local_requests_from_web_hooks_and_services: allowed })
await local(true)

const source = await there.make.project({ owner: bob, name: 'Source', default_branch: 'trunk' })
const [first] = fill(there, source, [
  { branch: 'trunk', files: { 'a.txt': 'a' } },
  { branch: 'topic', files: { 'b.txt': 'b' } },
])
shell(onDisk(there, source), ['tag', 'v1', first!])
const address = `http://bob:${TOKEN}@${host}/${source.path_with_namespace}.git`
const masked = `http://*****:*****@${host}/${source.path_with_namespace}.git`

const commitTo = (
  side: typeof here,
  who: typeof ada,
  project: { id: number },
  branch: string,
  file: string,
) =>
  side.as(who).post(`/projects/${project.id}/repository/commits`, {
    branch,
    commit_message: file,
    actions: [{ action: 'create', file_path: file, content: file }],
  })
const refs = (side: typeof here, project: { id: number }) =>
  Object.fromEntries(
    shell(onDisk(side, project), [
      'for-each-ref',
      '--format=%(refname:short) %(objectname)',
      'refs/heads',
      'refs/tags',
    ])
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ') as [string, string]),
  )
const state = async (project: { id: number }, who = ada) =>
  (await here.as(who).get(`/projects/${project.id}/mirror/pull`)).body

/** Requests an update, runs it, and returns the state of the mirror. */
async function pulled(project: { id: number }) {
  clock.advance(6 * MINUTE)
  expect((await here.as(ada).post(`/projects/${project.id}/mirror/pull`)).status).toBe(200)
  await here.drain()
  return state(project)
}

// The clock of a test must not start updates of earlier tests.
afterEach(() => void here.ctx().db.exec('UPDATE pull_mirrors SET next_update_at = NULL'))

/** A project that mirrors the source, after its first update. */
async function following(params: object = {}) {
  const project = await here.make.project({ owner: ada })
  const answer = await here
    .as(ada)
    .put(`/projects/${project.id}`, { import_url: address, mirror: true, ...params })
  expect(answer.status).toBe(200)
  await here.drain()
  return project as { id: number }
}

describe('a pull mirror', () => {
  it('gets branches, tags and the default branch, in the name of its mirror user', async () => {
    const received = watchEvents(here, 'refs.updated')
    const states = watchEvents(here, 'pull_mirror.changed')
    const project = await following()
    const now = new Date(clock.now()).toISOString()
    expect(await state(project)).toEqual({
      id: project.id,
      last_error: null,
      // The clock of the test stands still, but the duration of the update is measured.
      last_successful_update_at: expect.stringContaining(now.slice(0, 16)),
      last_update_at: expect.stringContaining(now.slice(0, 16)),
      last_update_started_at: now,
      update_status: 'finished',
      url: masked,
      enabled: true,
      mirror_trigger_builds: false,
      only_mirror_protected_branches: false,
      mirror_overwrites_diverged_branches: false,
      mirror_branch_regex: null,
      next_update_at: expect.stringContaining(new Date(clock.now() + 30 * MINUTE).toISOString().slice(0, 16)),
      diverged_branches: [],
    })
    expect(refs(here, project)).toEqual(refs(there, source))
    expect((await here.as(ada).get(`/projects/${project.id}`)).body).toMatchObject({
      default_branch: 'trunk',
      empty_repo: false,
      import_url: `http://${host}/${source.path_with_namespace}.git`,
      mirror: true,
      mirror_user_id: ada.id,
    })
    expect(received).toEqual([expect.objectContaining({ actor_id: ada.id, source: 'mirror' })])
    expect(states.map((event) => event['update_status'])).toEqual(['scheduled', 'started', 'finished'])
    const stored = here
      .ctx()
      .db.many('SELECT import_url FROM projects UNION ALL SELECT credentials FROM pull_mirrors')
    expect(JSON.stringify(stored)).not.toContain(TOKEN)
    // An update without changes publishes no events.
    expect((await pulled(project)).update_status).toBe('finished')
    expect(received).toHaveLength(1)
  })

  it('is updated by cron and on request, at most every five minutes', async () => {
    const project = await following()
    await commitTo(there, bob, source, 'trunk', 'clock.txt')
    const answer = await here.as(ada).post(`/projects/${project.id}/mirror/pull`)
    expect(answer.body).toMatchObject({ id: project.id, update_status: 'scheduled' })
    await here.drain()
    expect(refs(here, project)['trunk']).not.toBe(refs(there, source)['trunk'])
    clock.advance(5 * MINUTE)
    await here.drain()
    expect(refs(here, project)['trunk']).toBe(refs(there, source)['trunk'])
    await commitTo(there, bob, source, 'trunk', 'clock2.txt')
    clock.advance(33 * MINUTE)
    await here.drain()
    await here.drain()
    expect(refs(here, project)['trunk']).toBe(refs(there, source)['trunk'])
  })

  it('keeps local branches, and branches that upstream deleted', async () => {
    const project = await following()
    await there.as(bob).post(`/projects/${source.id}/repository/branches`, { branch: 'short', ref: 'trunk' })
    await here.as(ada).post(`/projects/${project.id}/repository/branches`, { branch: 'own', ref: 'topic' })
    await pulled(project)
    await there.as(bob).delete(`/projects/${source.id}/repository/branches/short`)
    await pulled(project)
    expect(Object.keys(refs(here, project))).toEqual(['own', 'short', 'topic', 'trunk', 'v1'])
  })

  it('leaves diverged branches unchanged, or overwrites them', async () => {
    const project = await following()
    await commitTo(here, ada, project, 'topic', 'ahead.txt')
    const ahead = refs(here, project)['topic']
    expect(await pulled(project)).toMatchObject({ update_status: 'finished', diverged_branches: [] })
    await commitTo(there, bob, source, 'topic', 'theirs.txt')
    expect(await pulled(project)).toMatchObject({
      update_status: 'finished',
      last_error: null,
      diverged_branches: ['topic'],
    })
    expect(refs(here, project)['topic']).toBe(ahead)
    await commitTo(here, ada, project, 'trunk', 'ours.txt')
    await commitTo(there, bob, source, 'trunk', 'other.txt')
    expect(await pulled(project)).toMatchObject({
      update_status: 'failed',
      last_error:
        'The default branch (trunk) has diverged from its upstream counterpart and could not be updated automatically.',
      diverged_branches: ['topic', 'trunk'],
    })
    clock.advance(6 * MINUTE)
    await here.as(ada).put(`/projects/${project.id}`, { mirror_overwrites_diverged_branches: true })
    await here.drain()
    expect(await state(project)).toMatchObject({ update_status: 'finished', diverged_branches: [] })
    expect(refs(here, project)).toMatchObject(refs(there, source))
  })

  it('may update protected branches only', async () => {
    const project = await following({ only_mirror_protected_branches: true })
    expect(Object.keys(refs(here, project))).toEqual(['trunk', 'v1'])
    await here.as(ada).post(`/projects/${project.id}/protected_branches`, { name: 'to*' })
    await pulled(project)
    expect(Object.keys(refs(here, project))).toEqual(['topic', 'trunk', 'v1'])
  })

  it('may update branches that match a pattern', async () => {
    const project = await here.make.project({ owner: ada })
    const put = (params: object) => here.as(ada).put(`/projects/${project.id}/mirror/pull`, params)
    const url = `http://${host}/${source.path_with_namespace}.git`
    const address = { enabled: true, url, auth_user: 'bob', auth_password: TOKEN }
    expect((await put({ ...address, mirror_branch_regex: '(' })).status).toBe(400)
    const both = { mirror_branch_regex: 'a', only_mirror_protected_branches: true }
    expect((await put({ ...address, ...both })).status).toBe(400)
    expect((await put({ url: 'nothing', mirror_branch_regex: 'a' })).status).toBe(422)
    expect((await put({ ...address, mirror_branch_regex: '^top' })).body.mirror_branch_regex).toBe('^top')
    await here.drain()
    expect(Object.keys(refs(here, project))).toEqual(['topic', 'v1'])
    await put({ mirror_branch_regex: '' })
    clock.advance(6 * MINUTE)
    await here.drain()
    expect(Object.keys(refs(here, project))).toEqual(['topic', 'trunk', 'v1'])
    expect((await put({ only_mirror_protected_branches: true })).body).toMatchObject({
      mirror_branch_regex: null,
      only_mirror_protected_branches: true,
    })
    expect((await put({ mirror_branch_regex: 'x' })).body).toMatchObject({
      mirror_branch_regex: 'x',
      only_mirror_protected_branches: false,
    })
  })

  it('starts pipelines only if enabled', async () => {
    const project = await following()
    const ci = {
      branch: 'trunk',
      commit_message: 'ci',
      actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'job: {script: ["true"]}' }],
    }
    await there.as(bob).post(`/projects/${source.id}/repository/commits`, ci)
    await pulled(project)
    const pipelines = async () => (await here.as(ada).get(`/projects/${project.id}/pipelines`)).body
    expect(await pipelines()).toEqual([])
    await here.as(ada).put(`/projects/${project.id}`, { mirror_trigger_builds: true })
    await commitTo(there, bob, source, 'trunk', 'after.txt')
    await pulled(project)
    expect(await pipelines()).toEqual([expect.objectContaining({ ref: 'trunk', source: 'push' })])
    const events = (await here.as(ada).get(`/projects/${project.id}/events`)).body
    expect(events[0]).toMatchObject({ action_name: 'pushed to', author_id: ada.id })
  })

  it('can be created together with the project', async () => {
    const made = await here.as(ada).post('/projects', { name: 'At once', import_url: address, mirror: true })
    expect([made.status, made.body.import_url]).toEqual([201, address.replace(/\/\/.*@/, '//')])
    expect((await state(made.body)).update_status).toMatch(/^(scheduled|started)$/)
    await here.drain()
    expect(await state(made.body)).toMatchObject({ update_status: 'finished', url: masked })
    expect(refs(here, made.body)).toEqual(refs(there, source))
    expect((await pulled(made.body)).update_status).toBe('finished')
    const seen = () => shell(onDisk(here, made.body), ['for-each-ref', 'refs/internal'])
    expect(seen()).not.toBe('')
    await here.as(ada).put(`/projects/${made.body.id}`, { mirror: false })
    await here.drain()
    expect(seen()).toBe('')
    expect(refs(here, made.body)).toEqual(refs(there, source))
    const none = await here.as(ada).post('/projects', { name: 'None', mirror: true })
    expect([none.status, none.body]).toEqual([400, { message: { import_url: ["can't be blank"] } }])
  })

  it('seals the credentials that an older release left in the address', async () => {
    const project = await following()
    const { db } = here.ctx()
    db.exec('UPDATE projects SET import_url = ? WHERE id = ?', address, project.id)
    db.exec('UPDATE pull_mirrors SET credentials = NULL WHERE project_id = ?', project.id)
    expect(await pulled(project)).toMatchObject({ update_status: 'finished', url: masked })
    const stored = db.one<{ import_url: string }>('SELECT import_url FROM projects WHERE id = ?', project.id)
    expect(stored!.import_url).not.toContain(TOKEN)
  })

  it('may follow an empty repository', async () => {
    const empty = await there.make.project({ owner: bob, name: 'Empty' })
    const project = await following({ import_url: address.replace('/source.git', '/empty.git') })
    expect((await state(project)).update_status).toBe('finished')
    await commitTo(there, bob, empty, 'main', 'first.txt')
    await pulled(project)
    expect(Object.keys(refs(here, project))).toEqual(['main'])
  })
})

describe('the endpoints of pull mirrors', () => {
  it('are limited to maintainers, of projects with a pull mirror', async () => {
    const project = await following()
    await here.make.member('projects', project.id, developer, 30)
    const at = `/projects/${project.id}/mirror/pull`
    for (const answer of [await here.as(developer).get(at), await here.as(developer).post(at)])
      expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
    const plain = await here.make.project({ owner: ada })
    const none = { message: 'The project is not mirrored' }
    expect((await here.as(ada).get(`/projects/${plain.id}/mirror/pull`)).body).toEqual(none)
    const post = await here.as(ada).post(`/projects/${plain.id}/mirror/pull`)
    expect([post.status, post.body]).toEqual([400, none])
  })

  it('refuse invalid addresses, and delete the credentials with the mirror', async () => {
    const project = await here.make.project({ owner: ada })
    const at = `/projects/${project.id}`
    const put = async (params: object, who = ada) => {
      const { status, body } = await here.as(who).put(at, params)
      return [status, body.message]
    }
    expect(await put({ mirror: true })).toEqual([400, { import_url: ["can't be blank"] }])
    await local(false)
    const blocked = [400, { import_url: ['is blocked: Requests to the local network are not allowed'] }]
    expect(await put({ mirror: true, import_url: address })).toEqual(blocked)
    await local(true)
    for (const wrong of ['ssh://git@example.test/x.git', 'file:///etc', 'ext::true'])
      expect((await put({ mirror: true, import_url: wrong }))[0]).toBe(422)
    await here.as(here.root).put('/application/settings', { mirror_available: false })
    expect(await put({ mirror: true, import_url: address })).toEqual([403, '403 Forbidden'])
    expect(await put({ mirror_user_id: 99_999 }, here.root)).toEqual([400, 'Invalid mirror_user_id'])
    expect((await put({ mirror: true, import_url: address, mirror_user_id: ada.id }, here.root))[0]).toBe(200)
    await here.drain()
    // This address was allowed by an administrator.
    expect(await state(project, here.root)).toMatchObject({ update_status: 'finished' })
    await here.as(here.root).put('/application/settings', { mirror_available: true })
    const shown = `http://${host}/${source.path_with_namespace}.git`
    expect((await here.as(ada).put(at, { import_url: shown })).body.import_url).toBe(shown)
    expect((await state(project)).url).toBe(masked)
    await here.as(ada).put(at, { import_url: 'https://example.test/x.git' })
    expect((await state(project)).url).toBe('https://example.test/x.git')
    expect((await here.as(ada).put(at, { mirror: false })).body.mirror).toBe(false)
    expect(here.ctx().db.many('SELECT * FROM pull_mirrors WHERE project_id = ?', project.id)).toEqual([])
    await here.drain()
  })
})

describe('a failing update', () => {
  it('shows the error, waits longer each time, and stops after fourteen retries', async () => {
    const project = await following({ import_url: address.replace('/source.git', '/nowhere.git') })
    const after = await state(project)
    expect(after).toMatchObject({
      update_status: 'failed',
      last_error: expect.stringMatching(/not found|refuses/i),
      last_successful_update_at: null,
    })
    expect(JSON.stringify(after)).not.toContain(TOKEN)
    const pauses: number[] = []
    for (const failures of [1, 2, 12, 13, 14]) {
      here.ctx().db.exec('UPDATE pull_mirrors SET retry_count = ? WHERE project_id = ?', failures, project.id)
      const { next_update_at } = await state(project)
      pauses.push((Date.parse(next_update_at) - clock.now()) / MINUTE)
      clock.advance(Date.parse(next_update_at) - clock.now() + 3 * MINUTE)
      await here.drain()
      await here.drain()
    }
    expect(pauses.map(Math.floor)).toEqual([30, 60, 90, 300, 300])
    expect(await state(project)).toMatchObject({ update_status: 'failed', next_update_at: null })
    expect(here.ctx().db.many("SELECT 1 FROM mails WHERE subject LIKE '%Remote mirror%'")).toHaveLength(1)
    expect((await pulled(project)).next_update_at).not.toBeNull()
  })

  it('happens if the mirror user may not push', async () => {
    const carl = here.make.user()
    const project = await here.make.project({ owner: ada })
    await here.make.member('projects', project.id, carl, 40)
    await here.as(carl).put(`/projects/${project.id}`, { import_url: address, mirror: true })
    await here.drain()
    expect((await state(project)).update_status).toBe('finished')
    await here.as(ada).delete(`/projects/${project.id}/members/${carl.id}`)
    expect((await pulled(project)).last_error).toBe(
      'The mirror user is not allowed to push code to all branches on this project.',
    )
  })

  it('happens for a local address after the settings forbid it, and is delayed in silent mode', async () => {
    const project = await following()
    await local(false)
    expect(await pulled(project)).toMatchObject({
      update_status: 'failed',
      last_error: expect.stringMatching(/invalid/),
    })
    await local(true)
    await here.as(here.root).put('/application/settings', { silent_mode_enabled: true })
    expect((await pulled(project)).update_status).toBe('failed')
    await here.as(here.root).put('/application/settings', { silent_mode_enabled: false })
    expect((await pulled(project)).update_status).toBe('finished')
  })

  it('is dropped if the project is no longer a pull mirror', async () => {
    let requests = 0
    const server = createServer(() => void requests++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterAll(() => {
      server.close()
      server.closeAllConnections()
    })
    const project = await here.make.project({ owner: ada })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`
    await here.as(ada).put(`/projects/${project.id}`, { import_url: url, mirror: true })
    await expect.poll(() => requests).toBe(1)
    expect((await state(project)).update_status).toBe('started')
    await here.as(ada).put(`/projects/${project.id}`, { mirror: false })
    await here.drain()
    expect(here.ctx().db.many('SELECT 1 FROM pull_mirrors WHERE project_id = ?', project.id)).toEqual([])
  })
})
