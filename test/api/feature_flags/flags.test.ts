import { describe, expect, it } from 'vitest'

import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { mayReceive } from '../../../server/domains.ts'
import { world } from '../../support/world.ts'

const here = await world()
const developer = here.make.user()
const reporter = here.make.user()
const project = await here.make.project({ visibility: 'public' })
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
const as = here.as(developer)
const at = `/projects/${project.id}/feature_flags`
const VERSION = 'new_version_flag'

let names = 0
const newName = () => `flag-${++names}`
const make = async (params: object = {}, name = newName()) => {
  const made = await as.post(at, { name, version: VERSION, ...params })
  if (made.status !== 201) throw new Error(made.text)
  return made.body
}
const scoped = (...scopes: string[]) => scopes.map((environment_scope) => ({ environment_scope }))
const problemsOf = async (strategy: object) => {
  const { status, body } = await as.post(at, { name: newName(), version: VERSION, strategies: [strategy] })
  return [status, body.message]
}
describe('feature flags', () => {
  it('are created, shown, listed by name, updated and deleted', async () => {
    const strategies = [
      {
        name: 'gradualRolloutUserId',
        parameters: { groupId: 'default', percentage: '50' },
        scopes: scoped('staging', 'review/*'),
      },
      { name: 'default', parameters: {} },
    ]
    const made = await as.post(at, { name: 'zebra', version: VERSION, description: 'Stripes', strategies })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      name: 'zebra',
      description: 'Stripes',
      active: true,
      version: VERSION,
      created_at: expect.stringMatching(/Z$/),
      updated_at: made.body.created_at,
      scopes: [],
      strategies: [
        {
          id: expect.any(Number),
          name: 'gradualRolloutUserId',
          parameters: { groupId: 'default', percentage: '50' },
          scopes: [
            { id: expect.any(Number), environment_scope: 'staging' },
            { id: expect.any(Number), environment_scope: 'review/*' },
          ],
          user_list: null,
        },
        { id: expect.any(Number), name: 'default', parameters: {}, scopes: [], user_list: null },
      ],
    })
    const ant = await make({ active: false }, 'ant')
    expect((await as.get(`${at}/zebra`)).body).toEqual(made.body)
    const list = await as.get(at)
    expect([list.headers.get('x-total'), list.body]).toEqual(['2', [ant, made.body]])
    expect((await as.get(`${at}?scope=enabled`)).body).toEqual([made.body])
    expect((await as.get(`${at}?scope=disabled`)).body).toEqual([ant])
    expect((await as.get(`${at}?per_page=1&page=2`)).body).toEqual([made.body])
    expect((await as.get(`${at}?scope=all`)).body).toEqual({ error: 'scope does not have a valid value' })

    const changed = await as.put(`${at}/zebra`, { name: 'okapi', description: null, active: false })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ name: 'okapi', description: null, active: false })
    expect(changed.body.strategies).toEqual(made.body.strategies)
    expect((await as.get(`${at}/zebra`)).status).toBe(404)
    const deleted = await as.delete(`${at}/okapi`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await as.delete(`${at}/okapi`)).body).toEqual({ message: '404 Feature Flag Not Found' })
  })

  it('return errors for an invalid name, description or version', async () => {
    const rule =
      "Name can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'"
    const answerTo = async (params: object) => {
      const { status, body } = await as.post(at, { version: VERSION, ...params })
      return [status, body]
    }
    expect(await answerTo({})).toEqual([400, { error: 'name is missing' }])
    const wrong = (...message: string[]) => [400, { message }]
    expect(await answerTo({ name: '' })).toEqual(
      wrong("Name can't be blank", 'Name is too short (minimum is 2 characters)', rule),
    )
    expect(await answerTo({ name: 'x' })).toEqual(wrong('Name is too short (minimum is 2 characters)'))
    expect(await answerTo({ name: 'x'.repeat(64) })).toEqual(
      wrong('Name is too long (maximum is 63 characters)'),
    )
    for (const name of ['Upper', '1st', 'ends-', 'ends_', 'with space', 'ünï', 'new\nline'])
      expect(await answerTo({ name })).toEqual(wrong(rule))
    const { name } = await make({}, `a${'-'.repeat(61)}z`)
    expect(await answerTo({ name })).toEqual(wrong('Name has already been taken'))
    const long = { name: 'described', description: 'x'.repeat(256) }
    expect(await answerTo(long)).toEqual(wrong('Description is too long (maximum is 255 characters)'))
    expect(await answerTo({ name: 'aged', version: 'old' })).toEqual([400, { message: 'Version is invalid' }])
    const other = await make()
    expect((await as.put(`${at}/${other.name}`, { name })).body).toEqual({
      message: ['Name has already been taken'],
    })
    expect((await as.put(`${at}/${other.name}`, { name: other.name })).body).toEqual(other)
  })

  it('accept strategies with exactly their parameters', async () => {
    const wrong = (message: string) => [400, [`Strategies ${message}`]]
    const keys = wrong('parameters parameters are invalid')
    expect(await problemsOf({ name: 'all', parameters: {} })).toEqual(wrong('name strategy name is invalid'))
    expect(await problemsOf({ name: 'default', parameters: { a: '1' } })).toEqual(keys)
    expect(await problemsOf({ name: 'default', parameters: [] })).toEqual(keys)
    expect(await problemsOf({ name: 'userWithId', parameters: {} })).toEqual(keys)
    const gradual = (parameters: object) => problemsOf({ name: 'gradualRolloutUserId', parameters })
    expect(await gradual({ percentage: '5' })).toEqual(keys)
    const share = wrong('parameters percentage must be a string between 0 and 100 inclusive')
    for (const percentage of [50, '101', '-1', '5.5', '', 'x', '1e1', ' 5'])
      expect(await gradual({ groupId: 'default', percentage })).toEqual(share)
    for (const groupId of ['', 'A', 'a1', 'a'.repeat(33), 7])
      expect(await gradual({ groupId, percentage: '0' })).toEqual(
        wrong('parameters groupId parameter is invalid'),
      )
    const flexible = (parameters: object) => problemsOf({ name: 'flexibleRollout', parameters })
    expect(await flexible({ groupId: 'a', rollout: '101', stickiness: 'mood' })).toEqual([
      400,
      [
        'Strategies parameters rollout must be a string between 0 and 100 inclusive',
        'Strategies parameters stickiness parameter must be default, userId, sessionId, or random',
      ],
    ])
    const ids = wrong(
      'parameters userIds must be a string of unique comma separated values each 256 characters or less',
    )
    for (const userIds of ['a,a', 'a, b', ' a', 'a,,b', ',', 'a\tb', 'x'.repeat(257), 5])
      expect(await problemsOf({ name: 'userWithId', parameters: { userIds } })).toEqual(ids)
    expect(
      (await as.post(at, { name: 'no', version: VERSION, strategies: [{ name: 'default' }] })).body,
    ).toEqual({
      error: 'strategies[0][parameters] is missing',
    })
    const good = await make({
      strategies: [
        { name: 'userWithId', parameters: { userIds: `a b,${'x'.repeat(256)}` } },
        { name: 'userWithId', parameters: { userIds: '' } },
        { name: 'flexibleRollout', parameters: { groupId: 'a', rollout: '100', stickiness: 'SESSIONID' } },
      ],
    })
    expect(good.strategies[2].parameters.stickiness).toBe('sessionId')
  })

  it('accept environment scopes, each once', async () => {
    const of = (...scopes: string[]) =>
      problemsOf({ name: 'default', parameters: {}, scopes: scoped(...scopes) })
    const wrong = (message: string) => [400, [`Strategies scopes environment scope ${message}`]]
    expect(await of('')).toEqual(wrong("can't be blank"))
    expect(await of('a?b')).toEqual(
      wrong("can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"),
    )
    expect(await of('x'.repeat(256))).toEqual(wrong('is too long (maximum is 255 characters)'))
    expect(await of('prod', 'prod')).toEqual(wrong('(prod) has already been taken'))
  })

  it('accept forms, with parameters as JSON', async () => {
    const form = new URLSearchParams([
      ['name', 'from-form'],
      ['version', VERSION],
      ['strategies[][name]', 'userWithId'],
      ['strategies[][parameters]', '{"userIds":"1,2"}'],
      ['strategies[][scopes][][environment_scope]', '*'],
    ])
    const made = await as.post(at, form)
    expect(made.body.strategies).toMatchObject([
      { name: 'userWithId', parameters: { userIds: '1,2' }, scopes: [{ environment_scope: '*' }] },
    ])
    form.set('name', 'other')
    form.set('strategies[][parameters]', '{')
    expect((await as.post(at, form)).body).toEqual({ error: 'strategies[0][parameters] is invalid' })
  })

  it('are limited to fifty in a project', async () => {
    const full = await here.make.project({ owner: developer })
    const path = `/projects/${full.id}/feature_flags`
    for (let index = 0; index < 50; index++)
      expect((await as.post(path, { name: `f-${index}x`, version: VERSION })).status).toBe(201)
    const refused = await as.post(path, { name: 'one-more', version: VERSION })
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: ['Maximum number of project feature flags (50) exceeded'] },
    ])
    expect((await as.get(path)).body).toHaveLength(20)
  })
})

