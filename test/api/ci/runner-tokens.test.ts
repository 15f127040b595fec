import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const nobody = here.as(null)
const make = async (params: object = {}): Promise<{ id: number; token: string }> =>
  (await root.post('/user/runners', { runner_type: 'instance_type', ...params })).body
const refused = [403, { message: '403 Forbidden' }]

describe('a runner token', () => {
  it('can be verified', async () => {
    const { id, token } = await make()
    const info = {
      version: '19.4.0',
      platform: 'darwin',
      architecture: 'arm64',
      revision: 'r1',
      features: {},
    }
    const verified = await nobody.post('/runners/verify', { token, system_id: 's_one', info })
    expect([verified.status, verified.body]).toEqual([200, { id, token, token_expires_at: null }])
    const shown = (await root.get(`/runners/${id}`)).body
    expect([shown.version, shown.platform, shown.status, shown.contacted_at]).toEqual([
      '19.4.0',
      'darwin',
      'never_contacted',
      null,
    ])
    const [manager] = (await root.get(`/runners/${id}/managers`)).body
    expect(manager).toEqual({
      id: manager.id,
      system_id: 's_one',
      version: '19.4.0',
      revision: 'r1',
      platform: 'darwin',
      architecture: 'arm64',
      created_at: manager.created_at,
      contacted_at: null,
      ip_address: '127.0.0.1',
      status: 'never_contacted',
    })
    for (const wrong of ['', 'glrt-', `${token}x`, here.root.token]) {
      const { status, body } = await nobody.post('/runners/verify', { token: wrong })
      expect([status, body]).toEqual(refused)
    }
    expect((await nobody.post('/runners/verify', {})).body).toEqual({ error: 'token is missing' })
    // The endpoint reads only the token in the body, so the token of an administrator does not help.
    expect((await root.post('/runners/verify', { token: 'x' })).status).toBe(403)
  })

  it('deletes the runner with all its managers, or one manager', async () => {
    const { id, token } = await make()
    for (const system_id of ['s_a', 's_b']) await nobody.post('/runners/verify', { token, system_id })
    const answer = await nobody.delete('/runners/managers', { token, system_id: 's_a' })
    expect([answer.status, answer.text]).toEqual([204, ''])
    const names = async () =>
      (await root.get(`/runners/${id}/managers`)).body.map((row: { system_id: string }) => row.system_id)
    expect(await names()).toEqual(['s_b'])
    expect((await nobody.delete('/runners/managers', { token, system_id: 's_a' })).status).toBe(204)
    expect((await nobody.delete('/runners/managers', { token })).body).toEqual({
      error: 'system_id is missing',
    })
    expect((await nobody.delete('/runners/managers', { token: 'x', system_id: 's_b' })).status).toBe(403)
    const deleted = await nobody.delete('/runners', { token })
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    for (const path of ['/runners', '/runners/managers']) {
      const { status, body } = await nobody.delete(path, { token, system_id: 's_b' })
      expect([status, body]).toEqual(refused)
    }
    expect((await root.get(`/runners/${id}`)).body).toEqual({ message: '404 Runner Not Found' })
  })

  it('can be reset, which makes the old token invalid', async () => {
    const { id, token } = await make()
    const own = await nobody.post('/runners/reset_authentication_token', { token })
    expect([own.status, own.body]).toEqual([
      201,
      { token: expect.stringMatching(/^glrt-[\w-]{20}$/), token_expires_at: null },
    ])
    expect((await nobody.post('/runners/verify', { token })).status).toBe(403)
    expect((await nobody.post('/runners/verify', { token: own.body.token })).body.id).toBe(id)
    const again = await nobody.post('/runners/reset_authentication_token', { token })
    expect([again.status, again.body]).toEqual(refused)
    const byAdmin = await root.post(`/runners/${id}/reset_authentication_token`)
    expect([byAdmin.status, byAdmin.body.token_expires_at]).toEqual([201, null])
    expect((await nobody.post('/runners/verify', { token: own.body.token })).status).toBe(403)
    expect((await nobody.post('/runners/verify', { token: byAdmin.body.token })).status).toBe(200)
    const other = here.as(here.make.user())
    expect((await other.post(`/runners/${id}/reset_authentication_token`)).status).toBe(403)
    expect((await nobody.post(`/runners/${id}/reset_authentication_token`)).status).toBe(401)
    expect((await root.post('/runners/999999/reset_authentication_token')).status).toBe(404)
  })

  it('shows the runner as online from its first job request', async () => {
    const { id, token } = await make()
    const answer = await nobody.post('/jobs/request', {
      token,
      system_id: 's_home',
      info: { name: 'gitlab-runner', version: '15.11.0', executor: 'docker', features: { cancelable: true } },
    })
    expect(answer.status).toBe(204)
    const shown = (await root.get(`/runners/${id}`)).body
    expect([shown.status, shown.online, shown.name, shown.ip_address]).toEqual([
      'online',
      true,
      'gitlab-runner',
      '127.0.0.1',
    ])
    expect(
      (await root.get('/runners/all?status=online')).body.map((runner: { id: number }) => runner.id),
    ).toContain(id)
    expect((await root.get(`/runners/${id}/managers`)).body[0]).toMatchObject({
      system_id: 's_home',
      status: 'online',
    })
    await nobody.post('/jobs/request', { token, system_id: 's_home', info: { version: '15.11.1' } })
    expect((await root.get(`/runners/${id}`)).body).toMatchObject({
      version: '15.11.1',
      name: 'gitlab-runner',
    })
    // The values of the last contact are written to the database with a delay.
    const stored = () =>
      here.ctx().db.one<{ version: string }>('SELECT version FROM runners WHERE id = ?', id)!.version
    expect(stored()).toBe('15.11.0')
    here.ctx().bookkeeping.flush()
    expect(stored()).toBe('15.11.1')
  })
})
