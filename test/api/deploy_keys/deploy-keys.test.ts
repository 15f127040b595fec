import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { ed25519Key } from '../users/keys/samples.ts'

const instance = await world()
const { as, make, root } = instance
const owner = make.user({ username: 'owner' })
const other = make.user({ username: 'other' })
const developer = make.user({ username: 'developer' })
const project = await make.project({ owner })
const second = await make.project({ owner })
const foreign = await make.project({ owner: other })
await make.member('projects', project.id, developer, 30)

const at = `/projects/${project.id}/deploy_keys`
const add = (more: object = {}, path = at, who = owner) =>
  as(who).post(path, { title: 'Robot', key: ed25519Key('robot@host'), ...more })

describe('the deploy keys of a project', () => {
  it('are added, changed and removed', async () => {
    const key = ed25519Key('robot@host')
    const { status, body } = await add({ key, expires_at: '2090-01-01' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      title: 'Robot',
      key,
      fingerprint: expect.stringMatching(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/),
      fingerprint_sha256: expect.stringMatching(/^SHA256:/),
      created_at: expect.any(String),
      expires_at: '2090-01-01T00:00:00.000Z',
      can_push: false,
    })
    expect((await as(owner).get(`${at}/${body.id}`)).body).toEqual(body)
    expect((await as(owner).get(at)).body).toEqual([body])
    const changed = await as(owner).put(`${at}/${body.id}`, { title: 'Machine', can_push: true })
    expect([changed.status, changed.body]).toEqual([200, { ...body, title: 'Machine', can_push: true }])
    expect((await as(owner).put(`${at}/${body.id}`, {})).body).toEqual({
      error: 'title, can_push are missing, at least one parameter must be provided',
    })
    expect((await as(owner).delete(`${at}/${body.id}`)).status).toBe(204)
    expect((await as(owner).get(`${at}/${body.id}`)).body).toEqual({ message: '404 Deploy Key Not Found' })
    expect((await as(owner).delete(`${at}/${body.id}`)).status).toBe(404)
    expect((await as(owner).put(`${at}/${body.id}`, { title: 'x' })).status).toBe(404)
  })

  it('may belong to several projects, each with its own write access', async () => {
    const key = ed25519Key()
    const { body } = await add({ key, can_push: true })
    expect((await add({ key })).body).toEqual(body)
    const there = `/projects/${second.id}/deploy_keys`
    const enabled = await as(owner).post(`${there}/${body.id}/enable`)
    expect([enabled.status, enabled.body]).toEqual([201, { ...body, can_push: false }])
    expect((await as(owner).post(`${there}/${body.id}/enable`)).status).toBe(201)
    const found = await as(root).get('/deploy_keys?per_page=100')
    const row = found.body.find((deployKey: { id: number }) => deployKey.id === body.id)
    expect(row.projects_with_write_access).toEqual([
      expect.objectContaining({ id: project.id, path_with_namespace: project.path_with_namespace }),
    ])
    expect((await as(root).get(`/keys/${body.id}`)).body).toMatchObject({
      user: { id: owner.id },
      deploy_keys_projects: [
        { project_id: project.id, can_push: true },
        { project_id: second.id, can_push: false },
      ],
    })
    expect((await as(owner).delete(`${at}/${body.id}`)).status).toBe(204)
    expect((await as(owner).get(`${there}/${body.id}`)).status).toBe(200)
    expect((await as(owner).delete(`${there}/${body.id}`)).status).toBe(204)
    expect((await as(root).get(`/keys/${body.id}`)).status).toBe(404)
  })

  it('are hidden in projects that the caller does not maintain', async () => {
    const key = ed25519Key()
    const { id } = (await add({ key }, `/projects/${foreign.id}/deploy_keys`, other)).body
    expect((await as(owner).post(`${at}/${id}/enable`)).body).toEqual({ message: '404 Deploy Key Not Found' })
    const again = await add({ key })
    expect([again.status, again.body.message.key]).toEqual([400, ['has already been taken']])
    const users = (await as(owner).post('/user/keys', { title: 'Own', key: ed25519Key() })).body
    expect((await as(owner).post(`${at}/${users.id}/enable`)).status).toBe(404)
  })

  it('may be public', async () => {
    const { status, body } = await as(root).post('/deploy_keys', { title: 'Everybody', key: ed25519Key() })
    expect([status, body.projects_with_write_access]).toEqual([201, []])
    expect((await as(owner).post(`${at}/${body.id}/enable`)).status).toBe(201)
    expect((await as(owner).put(`${at}/${body.id}`, { title: 'Mine' })).status).toBe(403)
    expect((await as(owner).put(`${at}/${body.id}`, { can_push: true })).status).toBe(200)
    expect((await as(owner).delete(`${at}/${body.id}`)).status).toBe(204)
    const left = (await as(root).get('/deploy_keys?public=true')).body
    expect(left.map((deployKey: { id: number }) => deployKey.id)).toEqual([body.id])
    expect((await as(owner).post('/deploy_keys', { title: 'No', key: ed25519Key() })).status).toBe(403)
    expect((await as(owner).get('/deploy_keys')).status).toBe(403)
  })

  it('refuse invalid values', async () => {
    expect((await add({ key: 'ssh-rsa no' })).body).toEqual({ message: { key: ['is invalid'] } })
    expect((await add({ title: '' })).body).toEqual({ message: { title: ["can't be blank"] } })
    expect((await add({}, at, developer)).status).toBe(403)
    expect((await as(developer).get(at)).status).toBe(403)
    expect((await as(other).get(at)).status).toBe(404)
  })

  it('are deleted with their project', async () => {
    const deletedProject = await make.project({ owner })
    const { id } = (await add({}, `/projects/${deletedProject.id}/deploy_keys`)).body
    expect((await as(owner).delete(`/projects/${deletedProject.id}`)).status).toBe(202)
    await instance.drain()
    expect((await as(root).get(`/keys/${id}`)).status).toBe(404)
  })

  it('are visible to users who maintain a project together', async () => {
    const shared = await make.project({ owner })
    await make.member('projects', shared.id, other, 40)
    const { id } = (await add({}, `/projects/${shared.id}/deploy_keys`)).body
    const own = (await add({}, `/projects/${second.id}/deploy_keys`)).body
    const ids = (body: { id: number }[]) => body.map((deployKey) => deployKey.id)
    expect(ids((await as(other).get('/users/owner/project_deploy_keys')).body)).toEqual([id])
    expect(ids((await as(owner).get(`/users/${owner.id}/project_deploy_keys`)).body)).toContain(own.id)
    expect((await as(developer).get('/users/owner/project_deploy_keys')).body).toEqual([])
    expect((await as(other).get('/users/nobody-here/project_deploy_keys')).body).toEqual({
      message: '404 User Not Found',
    })
  })
})
