import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const { as, root, make } = await world()
const owner = make.user({ username: 'owner' })
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const top = await make.group({ owner, name: 'Top', path: 'top', visibility: 'public' })
const inner = await make.group({
  owner,
  name: 'Inner',
  path: 'inner',
  parent_id: top.id,
  visibility: 'private',
})
const project = await make.project({ owner, namespace_id: inner.id })
await make.member('groups', top.id, ada, 20)
await make.member('projects', project.id, bob, 10)
const at = `/projects/${project.id}`
const names = (body: { username: string }[]) => body.map((person) => person.username)

describe('GET /projects/:id/starrers', () => {
  it('lists the users who starred it, the latest first', async () => {
    await as(ada).post(`${at}/star`)
    await as(bob).post(`${at}/star`)
    const { body, headers } = await as(owner).get(`${at}/starrers`)
    expect(body.map((starrer: { user: { username: string } }) => starrer.user.username)).toEqual([
      'bob',
      'ada',
    ])
    expect(body[0].starred_since).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(headers.get('x-total')).toBe('2')
    expect((await as(owner).get(`${at}/starrers?search=AD`)).body).toHaveLength(1)
    expect((await as(null).get(`${at}/starrers`)).status).toBe(404)
  })
})

describe('GET /projects/:id/users', () => {
  it('lists direct and inherited members by id', async () => {
    expect(names((await as(bob).get(`${at}/users`)).body)).toEqual(['owner', 'ada', 'bob'])
    expect(names((await as(bob).get(`${at}/users?search=a`)).body)).toContain('ada')
    expect(
      names((await as(bob).get(`${at}/users?skip_users[]=${owner.id}&skip_users[]=${ada.id}`)).body),
    ).toEqual(['bob'])
    expect((await as(bob).get(`${at}/users?skip_users=x`)).body).toEqual({ error: 'skip_users is invalid' })
  })
})

describe('GET /projects/:id/groups', () => {
  it('lists the parent groups that the caller may see, from the top', async () => {
    const paths = async (user: typeof ada | null, query = '') =>
      (await as(user).get(`${at}/groups${query}`)).body.map((group: { full_path: string }) => group.full_path)
    expect(await paths(owner)).toEqual(['top', 'top/inner'])
    expect(await paths(owner, '?search=inn')).toEqual(['top/inner'])
    expect(await paths(owner, `?skip_groups=${top.id}`)).toEqual(['top/inner'])
    const { body } = await as(owner).get(`${at}/groups`)
    expect(Object.keys(body[0])).toEqual(['id', 'name', 'avatar_url', 'web_url', 'full_name', 'full_path'])
    expect(body[1].full_name).toBe('Top / Inner')
  })

  it('is empty for a personal project', async () => {
    const own = await make.project({ owner })
    expect((await as(owner).get(`/projects/${own.id}/groups`)).body).toEqual([])
    expect((await as(root).get('/projects/4711/groups')).status).toBe(404)
  })
})