describe('changes of strategies', () => {
  it('keep strategies that the request does not name, update others by ID, and delete those with `_destroy`', async () => {
    const flag = await make({
      strategies: [
        { name: 'default', parameters: {}, scopes: scoped('a', 'b') },
        { name: 'userWithId', parameters: { userIds: '1' }, scopes: scoped('c') },
      ],
    })
    const own = `${at}/${flag.name}`
    const [first, second] = flag.strategies
    const [a, b] = first.scopes
    const more = { name: 'default', parameters: {}, scopes: scoped('d') }
    const grown = await as.put(own, { strategies: [more] })
    expect(grown.body.strategies.slice(0, 2)).toEqual([first, second])
    expect(grown.body.strategies).toHaveLength(3)
    const third = grown.body.strategies[2]

    const changed = await as.put(own, {
      strategies: [
        {
          id: first.id,
          scopes: [
            { id: a.id, environment_scope: 'b' },
            { id: b.id, environment_scope: 'a' },
          ],
        },
        { id: second.id, parameters: { userIds: '2,3' }, scopes: scoped('e') },
        { id: third.id, _destroy: true },
      ],
    })
    expect(changed.status).toBe(200)
    expect(changed.body.strategies).toEqual([
      {
        ...first,
        scopes: [
          { ...a, environment_scope: 'b' },
          { ...b, environment_scope: 'a' },
        ],
      },
      {
        ...second,
        parameters: { userIds: '2,3' },
        scopes: [second.scopes[0], { id: expect.any(Number), environment_scope: 'e' }],
      },
    ])
    const less = await as.put(own, { strategies: [{ id: first.id, scopes: [{ id: a.id, _destroy: true }] }] })
    expect(less.body.strategies[0].scopes).toEqual([{ ...b, environment_scope: 'a' }])
    const renamed = await as.put(own, { strategies: [{ id: second.id, name: 'default', parameters: {} }] })
    expect(renamed.body.strategies[1]).toMatchObject({ id: second.id, name: 'default', parameters: {} })
  })

  it('accept only IDs of the flag, and change nothing after an error', async () => {
    const strategies = [{ name: 'userWithId', parameters: { userIds: '1' }, scopes: scoped('a') }]
    const [flag, other] = [await make({ strategies }), await make({ strategies })]
    const own = `${at}/${flag.name}`
    const [foreign] = other.strategies
    const [strategy] = flag.strategies
    for (const params of [
      { id: 999_999, parameters: { userIds: '2' } },
      { id: foreign.id, _destroy: true },
      { id: strategy.id, scopes: [{ id: foreign.scopes[0].id, environment_scope: 'b' }] },
    ]) {
      const refused = await as.put(own, { name: 'renamed', strategies: [params] })
      expect([refused.status, refused.body]).toEqual([404, { message: '404 Not Found' }])
    }
    const refused = await as.put(own, { active: false, strategies: [{ id: strategy.id, name: 'default' }] })
    expect(refused.body).toEqual({ message: ['Strategies parameters parameters are invalid'] })
    expect((await as.put(own, { strategies: [{ parameters: {} }] })).body).toEqual({
      message: ['Strategies name strategy name is invalid'],
    })
    expect((await as.get(own)).body).toEqual(flag)
    expect((await as.put(own, { strategies: [{ _destroy: true }] })).body).toEqual(flag)
  })
})

