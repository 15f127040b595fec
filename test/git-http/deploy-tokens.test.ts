import { describe, expect, it } from 'vitest'

import { storeRedirect } from '../../server/domains/namespaces/index.ts'
import { fill } from '../api/repository/fill.ts'
import { world } from '../support/world.ts'
import { addressOf, clone, git, local } from './remote.ts'

const instance = await world()
const { as, make, root } = instance
const address = addressOf(instance)
const owner = make.user({ username: 'owner' })
const group = await make.group({ owner })
const inGroup = await make.project({ owner, namespace_id: group.id })
const own = await make.project({ owner })
const open = await make.project({ owner, visibility: 'public' })
for (const project of [inGroup, own, open]) fill(instance, project, [{ files: { a: '1' } }])

interface Token {
  id: number
  username: string
  token: string
}
async function tokenOf(at: string, more: object = {}): Promise<Token> {
  const params = { name: 'CI', scopes: ['read_repository'], ...more }
  return (await as(owner).post(`${at}/deploy_tokens`, params)).body
}
const ofProject = await tokenOf(`/projects/${own.id}`)
const ofGroup = await tokenOf(`/groups/${group.id}`)

const read = (project: { path_with_namespace: string }, token: { username: string; token: string }) =>
  git('/', 'ls-remote', '-q', address(project, token))
const DENIED = expect.stringMatching(/Authentication failed|Access denied/)

describe('a deploy token', () => {
  it('reads the code of its project, or of every project of its group', async () => {
    expect(await clone(address(own, ofProject))).toBeTruthy()
    expect(await clone(address(inGroup, ofGroup))).toBeTruthy()
    const { body } = await as(owner).get(`/projects/${own.id}/deploy_tokens/${ofProject.id}`)
    expect(body).toMatchObject({ revoked: false, expired: false })
  })

  it('reads nothing else, and not after it was revoked or has expired', async () => {
    const ended = await tokenOf(`/projects/${own.id}`)
    instance
      .ctx()
      .db.exec("UPDATE deploy_tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE id = ?", ended.id)
    const registry = await tokenOf(`/projects/${own.id}`, { scopes: ['read_registry'] })
    const removed = await tokenOf(`/projects/${own.id}`)
    await as(owner).delete(`/projects/${own.id}/deploy_tokens/${removed.id}`)
    const refused = [
      read(inGroup, ofProject),
      read(own, ofGroup),
      read(own, { ...ofProject, username: 'owner' }),
      read(own, { ...ofProject, username: ofGroup.username }),
      read(own, { ...ofProject, token: 'nothing' }),
      read(own, ended),
      read(own, removed),
      read({ path_with_namespace: 'no/such' }, ofProject),
    ]
    for (const { code, stderr } of await Promise.all(refused)) expect([code, stderr]).toEqual([128, DENIED])
    expect((await read(own, registry)).stderr).toContain('403')
    // Git sends no credentials to public projects, so the test sends them itself.
    const refs = `${address(open)}/info/refs?service=git-upload-pack`
    const authorization = `Basic ${btoa(`${ofProject.username}:${ofProject.token}`)}`
    expect((await fetch(refs, { headers: { authorization } })).status).toBe(401)
    expect((await fetch(refs)).status).toBe(200)
  })

  it('never writes', async () => {
    const { code, stderr } = await git(local(), 'push', address(own, ofProject), 'main:other')
    expect([code, stderr]).toEqual([128, expect.stringContaining('403')])
  })

  it('reads no code of projects with a disabled repository', async () => {
    await as(owner).put(`/projects/${inGroup.id}`, { repository_access_level: 'disabled' })
    expect((await read(inGroup, ofGroup)).stderr).toContain('403')
    await as(owner).put(`/projects/${inGroup.id}`, { repository_access_level: 'enabled' })
  })
})

describe('git over HTTP', () => {
  it('can be disabled for the instance and for a group', async () => {
    const set = (value: string | null) =>
      as(root).put('/application/settings', { enabled_git_access_protocol: value })
    expect((await set('ssh')).body.enabled_git_access_protocol).toBe('ssh')
    expect((await read(own, ofProject)).stderr).toContain('403')
    expect((await set('nil')).body.enabled_git_access_protocol).toBeNull()
    expect((await set('carrier pigeon')).status).toBe(400)
    expect((await read(own, ofProject)).code).toBe(0)
    const sql = 'UPDATE namespaces SET enabled_git_access_protocol = ? WHERE id = ?'
    instance.ctx().db.exec(sql, 'ssh', group.id)
    expect((await read(inGroup, ofGroup)).stderr).toContain('403')
    instance.ctx().db.exec(sql, null, group.id)
    expect((await read(inGroup, ofGroup)).code).toBe(0)
  })

  it('finds a project at its former address', async () => {
    const { db, now } = instance.ctx()
    storeRedirect(db, { full_path: 'owner/before', project_id: own.id }, now)
    expect((await read({ path_with_namespace: 'owner/before' }, ofProject)).code).toBe(0)
    expect((await read({ path_with_namespace: 'owner/before' }, ofGroup)).code).toBe(128)
  })
})
