import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from '../repository/fill.ts'

const clock = frozenClock('2026-11-22T10:00:00.000Z')
const here = await world({ clock })
const there = await world({ clock })
const MINUTE = 60_000
const ada = here.make.user({ username: 'ada' })
const developer = here.make.user()
const stranger = here.make.user()
const bob = there.make.user({ username: 'bob' })
const TOKEN = there.make.token(bob, ['write_repository'])
const local = (allowed: boolean) =>
  here
    .as(here.root)
    .put('/application/settings', { allow_local_requests_from_web_hooks_and_services: allowed })
await local(true)

const source = await here.make.project({ owner: ada, name: 'Source', visibility: 'public' })
const at = `/projects/${source.id}/remote_mirrors`
fill(here, source, [{ files: { 'a.txt': 'a' } }, { branch: 'topic', files: { 'b.txt': 'b' } }])
await here.make.member('projects', source.id, developer, 30)
const host = new URL(there.url).host
let count = 0

/** An empty project on the other instance, and a mirror that pushes to it. */
async function mirrored(params: object = {}) {
  const target = await there.make.project({ owner: bob, name: `Target ${++count}` })
  const url = `http://bob:${TOKEN}@${host}/${target.path_with_namespace}.git`
  const made = await here.as(ada).post(at, { url, enabled: true, ...params })
  expect(made.status).toBe(201)
  return { target, url, id: made.body.id as number, mirror: `${at}/${made.body.id}` }
}

/** Runs the requested update, and returns the mirror. */
async function synced(mirror: string) {
  clock.advance(6 * MINUTE)
  expect((await here.as(ada).post(`${mirror}/sync`)).status).toBe(204)
  await here.drain()
  return (await here.as(ada).get(mirror)).body
}

const branches = (world: typeof here, project: { id: number }) =>
  shell(onDisk(world, project), ['for-each-ref', '--format=%(refname:short)', 'refs/heads'])
    .split('\n')
    .filter(Boolean)
const commitTo = (
  world: typeof here,
  who: typeof ada,
  project: { id: number },
  branch: string,
  file: string,
) =>
  world.as(who).post(`/projects/${project.id}/repository/commits`, {
    branch,
    ...(branch === 'main' || branch === 'topic' ? {} : { start_branch: 'main' }),
    commit_message: file,
    actions: [{ action: 'create', file_path: file, content: file }],
  })

