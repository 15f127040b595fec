import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const nobody = here.as(null)
const owner = here.make.user()
const maintainer = here.make.user()
const group = await here.make.group({ owner })
const project = await here.make.project({ owner, namespace_id: group.id })
await here.make.member('projects', project.id, maintainer, 40)
const { token: instanceToken } = (await root.get('/-/runners/registration')).body
const FORBIDDEN = { message: '403 Forbidden' }
const info = {
  name: 'gitlab-runner',
  version: '15.11.0',
  revision: 'abcdef01',
  platform: 'linux',
  architecture: 'amd64',
  executor: 'shell',
  features: { variables: true },
  config: { gpus: 'all' },
}

describe('registering a runner', () => {
  it('accepts the registration token of the instance, a project or a group', async () => {
    const own = (await root.get(`/projects/${project.id}`)).body.runners_token
    const ofGroup = (await root.get(`/groups/${group.id}`)).body.runners_token
    const cases = [
      [instanceToken, 'instance_type', [], undefined],
      [own, 'project_type', [project.id], []],
      [ofGroup, 'group_type', [], [group.id]],
    ]
    for (const [token, type, projects, groups] of cases) {
      const made = await nobody.post('/runners', {
        token,
        description: 'north',
        tag_list: 'docker, linux',
        info,
      })
      expect(made.status).toBe(201)
      expect(made.body).toEqual({
        id: made.body.id,
        token: expect.stringMatching(/^glrtr-[\w-]{20}$/),
        token_expires_at: null,
      })
      const shown = (await root.get(`/runners/${made.body.id}`)).body
      expect(shown).toMatchObject({
        description: 'north',
        runner_type: type,
        tag_list: ['docker', 'linux'],
        name: 'gitlab-runner',
        version: '15.11.0',
        revision: 'abcdef01',
        platform: 'linux',
        architecture: 'amd64',
        ip_address: '127.0.0.1',
        status: 'never_contacted',
        online: null,
        contacted_at: null,
        locked: false,
        paused: false,
        active: true,
        run_untagged: true,
        access_level: 'not_protected',
        maximum_timeout: null,
        maintenance_note: null,
      })
      expect(shown.projects.map((project: { id: number }) => project.id)).toEqual(projects)
      expect(shown.groups?.map((group: { id: number }) => group.id)).toEqual(groups)
      expect(JSON.stringify(shown)).not.toContain(made.body.token)
    }
  })

  it('accepts all attributes of a runner', async () => {
    const params = {
      token: instanceToken,
      description: 'south',
      maintainer_note: 'ask the harbour',
      paused: 'true',
      locked: true,
      run_untagged: false,
      access_level: 'ref_protected',
      tag_list: ['a', ' a', 'b', ''],
      maximum_timeout: 600,
      info,
    }
    const { id } = (await nobody.post('/runners', params)).body
    expect((await root.get(`/runners/${id}`)).body).toMatchObject({
      paused: true,
      active: false,
      locked: true,
      run_untagged: false,
      access_level: 'ref_protected',
      tag_list: ['a', 'b'],
      maximum_timeout: 600,
      maintenance_note: 'ask the harbour',
    })
    const old = await nobody.post('/runners', { token: instanceToken, active: false, maintenance_note: 'x' })
    const shown = (await root.get(`/runners/${old.body.id}`)).body
    expect([shown.paused, shown.maintenance_note]).toEqual([true, 'x'])
  })

  it('refuses invalid attributes', async () => {
    const refusal = async (params: object) => {
      const { status, body } = await nobody.post('/runners', { token: instanceToken, ...params })
      return [status, body]
    }
    expect(await refusal({ token: undefined })).toEqual([400, { error: 'token is missing' }])
    for (const token of ['', 'x', 'GR1348941', here.root.token])
      expect(await refusal({ token })).toEqual([403, FORBIDDEN])
    expect(await refusal({ active: true, paused: false })).toEqual([
      400,
      { error: 'active, paused are mutually exclusive' },
    ])
    expect(await refusal({ run_untagged: false })).toEqual([
      400,
      { message: { tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] } },
    ])
    for (const maximum_timeout of [599, 0, -1])
      expect(await refusal({ maximum_timeout })).toEqual([
        400,
        { message: { maximum_timeout: ['needs to be at least 10 minutes'] } },
      ])
    expect(await refusal({ tag_list: Array.from({ length: 51 }, (_, n) => `t${n}`) })).toEqual([
      400,
      { message: { tag_list: ['Too many tags specified. Please limit the number of tags to 50'] } },
    ])
    expect(await refusal({ tag_list: ['t'.repeat(256)] })).toEqual([
      400,
      { message: { tag_list: ['is too long (maximum is 255 characters)'] } },
    ])
    expect(await refusal({ maintenance_note: 'n'.repeat(1025) })).toEqual([
      400,
      { message: { maintenance_note: ['is too long (maximum is 1024 characters)'] } },
    ])
    expect(await refusal({ access_level: 'all' })).toEqual([
      400,
      { error: 'access_level does not have a valid value' },
    ])
  })

  it('requires the new token after a reset', async () => {
    for (const [reset, who, at] of [
      [
        '/runners/reset_registration_token',
        root,
        () => root.get('/-/runners/registration').then(({ body }) => body.token),
      ],
      [
        `/projects/${project.id}/runners/reset_registration_token`,
        here.as(maintainer),
        () => root.get(`/projects/${project.id}`).then(({ body }) => body.runners_token),
      ],
      [
        `/groups/${group.id}/runners/reset_registration_token`,
        here.as(owner),
        () => root.get(`/groups/${group.id}`).then(({ body }) => body.runners_token),
      ],
    ] as const) {
      const before = await at()
      const answer = await who.post(reset)
      expect([answer.status, answer.body]).toEqual([201, { token: await at(), token_expires_at: null }])
      expect((await nobody.post('/runners', { token: before })).status).toBe(403)
      expect((await nobody.post('/runners', { token: answer.body.token })).status).toBe(201)
    }
  })

  it('has a token that only users with permission can read and reset', async () => {
    const stranger = here.as(here.make.user())
    const developer = here.make.user()
    await here.make.member('groups', group.id, developer, 30)
    const registration = '/-/runners/registration'
    expect((await root.get(registration)).body).toEqual({
      url: here.url,
      token: expect.stringMatching(/^[\w-]{20}$/),
    })
    for (const [who, status] of [
      [nobody, 401],
      [stranger, 403],
      [here.as(owner), 403],
    ] as const) {
      expect((await who.get(registration)).status).toBe(status)
      expect((await who.post('/runners/reset_registration_token')).status).toBe(status)
    }
    for (const at of [`/projects/${project.id}`, `/groups/${group.id}`]) {
      const reset = `${at}/runners/reset_registration_token`
      expect((await nobody.post(reset)).status).toBe(401)
      expect((await stranger.post(reset)).status).toBe(404)
      expect((await here.as(developer).post(reset)).status).toBe(403)
    }
    expect(
      (await here.as(maintainer).post(`/groups/${group.id}/runners/reset_registration_token`)).status,
    ).toBe(403)
  })

  it('stores no readable token in the database', async () => {
    const { body } = await nobody.post('/runners', {
      token: (await root.get('/-/runners/registration')).body.token,
    })
    const { db } = here.ctx()
    const all = JSON.stringify([db.many('SELECT * FROM runners'), db.many('SELECT * FROM runner_settings')])
    expect(all).not.toContain(body.token)
    expect(all).not.toContain((await root.get('/-/runners/registration')).body.token)
    expect(all).toContain(`"short_token":"${body.token.slice(6, 14)}"`)
  })
})

