import { createServer } from 'node:http'
import { mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { makeSshKeyPair } from '../../../server/lib/ssh/key-pair.ts'
import { hasSsh } from '../../git-ssh/client.ts'
import { shell } from '../../support/git.ts'
import { world, type World } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from '../repository/fill.ts'

const clock = frozenClock('2026-11-22T10:00:00.000Z')
const MINUTE = 60_000
const a = await world({ clock })
const b = await world({ clock, sshPort: 0 })
const ada = a.make.user({ username: 'ada' })
const bob = b.make.user({ username: 'bob' })
for (const instance of [a, b])
  await instance
    .as(instance.root)
    .put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })

const tokens = {
  ada: a.make.token(ada, ['write_repository']),
  bob: b.make.token(bob, ['write_repository']),
}
const addressOf = (world: World, login: 'ada' | 'bob', project: { path_with_namespace: string }) =>
  `http://${login}:${tokens[login]}@${new URL(world.url).host}/${project.path_with_namespace}.git`
const refs = (world: World, project: { id: number }) =>
  shell(onDisk(world, project), [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads',
    'refs/tags',
  ])
const commit = (world: World, who: typeof ada, project: { id: number }, file: string, branch = 'main') =>
  world.as(who).post(`/projects/${project.id}/repository/commits`, {
    branch,
    commit_message: file,
    actions: [{ action: 'create', file_path: file, content: file }],
  })

/** Runs the jobs of both instances several times, with six minutes between. */
async function settle(rounds = 3) {
  for (let n = 0; n < rounds; n++) {
    await a.drain()
    await b.drain()
    clock.advance(6 * MINUTE)
  }
}

describe('two instances', () => {
  it('stop after both are equal if each pushes to the other', async () => {
    const project = await a.make.project({ owner: ada, name: 'Both' })
    const other = await b.make.project({ owner: bob, name: 'Both' })
    fill(a, project, [{ files: { a: 'a' } }])
    const pushes = { a: watchEvents(a, 'refs.updated'), b: watchEvents(b, 'refs.updated') }
    const made = [
      await a
        .as(ada)
        .post(`/projects/${project.id}/remote_mirrors`, { url: addressOf(b, 'bob', other), enabled: true }),
      await b
        .as(bob)
        .post(`/projects/${other.id}/remote_mirrors`, { url: addressOf(a, 'ada', project), enabled: true }),
    ]
    expect(made.map((answer) => answer.status)).toEqual([201, 201])
    await commit(a, ada, project, 'from-a')
    await settle()
    expect(refs(b, other)).toBe(refs(a, project))
    await commit(b, bob, other, 'from-b')
    await settle()
    expect(refs(a, project)).toBe(refs(b, other))
    expect(shell(onDisk(a, project), ['ls-tree', '--name-only', 'main']).split('\n')).toEqual([
      'a',
      'from-a',
      'from-b',
    ])
    // Each has its own change and the change of the other instance.
    expect([pushes.a.length, pushes.b.length]).toEqual([2, 2])
    const states = () => a.ctx().db.many("SELECT 1 FROM jobs WHERE name = 'mirrors.push' AND state = 'ready'")
    expect(states()).toEqual([])
  })

  it('stay equal if one pushes and the other pulls', async () => {
    const project = await a.make.project({ owner: ada, name: 'Upstream', with: 'readme' })
    const copy = await b.make.project({ owner: bob, name: 'Copy' })
    await b.as(bob).put(`/projects/${copy.id}`, { import_url: addressOf(a, 'ada', project), mirror: true })
    await a.as(ada).post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'main' })
    await settle()
    await commit(a, ada, project, 'next')
    await b.as(bob).post(`/projects/${copy.id}/mirror/pull`)
    await settle()
    expect(refs(b, copy)).toBe(refs(a, project))
    // An update of the mirror publishes events like any push.
    const { body: events } = await b.as(bob).get(`/projects/${copy.id}/events?action=pushed`)
    expect(events[0]).toMatchObject({ action_name: 'pushed to', push_data: { ref: 'main', commit_count: 1 } })
  })

  it.runIf(hasSsh)('push over SSH with a key of the mirror, and verify the host key', async () => {
    const project = await a.make.project({ owner: ada, name: 'By key', with: 'readme' })
    const other = await b.make.project({ owner: bob, name: 'By key' })
    const ssh = b.ctx().config.sshPort
    const url = `ssh://git@127.0.0.1:${ssh}/${other.path_with_namespace}.git`
    const mirrors = `/projects/${project.id}/remote_mirrors`
    const made = await a.as(ada).post(mirrors, { url, enabled: true, auth_method: 'ssh_public_key' })
    expect([made.status, made.body.url]).toEqual([201, url])
    const mirror = `${mirrors}/${made.body.id}`
    const { body } = await a.as(ada).get(`${mirror}/public_key`)
    expect(body.public_key).toMatch(/^ssh-ed25519 [A-Za-z0-9+/=]+ git@/)
    const sync = async () => {
      clock.advance(6 * MINUTE)
      await a.as(ada).post(`${mirror}/sync`)
      await a.drain()
      return (await a.as(ada).get(mirror)).body
    }
    expect(await sync()).toMatchObject({
      update_status: 'to_retry',
      last_error: expect.stringMatching(/SSH key/),
    })
    const key = { title: 'mirror', key: body.public_key }
    expect((await b.as(bob).post('/user/keys', key)).status).toBe(201)
    expect(await sync()).toMatchObject({ update_status: 'finished', last_error: null })
    expect(refs(b, other)).toBe(refs(a, project))
    const row = () =>
      a.ctx().db.one<Record<string, string>>('SELECT * FROM remote_mirrors WHERE id = ?', made.body.id)!
    expect(row()['ssh_known_hosts']).toMatch(/^127\.0\.0\.1 /)
    expect(row()['ssh_private_key']).not.toMatch(/PRIVATE KEY/)
    // The instance does not trust another host at the same address.
    const another = `127.0.0.1 ${makeSshKeyPair('another').publicKey}\n`
    a.ctx().db.exec('UPDATE remote_mirrors SET ssh_known_hosts = ? WHERE id = ?', another, made.body.id)
    await commit(a, ada, project, 'more')
    expect(await sync()).toMatchObject({ last_error: expect.stringMatching(/another host key/) })
  })
})