describe('the endpoints', () => {
  it('create, list, show, update and delete, and never show credentials', async () => {
    const received = watchEvents(here, 'remote_mirror.changed')
    const url = 'https://me:pass%20word@mirror.example.test/group/x.git'
    const made = await here.as(ada).post(at, { url })
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        enabled: false,
        url: 'https://*****:*****@mirror.example.test/group/x.git',
        update_status: 'none',
        last_update_at: null,
        last_update_started_at: null,
        last_successful_update_at: null,
        last_error: null,
        only_protected_branches: false,
        keep_divergent_refs: false,
        auth_method: 'password',
        mirror_branch_regex: null,
      },
    ])
    const remoteMirrorPath = `${at}/${made.body.id}`
    expect((await here.as(ada).get(at)).body).toEqual([made.body])
    expect((await here.as(ada).get(remoteMirrorPath)).body).toEqual(made.body)
    const changed = await here
      .as(ada)
      .put(remoteMirrorPath, { enabled: true, keep_divergent_refs: true, only_protected_branches: 1 })
    expect(changed.body).toMatchObject({
      enabled: true,
      keep_divergent_refs: true,
      only_protected_branches: true,
    })
    expect((await here.as(ada).put(remoteMirrorPath, { mirror_branch_regex: '^v' })).body).toMatchObject({
      mirror_branch_regex: '^v',
      only_protected_branches: false,
    })
    const stored = JSON.stringify(here.ctx().db.many('SELECT * FROM remote_mirrors'))
    expect(stored).not.toMatch(/pass.{1,3}word/)
    expect((await here.as(ada).delete(remoteMirrorPath)).status).toBe(204)
    expect((await here.as(ada).get(remoteMirrorPath)).status).toBe(404)
    expect((await here.as(ada).delete(remoteMirrorPath)).body).toEqual({ message: '404 Not Found' })
    const own = received.filter((event) => event['mirror_id'] === made.body.id)
    expect(own.map((event) => event['action'])).toEqual(['created', 'updated', 'updated', 'deleted'])
  })

  it('are limited to maintainers, or to administrators by a setting', async () => {
    const refused = { message: '401 Unauthorized' }
    for (const who of [developer, stranger, null]) {
      const answer = await here.as(who).get(at)
      expect([answer.status, answer.body]).toEqual([401, refused])
    }
    const { mirror } = await mirrored()
    await here.as(here.root).put('/application/settings', { mirror_available: false })
    for (const answer of [
      await here.as(ada).get(at),
      await here.as(ada).post(at, { url: 'https://example.test/x.git' }),
      await here.as(ada).post(`${mirror}/sync`),
    ])
      expect([answer.status, answer.body]).toEqual([401, refused])
    const access = async (who: typeof ada) =>
      (await here.as(who).get(`/-/projects/${source.id}/mirrors/access`)).body
    expect(await access(ada)).toEqual({ may_manage: false, is_silent: false })
    expect(await access(here.root)).toEqual({ may_manage: true, is_silent: false })
    expect((await here.as(here.root).get(mirror)).body.enabled).toBe(false)
    expect((await here.as(here.root).post(`${mirror}/sync`)).body).toEqual({
      message: 'Cannot proceed with the push mirroring. Please verify your mirror configuration.',
    })
    expect((await here.as(here.root).put(mirror, { enabled: true })).body.enabled).toBe(true)
    await here.as(here.root).put('/application/settings', { mirror_available: true })
    await here.as(ada).delete(mirror)
  })

  const URLS: [string, string][] = [
    ['', "can't be blank"],
    ['example.test/x.git', 'is blocked: Only allowed schemes are http, https, ssh, git'],
    ['git@example.test:x.git', 'is blocked: Only allowed schemes are http, https, ssh, git'],
    ['ftp://example.test/x.git', 'is blocked: Only allowed schemes are http, https, ssh, git'],
    ['file:///etc/passwd', 'is blocked: Only allowed schemes are http, https, ssh, git'],
    ['ext::sh -c touch% /tmp/x', 'is blocked: Only allowed schemes are http, https, ssh, git'],
    ['https://', 'is blocked: URI is invalid'],
    ['https://exa mple.test/x', 'is blocked: URI is invalid'],
    ['https://example.test/x\n--upload-pack=y', 'is blocked: URI is invalid'],
    ['ssh://-oProxyCommand=id/x.git', 'is blocked: Hostname or IP address invalid'],
    ['https://-me:x@example.test/x', 'is blocked: Username needs to start with an alphanumeric character'],
    ['ssh://-lroot@example.test/x', 'is blocked: Username needs to start with an alphanumeric character'],
    ['https://%zz@example.test/x', 'is blocked: URI is invalid'],
    ['https://*****:*****@example.test/x.git', 'requires a user name and password'],
    ['http://169.254.169.254/x.git', 'is blocked: Requests to the local network are not allowed'],
  ]
  it.each(URLS)('refuse the address %j', async (url, sentence) => {
    const answer = await here.as(ada).post(at, { url })
    expect([answer.status, answer.body]).toEqual([400, { message: { url: [sentence] } }])
  })

  it('refuse other invalid values', async () => {
    const post = async (params: object) => (await here.as(ada).post(at, params)).body
    const url = 'https://example.test/x.git'
    expect(await post({})).toEqual({ error: 'url is missing' })
    expect(await post({ url, auth_method: 'none' })).toEqual({
      error: 'auth_method does not have a valid value',
    })
    expect(await post({ url, enabled: 'maybe' })).toEqual({ error: 'enabled is invalid' })
    expect((await post({ url, mirror_branch_regex: '(' })).message.mirror_branch_regex[0]).toMatch(
      /^not valid RE2/,
    )
    expect(await post({ url, mirror_branch_regex: '(?:.?){1000}'.repeat(20) })).toEqual({
      message: { mirror_branch_regex: ['not valid RE2 syntax: the pattern is too large'] },
    })
    expect(await post({ url, mirror_branch_regex: 'x', only_protected_branches: true })).toEqual({
      error: 'only_protected_branches, mirror_branch_regex are mutually exclusive',
    })
    const other = await here.make.project({ owner: ada })
    const there = `/projects/${other.id}/remote_mirrors`
    for (let n = 0; n < 10; n++) expect((await here.as(ada).post(there, { url })).status).toBe(201)
    expect((await here.as(ada).post(there, { url })).body).toEqual({
      message: { base: ['Maximum number of mirrors (10) exceeded'] },
    })
    const [first] = (await here.as(ada).get(there)).body
    expect((await here.as(ada).get(`${at}/${first.id}`)).status).toBe(404)
    expect((await here.as(ada).post(`${there}/${first.id}/sync`)).status).toBe(400)
    expect((await here.as(ada).get(`${there}/${first.id}/public_key`)).body).toEqual({
      message: '404 Public Key Not Found',
    })
  })

  it('apply the settings for local addresses, on save and on update', async () => {
    const { mirror, url } = await mirrored()
    await local(false)
    const refused = await here.as(ada).post(at, { url })
    expect(refused.body).toEqual({
      message: { url: ['is blocked: Requests to the local network are not allowed'] },
    })
    expect(await synced(mirror)).toMatchObject({
      update_status: 'failed',
      last_error: 'The remote mirror URL is invalid.',
    })
    await local(true)
    await here.as(ada).delete(mirror)
  })
})

