import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const instance = await world()
const { as, make, root } = instance
const owner = make.user({ username: 'owner' })
const maintainer = make.user({ username: 'maintainer' })
const developer = make.user({ username: 'developer' })
const group = await make.group({ owner })
const project = await make.project({ owner, namespace_id: group.id })
await make.member('groups', group.id, maintainer, 40)
await make.member('groups', group.id, developer, 30)

const ofProject = `/projects/${project.id}/deploy_tokens`
const ofGroup = `/groups/${group.id}/deploy_tokens`
const params = { name: 'CI', scopes: ['read_repository'] }

describe.each([
  ['a project', ofProject, maintainer],
  ['a group', ofGroup, owner],
])('deploy tokens of %s', (_, at, who) => {
  it('are created, shown without their text, and deleted', async () => {
    const { status, body } = await as(who).post(at, { ...params, expires_at: '2090-01-01' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'CI',
      username: `gitlab+deploy-token-${body.id}`,
      expires_at: '2090-01-01T00:00:00.000Z',
      scopes: ['read_repository'],
      revoked: false,
      expired: false,
      token: expect.stringMatching(/^[\w-]{20}$/),
    })
    const { token, ...shown } = body
    expect((await as(who).get(`${at}/${body.id}`)).body).toEqual(shown)
    expect((await as(maintainer).get(at)).body).toContainEqual(shown)
    expect((await as(root).get('/deploy_tokens')).body).toContainEqual(shown)
    const stored = instance.ctx().db.one('SELECT * FROM deploy_tokens WHERE id = ?', body.id)
    expect(JSON.stringify(stored)).not.toContain(token)
    expect((await as(who).delete(`${at}/${body.id}`)).status).toBe(204)
    expect((await as(who).get(`${at}/${body.id}`)).body).toEqual({ message: '404 Deploy Token Not Found' })
    expect((await as(who).delete(`${at}/${body.id}`)).status).toBe(404)
  })

  it('may have a custom user name', async () => {
    const { body } = await as(who).post(at, { ...params, username: 'ci.bot+1@x' })
    expect(body.username).toBe('ci.bot+1@x')
    const bad = await as(who).post(at, { ...params, username: 'a b' })
    expect([bad.status, Object.keys(bad.body.message)]).toEqual([400, ['username']])
  })

  it('never open the API', async () => {
    const { token } = (await as(who).post(at, params)).body
    expect((await as(null).get(at, { 'private-token': token })).status).toBe(401)
    expect((await as(null).get(at, { authorization: `Bearer ${token}` })).status).toBe(401)
    expect((await as(null).get('/user', { 'private-token': token })).body).toEqual({
      message: '401 Unauthorized',
    })
  })

  it('are filtered by activity', async () => {
    const { id } = (await as(who).post(at, params)).body
    const ended = (await as(who).post(at, params)).body
    instance
      .ctx()
      .db.exec("UPDATE deploy_tokens SET expires_at = '2020-01-01T00:00:00.000Z' WHERE id = ?", ended.id)
    const ids = async (query: string) =>
      (await as(who).get(`${at}?per_page=100${query}`)).body.map(
        (deployToken: { id: number }) => deployToken.id,
      )
    expect(await ids('&active=true')).toContain(id)
    expect(await ids('&active=true')).not.toContain(ended.id)
    expect(await ids('&active=false')).toEqual([ended.id])
    expect((await as(who).get(`${at}/${ended.id}`)).body).toMatchObject({ expired: true })
  })

  it('refuse invalid values', async () => {
    const post = async (more: object) => (await as(who).post(at, { ...params, ...more })).body
    expect(await post({ scopes: ['api'] })).toEqual({ error: 'scopes does not have a valid value' })
    expect(await post({ scopes: [] })).toEqual({ message: { scopes: ["can't be blank"] } })
    expect(await post({ name: ' ' })).toEqual({ message: { name: ["can't be blank"] } })
    expect((await as(who).post(at, {})).body).toEqual({ error: 'name is missing, scopes is missing' })
    expect((await as(developer).get(at)).status).toBe(403)
    expect((await as(developer).post(at, params)).status).toBe(403)
    expect((await as(null).get(at)).status).toBe(404)
  })
})

describe('deploy tokens', () => {
  it('of a group are created by its owners', async () => {
    expect((await as(maintainer).post(ofGroup, params)).status).toBe(403)
  })

  it('of the instance are limited to administrators', async () => {
    expect((await as(owner).get('/deploy_tokens')).status).toBe(403)
    expect((await as(null).get('/deploy_tokens')).status).toBe(401)
  })

  it('of one project return 404 in another', async () => {
    const { id } = (await as(owner).post(ofProject, params)).body
    const other = await make.project({ owner })
    expect((await as(owner).get(`/projects/${other.id}/deploy_tokens/${id}`)).status).toBe(404)
    expect((await as(owner).get(`${ofGroup}/${id}`)).status).toBe(404)
  })
})