describe('an interrupted update', () => {
  it('continues at the next start', async () => {
    const other = await b.make.project({ owner: bob, name: 'Later' })
    let isSilent = true
    let requests = 0
    // Sends no response at first, and forwards all requests later.
    const gate = createServer((request, response) => {
      requests++
      if (isSilent) return
      const target = new URL(request.url!, b.url)
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const hop = ['content-length', 'transfer-encoding', 'connection', 'host']
        const headers = Object.entries(request.headers)
          .filter(([name]) => !hop.includes(name))
          .map(([name, value]) => [name, String(value)] as [string, string])
        const body = request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}
        void fetch(target, { method: request.method!, headers, ...body }).then(async (answer) => {
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
          response.end(Buffer.from(await answer.arrayBuffer()))
        })
      })
    })
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
    const dataDir = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
    const before = await world({ dataDir })
    await before
      .as(before.root)
      .put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
    const project = await before.make.project({ with: 'readme' })
    const port = (gate.address() as AddressInfo).port
    const url = addressOf(b, 'bob', other).replace(new URL(b.url).host, `127.0.0.1:${port}`)
    const { body } = await before
      .as(before.root)
      .post(`/projects/${project.id}/remote_mirrors`, { url, enabled: true })
    const mirror = `/projects/${project.id}/remote_mirrors/${body.id}`
    await before.as(before.root).post(`${mirror}/sync`)
    await expect.poll(() => requests).toBe(1)
    await before.instance.close()
    isSilent = false
    const after = await world({ dataDir })
    const status = async () => (await after.as(after.root).get(mirror)).body.update_status
    expect(await status()).toBe('started')
    await expect.poll(status).toBe('finished')
    expect(refs(b, other)).toBe(refs(after, project))
    gate.close()
    gate.closeAllConnections()
  })
})
