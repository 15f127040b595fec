import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const maintainer = here.make.user()
const developer = here.make.user()
const stranger = here.make.user()
const group = await here.make.group({ visibility: 'public' })
const project = await here.make.project({ namespace_id: group.id, visibility: 'public' })
await here.make.member('projects', project.id, maintainer, 40)
await here.make.member('projects', project.id, developer, 30)
await here.make.member('groups', group.id, here.make.user({ username: 'gmaintainer' }), 40)

const at = `/projects/${project.id}/variables`
const as = here.as(maintainer)
const plain = {
  variable_type: 'env_var',
  protected: false,
  masked: false,
  raw: false,
  environment_scope: '*',
  description: null,
}
const NOT_FOUND = { message: '404 Variable Not Found' }

describe('variables of a project', () => {
  it('can be added, shown, listed, changed and deleted', async () => {
    const made = await as.post(at, { key: 'HARBOUR', value: 'north' })
    expect([made.status, made.body]).toEqual([201, { ...plain, key: 'HARBOUR', value: 'north' }])
    expect((await as.get(`${at}/HARBOUR`)).body).toEqual(made.body)
    const list = await as.get(at)
    expect(list.body).toEqual([made.body])
    expect([list.headers.get('x-total'), list.headers.get('cache-control')]).toEqual(['1', 'no-store'])
    const changes = {
      value: 'c2VjcmV0LXRpZGU=',
      masked: true,
      protected: true,
      raw: true,
      variable_type: 'file',
      environment_scope: 'review/*',
      description: 'Where it lies',
    }
    const changed = await as.put(`${at}/HARBOUR`, changes)
    expect([changed.status, changed.body]).toEqual([200, { key: 'HARBOUR', ...changes }])
    expect((await as.put(`${at}/HARBOUR`, {})).body).toEqual(changed.body)
    expect((await as.delete(`${at}/HARBOUR`)).status).toBe(204)
    expect((await as.get(`${at}/HARBOUR`)).body).toEqual(NOT_FOUND)
    for (const method of ['put', 'delete'] as const)
      expect([404, NOT_FOUND]).toEqual(
        await as[method](`${at}/HARBOUR`, {}).then(({ status, body }) => [status, body]),
      )
  })

  it('are selected by their environment scope if several have the same name', async () => {
    await as.post(at, { key: 'DEPTH', value: 'two', environment_scope: 'production' })
    await as.post(at, { key: 'DEPTH', value: 'one' })
    const taken = await as.post(at, { key: 'DEPTH', value: 'x' })
    expect([taken.status, taken.body]).toEqual([
      400,
      { message: { key: ['(DEPTH) has already been taken'] } },
    ])
    const text =
      "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'"
    for (const method of ['get', 'put', 'delete'] as const) {
      const refused = await as[method](`${at}/DEPTH`)
      expect([refused.status, refused.body]).toEqual([409, { message: text }])
    }
    const variablePath = `${at}/DEPTH?filter[environment_scope]=production`
    expect((await as.get(variablePath)).body.value).toBe('two')
    expect((await as.get(`${at}/DEPTH?filter[environment_scope]=staging`)).body).toEqual(NOT_FOUND)
    expect((await as.put(variablePath, { value: 'three' })).body.value).toBe('three')
    expect((await as.put(variablePath, { environment_scope: '*' })).body).toEqual(taken.body)
    const inBody = { filter: { environment_scope: 'production' }, value: 'four' }
    expect((await as.put(`${at}/DEPTH`, inBody)).body.value).toBe('four')
    expect((await as.delete(variablePath)).status).toBe(204)
    expect((await as.get(`${at}/DEPTH`)).body.value).toBe('one')
    expect((await as.get(`${at}/DEPTH?filter=x`)).body).toEqual({ error: 'filter is invalid' })
  })

  it('are validated', async () => {
    const wrong = async (params: object) => {
      const { status, body } = await as.post(at, { key: 'WRONG', value: 'x', ...params })
      return [status, body.message ?? body.error]
    }
    const letters = "can contain only letters, digits and '_'."
    expect(await wrong({ key: 'a-b' })).toEqual([400, { key: [letters] }])
    expect(await wrong({ key: ' ' })).toEqual([400, { key: ["can't be blank", letters] }])
    expect(await wrong({ key: 'K'.repeat(256) })).toEqual([
      400,
      { key: ['is too long (maximum is 255 characters)'] },
    ])
    const long = 'v'.repeat(10_001)
    expect(await wrong({ value: long })).toEqual([
      400,
      { value: ['is too long (maximum is 10000 characters)'] },
    ])
    for (const value of ['short', 'two\nlines of it', 'with space', 'dollar$ign'])
      expect(await wrong({ masked: true, value })).toEqual([400, { value: ['is invalid'] }])
    expect(await wrong({ environment_scope: 'a;b' })).toEqual([
      400,
      {
        environment_scope: [
          "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces",
        ],
      },
    ])
    expect(await wrong({ variable_type: 'secret' })).toEqual([
      400,
      'variable_type does not have a valid value',
    ])
    expect((await as.post(at, {})).body).toEqual({ error: 'key is missing, value is missing' })
    expect((await as.get(`${at}/WRONG`)).status).toBe(404)
    // A value that cannot be masked stays unmasked.
    await as.post(at, { key: ' SPACED ', value: '' })
    const masked = await as.put(`${at}/SPACED`, { masked: true })
    expect([masked.status, masked.body]).toEqual([400, { message: { value: ['is invalid'] } }])
  })

  it('are limited to maintainers', async () => {
    expect((await here.as(developer).get(at)).body).toEqual({ message: '403 Forbidden' })
    expect((await here.as(developer).post(at, { key: 'A', value: 'b' })).status).toBe(403)
    expect((await here.as(stranger).get(at)).status).toBe(403)
    expect((await here.as(null).get(at)).status).toBe(401)
    const hidden = await here.make.project()
    expect((await as.get(`/projects/${hidden.id}/variables`)).status).toBe(404)
  })

  it('are stored encrypted in the database', async () => {
    await as.post(at, { key: 'SEALED', value: 'plain words' })
    const row = here.ctx().db.one<{ value: string }>("SELECT value FROM ci_variables WHERE key = 'SEALED'")
    expect(row?.value).toMatch(/^v1:/)
    expect(row?.value).not.toContain('plain')
  })
})

