import { beforeAll, describe, expect, it } from 'vitest'

import { world, type Answer, type TestUser, type World } from '../../support/world.ts'

let w: World
let ada: TestUser
let bea: TestUser
let cyd: TestUser
beforeAll(async () => {
  w = await world()
  ada = w.make.user({ username: 'ada' })
  bea = w.make.user({ username: 'beatrice' })
  cyd = w.make.user({ username: 'cyd' })
})

const usernames = (answer: Answer): string[] =>
  (answer.body as { username: string }[]).map((user) => user.username)
const listed = async (query: string, who: TestUser = w.root): Promise<string[]> =>
  usernames(await w.as(who).get(`/users?per_page=100&${query}`))

describe('the search of users', () => {
  it('finds parts of names of any length, in any case', async () => {
    expect(await listed('search=EATRI')).toEqual(['beatrice'])
    expect(await listed('search=cy')).toEqual(['cyd'])
    expect(await listed('search=%22')).toEqual([])
    expect(await listed('search=a%22%20OR%20b')).toEqual([])
    expect(await listed('search=AND%20OR')).toEqual([])
  })

  it('finds secondary addresses for administrators only', async () => {
    await w
      .as(w.root)
      .post(`/users/${cyd.id}/emails`, { email: 'second@other.test', skip_confirmation: true })
    expect(await listed('search=second%40other.test')).toEqual(['cyd'])
    expect(await listed('search=second%40other.test', ada)).toEqual([])
  })

  it('finds a whole public address', async () => {
    await w.as(w.root).put(`/users/${cyd.id}`, { public_email: 'second@other.test' })
    expect(await listed('search=SECOND%40other.test', ada)).toEqual(['cyd'])
    expect(await listed('search=second%40other', ada)).toEqual([])
  })
})

describe('the filters of users', () => {
  it('select people, bots and internal users', async () => {
    const [bot, ghost] = [w.make.user({ username: 'project_1_bot' }), w.make.user({ username: 'shade' })]
    w.ctx().db.exec("UPDATE users SET kind = 'project_bot', bot = 1 WHERE id = ?", bot.id)
    w.ctx().db.exec("UPDATE users SET kind = 'ghost' WHERE id = ?", ghost.id)
    expect(await listed('')).toEqual(expect.arrayContaining(['project_1_bot', 'shade']))
    const people = await listed('without_project_bots=true')
    expect([people.includes('project_1_bot'), people.includes('shade')]).toEqual([false, true])
    const outer = await listed('exclude_internal=true', ada)
    expect([outer.includes('project_1_bot'), outer.includes('shade')]).toEqual([true, false])
    expect(await listed('active=true')).not.toContain('shade')
  })

  it('select users with projects: their own, as a member, or by a group', async () => {
    const group = await w.make.group()
    const subgroup = await w.make.group({ parent_id: group.id })
    await w.make.project({ namespace_id: subgroup.id })
    const [owner, inGroup, inEmpty] = [w.make.user(), w.make.user(), w.make.user()]
    await w.make.project({ owner })
    await w.make.member('groups', group.id, inGroup, 10)
    await w.make.member('groups', (await w.make.group()).id, inEmpty, 10)
    const without = await listed('without_projects=true')
    expect([owner, inGroup, inEmpty].map((user) => without.includes(user.username))).toEqual([
      false,
      false,
      true,
    ])
    expect(await listed('without_projects=false')).toContain(owner.username)
  })

  it('select no users by second factor', async () => {
    expect(await listed('two_factor=enabled')).toEqual([])
    expect(await listed('two_factor=disabled')).toContain('ada')
    expect(await w.as(w.root).get('/users?two_factor=perhaps')).toMatchObject({
      status: 400,
      body: { error: 'two_factor does not have a valid value' },
    })
  })

  it('select users by accounts at sign-in providers', async () => {
    await w.as(w.root).put(`/users/${ada.id}`, { provider: 'saml', extern_uid: 'ada-at-home' })
    expect(await listed('provider=saml&extern_uid=ada-at-home')).toEqual(['ada'])
    expect(await listed('provider=other&extern_uid=ada-at-home')).toEqual([])
    expect(await w.as(w.root).get('/users?provider=saml')).toMatchObject({
      status: 400,
      body: { error: 'extern_uid, provider provide all or none of parameters' },
    })
  })

  it('select users by all pairs of custom attributes', async () => {
    const set = (id: number, key: string, value: string) =>
      w.as(w.root).put(`/users/${id}/custom_attributes/${key}`, { value })
    await set(ada.id, 'team', 'red')
    await set(bea.id, 'team', 'red')
    await set(bea.id, 'seat', '7')
    expect(await listed('custom_attributes[team]=red&order_by=id&sort=asc')).toEqual(['ada', 'beatrice'])
    expect(await listed('custom_attributes[team]=red&custom_attributes[seat]=7')).toEqual(['beatrice'])
    expect(await listed('custom_attributes[team]=blue')).toEqual([])
    const [shown] = (await w.as(w.root).get('/users?username=beatrice&with_custom_attributes=true')).body
    expect(shown.custom_attributes).toEqual([
      { key: 'seat', value: '7' },
      { key: 'team', value: 'red' },
    ])
    const single = await w.as(w.root).get(`/users/${cyd.id}?with_custom_attributes=true`)
    expect(single.body.custom_attributes).toEqual([])
    expect((await w.as(w.root).get(`/users/${bea.id}`)).body).not.toHaveProperty('custom_attributes')
  })

  it('of administrators are ignored for other callers', async () => {
    const query =
      'custom_attributes[team]=blue&with_custom_attributes=true&without_projects=true&two_factor=enabled'
    const { body } = await w.as(bea).get(`/users?${query}`)
    expect(body.length).toBeGreaterThan(3)
    expect(JSON.stringify(body)).not.toContain('custom_attributes')
    const single = await w.as(bea).get(`/users/${bea.id}?with_custom_attributes=true`)
    expect(single.body).not.toHaveProperty('custom_attributes')
  })
})

describe('keyset pages of users', () => {
  it.each(['id', 'name', 'username', 'created_at', 'updated_at'])(
    'return the whole list by %s',
    async (order) => {
      for (const sort of ['asc', 'desc']) {
        const whole = await listed(`order_by=${order}&sort=${sort}`)
        const seen: string[] = []
        let path: string | undefined = `/users?pagination=keyset&per_page=3&order_by=${order}&sort=${sort}`
        while (path) {
          const answer: Answer = await w.as(w.root).get(path)
          expect(answer.headers.has('x-total')).toBe(false)
          seen.push(...usernames(answer))
          path = /\/api\/v4([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
        }
        expect(seen).toEqual(whole)
      }
    },
  )

  it('return 400 for a cursor of another order', async () => {
    expect(await w.as(w.root).get('/users?pagination=keyset&order_by=name&cursor=nonsense')).toMatchObject({
      status: 400,
      body: { error: 'cursor is invalid' },
    })
  })
})