describe('an update', () => {
  it('follows a push, at least five seconds after the last start', async () => {
    const { target, mirror } = await mirrored()
    await commitTo(here, ada, source, 'topic', 'one.txt')
    await here.drain()
    const now = new Date(clock.now()).toISOString()
    expect((await here.as(ada).get(mirror)).body).toMatchObject({
      update_status: 'finished',
      last_error: null,
      last_update_started_at: now,
      // The clock of the test stands still, but the duration of the update is measured.
      last_update_at: expect.stringContaining(now.slice(0, 16)),
      last_successful_update_at: expect.stringContaining(now.slice(0, 16)),
    })
    expect(branches(there, target)).toEqual(['main', 'topic'])
    await commitTo(here, ada, source, 'topic', 'two.txt')
    await commitTo(here, ada, source, 'topic', 'three.txt')
    await here.drain()
    const waiting = () =>
      here.ctx().db.many("SELECT run_at FROM jobs WHERE name = 'mirrors.push' AND state = 'ready'")
    expect(waiting()).toEqual([{ run_at: new Date(clock.now() + 5000).toISOString() }])
    clock.advance(5000)
    await here.drain()
    const tip = shell(onDisk(here, source), ['rev-parse', 'topic'])
    expect(shell(onDisk(there, target), ['rev-parse', 'topic'])).toBe(tip)
    expect(waiting()).toEqual([])
    await here.as(ada).delete(mirror)
  })

  it('starts at once on request, in place of a waiting one', async () => {
    const { target, mirror } = await mirrored()
    await commitTo(here, ada, source, 'topic', 'four.txt')
    await here.drain()
    await commitTo(here, ada, source, 'topic', 'five.txt')
    await here.drain()
    const tip = shell(onDisk(here, source), ['rev-parse', 'topic'])
    expect(shell(onDisk(there, target), ['rev-parse', 'topic'])).not.toBe(tip)
    expect((await here.as(ada).post(`${mirror}/sync`)).status).toBe(204)
    await here.drain()
    expect(shell(onDisk(there, target), ['rev-parse', 'topic'])).toBe(tip)
    expect((await here.as(ada).get(mirror)).body).toMatchObject({ update_status: 'finished' })
    await here.as(ada).delete(mirror)
  })

  it('includes protected branches only, or those of a pattern, and all tags', async () => {
    const first = await mirrored({ only_protected_branches: true })
    const second = await mirrored({ mirror_branch_regex: '^to' })
    await here.as(ada).post(`/projects/${source.id}/repository/tags`, { tag_name: 'v1', ref: 'topic' })
    await here.as(ada).post(`/projects/${source.id}/protected_branches`, { name: 'mai*' })
    expect((await synced(first.mirror)).update_status).toBe('finished')
    expect((await synced(second.mirror)).update_status).toBe('finished')
    expect(branches(there, first.target)).toEqual(['main'])
    expect(branches(there, second.target)).toEqual(['topic'])
    expect(shell(onDisk(there, first.target), ['tag'])).toBe('v1')
    for (const { mirror } of [first, second]) await here.as(ada).delete(mirror)
  })

  it('can skip diverged branches with one mail, and otherwise overwrites them', async () => {
    const { target, mirror } = await mirrored({ keep_divergent_refs: true })
    await here.as(ada).delete(`/projects/${source.id}/repository/branches/side`)
    await commitTo(here, ada, source, 'side', 'side.txt')
    await synced(mirror)
    const theirs = {
      branch: 'side',
      commit_message: 'x',
      actions: [{ action: 'create', file_path: 'x', content: 'x' }],
    }
    await there.as(bob).post(`/projects/${target.id}/repository/commits`, theirs)
    const ours = { ...theirs, actions: [{ action: 'create', file_path: 'y', content: 'y' }] }
    await here.as(ada).post(`/projects/${source.id}/repository/commits`, ours)
    const mails = () => here.ctx().db.many<{ text: string }>('SELECT text FROM mails ORDER BY id')
    const before = mails().length
    const text = 'Some refs have diverged and have not been updated on the remote:\n\nrefs/heads/side'
    expect(await synced(mirror)).toMatchObject({ update_status: 'failed', last_error: text })
    await synced(mirror)
    expect(mails().slice(before)).toEqual([{ text: expect.stringContaining(text) }])
    expect(mails().at(-1)!.text).not.toContain(TOKEN)
    await here.as(ada).put(mirror, { keep_divergent_refs: false })
    expect(await synced(mirror)).toMatchObject({ update_status: 'finished', last_error: null })
    const tip = (world: typeof here, project: { id: number }) =>
      shell(onDisk(world, project), ['rev-parse', 'side'])
    expect(tip(there, target)).toBe(tip(here, source))
    await here.as(ada).delete(`/projects/${source.id}/repository/branches/side`)
    await synced(mirror)
    expect(branches(there, target)).not.toContain('side')
    await here.as(ada).delete(mirror)
  })

  it('is tried three times if the remote fails, and shows the error without credentials', async () => {
    const { mirror, target } = await mirrored()
    const wrong = `http://bob:s3cr3t-word@${host}/${target.path_with_namespace}.git`
    expect((await here.as(ada).put(mirror, { url: wrong })).body.update_status).toBe('finished')
    const states: string[] = []
    await here.as(ada).post(`${mirror}/sync`)
    for (let n = 0; n < 4; n++) {
      await here.drain()
      const { body } = await here.as(ada).get(mirror)
      states.push(body.update_status)
      expect(body.last_error).toMatch(/refuses/)
      expect(JSON.stringify(body)).not.toMatch(/s3cr3t/)
      clock.advance(5 * MINUTE)
    }
    expect(states).toEqual(['to_retry', 'to_retry', 'failed', 'failed'])
    const right = `http://bob:${TOKEN}@${host}/${target.path_with_namespace}.git`
    expect((await here.as(ada).put(mirror, { url: right })).body).toMatchObject({
      update_status: 'finished',
      last_error: null,
      last_update_at: null,
      last_successful_update_at: null,
    })
    expect((await synced(mirror)).last_successful_update_at).not.toBeNull()
    const masked = `http://*****:*****@${host}/${target.path_with_namespace}.git`
    expect((await here.as(ada).put(mirror, { url: masked })).body.last_successful_update_at).not.toBeNull()
    expect((await here.as(ada).put(mirror, { url: masked.replace(host, 'example.test') })).body).toEqual({
      message: { url: ['requires a user name and password'] },
    })
    expect((await synced(mirror)).update_status).toBe('finished')
    await here.as(ada).delete(mirror)
  })

  it('shows the refusals of the remote', async () => {
    const { mirror, target } = await mirrored()
    await there.as(bob).post(`/projects/${target.id}/archive`)
    expect(await synced(mirror)).toMatchObject({
      update_status: 'to_retry',
      last_error: expect.stringMatching(/archived/),
    })
    await here.as(ada).delete(mirror)
  })

  it('does not run in silent mode', async () => {
    const { mirror } = await mirrored()
    await here.as(here.root).put('/application/settings', { silent_mode_enabled: true })
    expect((await here.as(ada).get(mirror)).body.enabled).toBe(false)
    await commitTo(here, ada, source, 'topic', 'silent.txt')
    await here.drain()
    expect((await here.as(ada).get(mirror)).body.update_status).toBe('none')
    await here.as(here.root).put('/application/settings', { silent_mode_enabled: false })
    await here.as(ada).delete(mirror)
  })

  it('fails after an hour without an end, the first one after three', async () => {
    const { mirror, id } = await mirrored()
    const { db } = here.ctx()
    const begun = (hours: number) => new Date(clock.now() - hours * 60 * MINUTE).toISOString()
    const state = async () => {
      clock.advance(10 * MINUTE)
      await here.drain()
      return (await here.as(ada).get(mirror)).body
    }
    const set =
      "UPDATE remote_mirrors SET update_status = 'started', last_update_started_at = ?, last_update_at = ? WHERE id = ?"
    // The first check only stores the time.
    await state()
    db.exec(set, begun(2), null, id)
    expect((await state()).update_status).toBe('started')
    db.exec(set, begun(3), null, id)
    expect(await state()).toMatchObject({
      update_status: 'failed',
      last_error: 'The mirror update took too long to complete.',
    })
    db.exec(set, begun(1.1), begun(5), id)
    expect((await state()).update_status).toBe('failed')
    await here.as(ada).delete(mirror)
  })
})