describe('creating a runner', () => {
  it('returns a token to users with permission', async () => {
    const cases = [
      [root, { runner_type: 'instance_type' }],
      [here.as(owner), { runner_type: 'group_type', group_id: group.id }],
      [here.as(maintainer), { runner_type: 'project_type', project_id: project.id }],
    ] as const
    for (const [who, target] of cases) {
      const made = await who.post('/user/runners', { ...target, description: 'west', tag_list: 'x' })
      expect(made.status).toBe(201)
      expect(made.body).toEqual({
        id: made.body.id,
        token: expect.stringMatching(/^glrt-[\w-]{20}$/),
        token_expires_at: null,
      })
      expect((await root.get(`/runners/${made.body.id}`)).body).toMatchObject({
        runner_type: target.runner_type,
        description: 'west',
        tag_list: ['x'],
      })
    }
  })

  it('requires the scope create_runner or api of a token', async () => {
    const create = async (scope: string) => {
      const token = here.make.token(maintainer, [scope])
      const params = { runner_type: 'project_type', project_id: project.id }
      const { status, body } = await here.as({ ...maintainer, token }).post('/user/runners', params)
      return [status, body.error]
    }
    expect(await create('create_runner')).toEqual([201, undefined])
    expect(await create('read_api')).toEqual([403, 'insufficient_scope'])
    const token = here.make.token(maintainer, ['create_runner'])
    expect((await here.as({ ...maintainer, token }).get('/runners')).status).toBe(403)
  })

  it('is refused without permission or with missing attributes', async () => {
    const stranger = here.as(here.make.user())
    const answer = async (who: typeof root, params: object) => {
      const { status, body } = await who.post('/user/runners', params)
      return [status, body]
    }
    const missing = [400, { message: '400 Bad request - Missing/invalid scope' }]
    expect((await answer(nobody, { runner_type: 'instance_type' }))[0]).toBe(401)
    expect(await answer(here.as(owner), { runner_type: 'instance_type' })).toEqual([403, FORBIDDEN])
    await here.make.member('groups', group.id, maintainer, 40)
    expect(await answer(here.as(maintainer), { runner_type: 'group_type', group_id: group.id })).toEqual([
      403,
      FORBIDDEN,
    ])
    expect(await answer(stranger, { runner_type: 'project_type', project_id: project.id })).toEqual(missing)
    expect(await answer(root, { runner_type: 'project_type' })).toEqual(missing)
    expect(await answer(root, { runner_type: 'group_type', group_id: 999_999 })).toEqual(missing)
    expect(await answer(root, {})).toEqual([400, { error: 'runner_type is missing' }])
    expect(await answer(root, { runner_type: 'x' })).toEqual([
      400,
      { error: 'runner_type does not have a valid value' },
    ])
    const sentences = [
      'Maximum timeout needs to be at least 10 minutes',
      'Tags list can not be empty when runner is not allowed to pick untagged jobs',
    ].join(' and ')
    expect(
      await answer(root, { runner_type: 'instance_type', run_untagged: false, maximum_timeout: 1 }),
    ).toEqual([400, { message: `400 Bad request - ${sentences}` }])
  })
})
