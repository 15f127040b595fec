import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const here = await world()
const developer = here.make.user()
const reporter = here.make.user()
const project = await here.make.project({ visibility: 'public' })
const elsewhere = await here.make.project({ owner: developer })
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
const as = here.as(developer)
const flags = `/projects/${project.id}/feature_flags`
const at = `/projects/${project.id}/feature_flags_user_lists`

describe('user lists', () => {
  it('are created, shown, found, updated and deleted', async () => {
    const made = await as.post(at, { name: 'Testers', user_xids: 'anna,ben' })
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        iid: 1,
        project_id: project.id,
        created_at: expect.stringMatching(/Z$/),
        updated_at: made.body.created_at,
        name: 'Testers',
        user_xids: 'anna,ben',
      },
    ])
    const second = await as.post(at, { name: '100% others', user_xids: '' })
    expect(second.body).toMatchObject({ iid: 2, user_xids: '' })
    expect((await as.get(`${at}/1`)).body).toEqual(made.body)
    const list = await as.get(at)
    expect([list.headers.get('x-total'), list.body]).toEqual(['2', [made.body, second.body]])
    expect((await as.get(`${at}?search=test`)).body).toEqual([made.body])
    expect((await as.get(`${at}?search=%25`)).body).toEqual([second.body])
    expect((await as.get(`${at}?per_page=1&page=2`)).body).toEqual([second.body])
    const changed = await as.put(`${at}/1`, { user_xids: 'carla' })
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...made.body, user_xids: 'carla', updated_at: expect.any(String) },
    ])
    expect((await as.delete(`${at}/1`)).status).toBe(204)
    expect((await as.get(`${at}/1`)).status).toBe(404)
  })

  it('return errors under `message`', async () => {
    const answerTo = async (params: object) => {
      const { status, body } = await as.post(at, params)
      return [status, body]
    }
    expect(await answerTo({})).toEqual([400, { message: 'name is missing, user_xids is missing' }])
    expect(await answerTo({ name: ' ', user_xids: 'a' })).toEqual([400, { message: ["Name can't be blank"] }])
    const long = { name: 'x'.repeat(256), user_xids: 'a' }
    expect(await answerTo(long)).toEqual([400, { message: ['Name is too long (maximum is 255 characters)'] }])
    const rule =
      'User xids user_xids must be a string of unique comma separated values each 256 characters or less'
    for (const user_xids of ['a,a', 'a, b', 'a,,b', 'a\nb', 'x'.repeat(257)])
      expect(await answerTo({ name: 'wrong', user_xids })).toEqual([400, { message: [rule] }])
    const list = await as.post(at, { name: 'one', user_xids: 'a' })
    expect(await answerTo({ name: 'one', user_xids: 'a' })).toEqual([
      400,
      { message: ['Name has already been taken'] },
    ])
    const other = await as.post(at, { name: 'other', user_xids: 'a' })
    expect((await as.put(`${at}/${other.body.iid}`, { name: 'one' })).body).toEqual({
      message: ['Name has already been taken'],
    })
    expect((await as.put(`${at}/${list.body.iid}`, { name: 'one' })).body).toEqual(list.body)
    expect((await as.get(`${at}/x`)).body).toEqual({ message: 'iid is invalid' })
    expect((await as.get(`${at}/99`)).body).toEqual({ message: '404 User List Not Found' })
  })

  it('are limited to developers of the project', async () => {
    expect((await here.as(null).get(at)).status).toBe(401)
    expect((await here.as(reporter).get(at)).body).toEqual({ message: '403 Forbidden' })
    expect((await here.as(reporter).post(at, { name: 'x', user_xids: 'a' })).status).toBe(403)
  })
})

describe('a strategy with a user list', () => {
  it('accepts both names, returns its list, and prevents the deletion of the list', async () => {
    const { body: list } = await as.post(at, { name: 'kept', user_xids: 'dora' })
    const scopes = [{ environment_scope: '*' }]
    const user_list_id = list.id
    const made = await as.post(flags, {
      name: 'listed',
      version: 'new_version_flag',
      strategies: [
        { name: 'gitlabUserList', parameters: {}, user_list_id, scopes },
        { name: 'serviceUserList', parameters: {}, user_list_id, scopes },
      ],
    })
    const shown = {
      id: expect.any(Number),
      name: 'serviceUserList',
      parameters: {},
      scopes: [{ id: expect.any(Number), environment_scope: '*' }],
      user_list: { id: list.id, iid: list.iid, name: 'kept', user_xids: 'dora' },
    }
    expect(made.body.strategies).toEqual([shown, shown])
    const [first, second] = made.body.strategies
    const answer = await as.put(`${flags}/listed`, { strategies: [{ id: first.id, name: 'gitlabUserList' }] })
    expect(answer.body.strategies[0]).toEqual(first)
    const refused = await as.delete(`${at}/${list.iid}`)
    expect([refused.status, refused.body]).toEqual([
      409,
      { message: ['User list is associated with a strategy'] },
    ])
    const freed = await as.put(`${flags}/listed`, {
      strategies: [
        { id: first.id, name: 'default' },
        { id: second.id, _destroy: true },
      ],
    })
    expect(freed.body.strategies).toEqual([{ ...first, name: 'default', user_list: null }])
    expect((await as.delete(`${at}/${list.iid}`)).status).toBe(204)
  })

  it('requires a list of its own project', async () => {
    const { body: list } = await as.post(at, { name: 'needed', user_xids: 'a' })
    const path = `/projects/${elsewhere.id}/feature_flags_user_lists`
    const { body: foreign } = await as.post(path, { name: 'foreign', user_xids: 'a' })
    const messageFor = async (strategy: object) => {
      const strategies = [{ parameters: {}, ...strategy }]
      return (await as.post(flags, { name: 'wrong', version: 'new_version_flag', strategies })).body.message
    }
    expect(await messageFor({ name: 'serviceUserList' })).toEqual(["Strategies user list can't be blank"])
    for (const user_list_id of [foreign.id, 999_999])
      expect(await messageFor({ name: 'serviceUserList', user_list_id })).toEqual([
        'Strategies user list must belong to the same project',
      ])
    expect(await messageFor({ name: 'default', user_list_id: list.id })).toEqual([
      'Strategies user list must be blank',
    ])
  })

  it('is deleted with its project', async () => {
    const path = `/projects/${elsewhere.id}`
    const { body } = await as.post(`${path}/feature_flags_user_lists`, { name: 'gone', user_xids: 'a' })
    const strategies = [{ name: 'serviceUserList', parameters: {}, user_list_id: body.id }]
    await as.post(`${path}/feature_flags`, { name: 'gone', version: 'new_version_flag', strategies })
    expect((await as.delete(path)).status).toBe(202)
    await here.drain()
    const { db } = here.ctx()
    const left = db.many(
      'SELECT id FROM feature_flags WHERE project_id = ? UNION SELECT id FROM feature_flag_user_lists WHERE project_id = ?',
      elsewhere.id,
      elsewhere.id,
    )
    expect(left).toEqual([])
  })
})