describe('variables of a group and of the instance', () => {
  it('are limited to owners of the group', async () => {
    const own = `/groups/${group.id}/variables`
    const made = await root.post(own, { key: 'FLEET', value: 'seven', environment_scope: 'sea' })
    expect([made.status, made.body]).toEqual([
      201,
      { ...plain, key: 'FLEET', value: 'seven', environment_scope: 'sea' },
    ])
    expect((await root.get(`${own}/FLEET?filter[environment_scope]=sea`)).body).toEqual(made.body)
    expect((await root.put(`${own}/FLEET`, { value: 'eight' })).body.value).toBe('eight')
    expect((await as.get(own)).status).toBe(403)
    expect((await root.delete(`${own}/FLEET`)).status).toBe(204)
    expect((await root.get(`${own}/FLEET`)).body).toEqual(NOT_FOUND)
  })

  it('are limited to administrators of the instance', async () => {
    const own = '/admin/ci/variables'
    const { environment_scope: _, ...everywhere } = plain
    const made = await root.post(own, { key: 'MIRROR', value: 'here' })
    expect([made.status, made.body]).toEqual([201, { ...everywhere, key: 'MIRROR', value: 'here' }])
    const again = await root.post(own, { key: 'MIRROR', value: 'there' })
    expect([again.status, again.body]).toEqual([
      400,
      { message: { key: ['(MIRROR) has already been taken'] } },
    ])
    expect((await root.get(own)).body).toEqual([made.body])
    expect((await as.get(own)).body).toEqual({ message: '403 Forbidden' })
    expect((await root.put(`${own}/MIRROR`, { protected: true })).body.protected).toBe(true)
    expect((await root.delete(`${own}/MIRROR`)).status).toBe(204)
    expect((await root.get(`${own}/MIRROR`)).body).toEqual(NOT_FOUND)
  })
})