describe('events of feature flags', () => {
  it('are published once for each change, and not without a change', async () => {
    const received: unknown[] = []
    const stop = here
      .ctx()
      .events.watch((name, payload) => name === 'feature_flag.changed' && received.push(payload))
    const { name } = await make()
    const own = `${at}/${name}`
    await as.put(own, { active: true, description: null })
    await as.put(own, { active: false })
    await as.put(own, { strategies: [{ name: 'default', parameters: {} }] })
    await as.put(own, { name: 'Wrong' })
    await as.delete(own)
    stop()
    const event = {
      project_id: project.id,
      actor_id: developer.id,
      feature_flag_id: expect.any(Number),
      name,
      action: 'updated',
      toggled: false,
      active: false,
    }
    expect(received).toEqual([
      { ...event, action: 'created', active: true },
      { ...event, toggled: true },
      event,
      { ...event, action: 'deleted' },
    ])
  })
})

describe('legacy flags', () => {
  it('are created without a version, listed and deleted, and cannot be shown or updated', async () => {
    const made = await as.post(at, { name: 'legacy', active: false })
    expect([made.status, made.body]).toEqual([
      201,
      {
        name: 'legacy',
        description: null,
        active: false,
        version: 'legacy_flag',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        scopes: [
          {
            id: expect.any(Number),
            active: false,
            environment_scope: '*',
            strategies: [{ name: 'default', parameters: {} }],
            created_at: made.body.created_at,
            updated_at: made.body.created_at,
          },
        ],
        strategies: [],
      },
    ])
    expect((await as.get(`${at}/legacy`)).body).toEqual({ message: '404 Feature Flag Not Found' })
    const put = await as.put(`${at}/legacy`, { active: true })
    expect([put.status, put.body]).toEqual([
      422,
      { message: 'PUT operations are not supported for legacy feature flags' },
    ])
    expect((await as.get(`${at}?per_page=100`)).body).toContainEqual(made.body)
    for (const [method, path] of [
      ['get', `/projects/${project.id}/feature_flag_scopes`],
      ['get', `${at}/legacy/scopes`],
      ['get', `${at}/legacy/scopes/production`],
      ['post', `${at}/legacy/enable`],
      ['post', `${at}/legacy/disable`],
    ] as const)
      expect((await as[method](path)).status).toBe(404)
    const deleted = await as.delete(`${at}/legacy`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
  })

  it('have scopes instead of strategies', async () => {
    const strategies = [{ name: 'userWithId', parameters: { userIds: '1' } }]
    const scope = { environment_scope: 'staging', active: true, strategies }
    const everywhere = { environment_scope: '*', active: false }
    const { body } = await as.post(at, { name: 'scoped', scopes: [everywhere, scope] })
    expect(body.scopes).toMatchObject([everywhere, scope])
    const messageFor = async (params: object) =>
      (await as.post(at, { name: 'wrong', ...params })).body.message
    expect(await messageFor({ scopes: [scope] })).toEqual(['Default scope has to be the first element'])
    expect(await messageFor({ scopes: [everywhere, everywhere] })).toEqual([
      'Scopes environment scope (*) has already been taken',
    ])
    expect(
      await messageFor({ scopes: [{ ...everywhere, strategies: [{ name: 'serviceUserList' }] }] }),
    ).toEqual(['Scopes strategies name strategy name is invalid'])
    expect(
      await messageFor({ strategies: [{ name: 'default', parameters: {} }], scopes: [everywhere] }),
    ).toEqual(['Version associations version 2 feature flags may not have scopes'])
    expect(await messageFor({ version: VERSION, scopes: [everywhere] })).toEqual([
      'Version associations version 2 feature flags may not have scopes',
    ])
  })
})

describe('access to feature flags', () => {
  it('is limited to developers', async () => {
    const { name } = await make()
    const own = `${at}/${name}`
    expect((await here.as(null).get(at)).status).toBe(401)
    const refused = { message: '403 Forbidden' }
    for (const user of [reporter, here.make.user()]) {
      const client = here.as(user)
      const answers = [client.get(at), client.get(own), client.post(at, { name: 'x1' }), client.delete(own)]
      for (const { status, body } of await Promise.all(answers))
        expect([status, body]).toEqual([403, refused])
    }
    const hidden = await here.make.project()
    expect((await here.as(reporter).get(`/projects/${hidden.id}/feature_flags`)).body).toEqual({
      message: '404 Project Not Found',
    })
  })

  it('is read-only in an archived project', async () => {
    const old = await here.make.project({ owner: developer })
    const path = `/projects/${old.id}/feature_flags`
    await as.post(path, { name: 'kept', version: VERSION })
    await as.post(`/projects/${old.id}/archive`)
    expect((await as.get(`${path}/kept`)).status).toBe(200)
    const denied = [403, { message: 'Access Denied' }]
    for (const answer of [
      await as.post(path, { name: 'new', version: VERSION }),
      await as.put(`${path}/kept`, { active: false }),
      await as.delete(`${path}/kept`),
    ])
      expect([answer.status, answer.body]).toEqual(denied)
  })

  it('includes their events', async () => {
    const maintainer = here.make.user()
    await here.make.member('projects', project.id, maintainer, 40)
    const receivers = (event: object) =>
      [maintainer, reporter, here.make.user()].filter((user) =>
        mayReceive(onBehalfOf(here.ctx(), user.id)!, { project_id: project.id, actor_id: 1, ...event }),
      )
    expect(receivers({ feature_flag_id: 1 })).toEqual([maintainer])
    expect(receivers({ user_list_id: 1 })).toEqual([maintainer])
  })

  it('is denied when the feature is disabled', async () => {
    const off = await here.make.project({ owner: developer, feature_flags_access_level: 'disabled' })
    for (const path of ['feature_flags', 'feature_flags_user_lists'])
      expect((await as.get(`/projects/${off.id}/${path}`)).status).toBe(403)
  })
})