describe('a hostile remote', async () => {
  let answer: RequestListener = (_, response) => void response.end()
  const requests: (string | undefined)[] = []
  const server = createServer((request, response) => {
    requests.push(request.url)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://user:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/x.git`
  const failing = async (mirror: string) => {
    const body = await synced(mirror)
    expect(body.update_status).toBe('to_retry')
    expect(body.last_error).not.toMatch(/hunter2|deskforge-test/)
    return body.last_error as string
  }
  const own = await here.make.project({ owner: ada, with: 'readme' })
  const mirrors = `/projects/${own.id}/remote_mirrors`
  const { body } = await here.as(ada).post(mirrors, { url, enabled: true })
  const mirror = `${mirrors}/${body.id}`

  it('fails the update by 401, redirects and garbage', async () => {
    answer = (_, response) =>
      void response.writeHead(401, { 'www-authenticate': 'Basic realm="hunter2"' }).end()
    expect(await failing(mirror)).toMatch(/refuses/)
    answer = (_, response) => void response.writeHead(302, { location: `${there.url}/x.git` }).end()
    expect(await failing(mirror)).toMatch(/redirect/)
    await here.as(ada).put(mirror, { url: `${url}?` })
    await here.as(ada).put(mirror, { url })
    answer = (_, response) => void response.end('<html>hello</html>')
    expect(await failing(mirror)).toMatch(/fatal: /)
  })

  it('that hangs is disconnected if the mirror is disabled, deleted or gets another address', async () => {
    answer = () => undefined
    for (const leave of [
      async () => {
        const off = await here.as(ada).put(mirror, { enabled: false })
        // No update runs, and no mail about a timeout is sent after an hour.
        expect(off.body).toMatchObject({ update_status: 'none', enabled: false })
        await here.as(ada).put(mirror, { enabled: true })
      },
      () => here.as(ada).put(mirror, { url: `${url.slice(0, -4)}-two.git` }),
      () => here.as(ada).delete(mirror),
    ]) {
      clock.advance(6 * MINUTE)
      await here.as(ada).post(`${mirror}/sync`)
      const seen = requests.length
      await expect.poll(() => requests.length).toBeGreaterThan(seen)
      expect((await here.as(ada).get(mirror)).body.update_status).toBe('started')
      await leave()
      await here.drain()
    }
    expect((await here.as(ada).get(mirror)).status).toBe(404)
  })
})
