import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, url } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })

const transfer = (id: number, group_id?: number, user = ada) =>
  as(user).post(`/groups/${id}/transfer`, group_id === undefined ? {} : { group_id })
const refusal = async (answer: ReturnType<typeof transfer>) => {
  const { status, body } = await answer
  return [status, body.message]
}

describe('POST /groups/:id/transfer', () => {
  it('moves everything below, and redirects the old paths', async () => {
    const target = await make.group({ owner: ada, name: 'Target', path: 'target' })
    const top = await make.group({ owner: ada, name: 'Top', path: 'top' })
    const inner = await make.group({ owner: ada, name: 'In', path: 'in', parent_id: top.id })
    const project = await make.project({ owner: ada, namespace_id: inner.id, name: 'Tool', path: 'tool' })
    await make.member('groups', target.id, bob, 20)
    const received: [string, unknown][] = []
    const stop = ctx().events.watch((name, event) => isOfSubscriber(name) || received.push([name, event]))
    const { status, body } = await transfer(top.id, target.id)
    stop()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      full_path: 'target/top',
      full_name: 'Target / Top',
      parent_id: target.id,
      projects: [],
    })
    expect((await as(ada).get(`/groups/${inner.id}`)).body).toMatchObject({
      full_path: 'target/top/in',
      full_name: 'Target / Top / In',
    })
    expect((await as(ada).get('/projects/target%2Ftop%2Fin%2Ftool')).body.id).toBe(project.id)
    expect((await as(ada).get('/projects/top%2Fin%2Ftool')).headers.get('location')).toBe(
      `${url}/api/v4/projects/${project.id}`,
    )
    expect(received).toContainEqual([
      'group.transferred',
      {
        group_id: top.id,
        actor_id: ada.id,
        old_full_path: 'top',
        full_path: 'target/top',
        old_parent_id: null,
        parent_id: target.id,
      },
    ])
    expect((await as(bob).get(`/projects/${project.id}`)).body.permissions.group_access.access_level).toBe(20)
    expect((await as(ada).get(`/groups/${target.id}/descendant_groups`)).body).toHaveLength(2)
  })

  it('makes a subgroup a top-level group, owned by the caller', async () => {
    const top = await make.group({ owner: ada, path: 'above' })
    const inner = await make.group({ owner: bob, path: 'lifted' })
    await as(root).post(`/groups/${inner.id}/transfer`, { group_id: top.id })
    await as(ada).delete(`/groups/${inner.id}/members/${bob.id}`)
    const { status, body } = await transfer(inner.id)
    expect([status, body.parent_id, body.full_path]).toEqual([201, null, 'lifted'])
    expect((await as(ada).get(`/groups/${inner.id}/members`)).body).toMatchObject([
      { username: 'ada', access_level: 50 },
    ])
    expect((await as(ada).get('/groups/above%2Flifted')).status).toBe(301)
  })

  it('narrows the visibility to that of the new parent', async () => {
    const target = await make.group({ owner: ada, visibility: 'internal' })
    const group = await make.group({ owner: ada, visibility: 'public' })
    const inner = await make.group({ owner: ada, visibility: 'private', parent_id: group.id })
    const project = await make.project({ owner: ada, namespace_id: group.id, visibility: 'public' })
    expect((await transfer(group.id, target.id)).body.visibility).toBe('internal')
    expect((await as(ada).get(`/groups/${inner.id}`)).body.visibility).toBe('private')
    expect((await as(ada).get(`/projects/${project.id}`)).body.visibility).toBe('internal')
  })

  it('inherits a lock on sharing and disabled shared runners', async () => {
    const target = await make.group({ owner: ada })
    await as(ada).put(`/groups/${target.id}`, {
      share_with_group_lock: true,
      shared_runners_setting: 'disabled_and_unoverridable',
    })
    const group = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: group.id })
    const project = await make.project({ owner: ada, namespace_id: inner.id })
    await transfer(group.id, target.id)
    expect((await as(ada).get(`/groups/${inner.id}`)).body).toMatchObject({
      share_with_group_lock: true,
      shared_runners_setting: 'disabled_and_unoverridable',
    })
    expect((await as(ada).get(`/projects/${project.id}`)).body.shared_runners_enabled).toBe(false)
  })

  it('returns 400 with the reason', async () => {
    const top = await make.group({ owner: ada, path: 'tree', name: 'Tree' })
    const inner = await make.group({ owner: ada, parent_id: top.id, path: 'leaf', name: 'Leaf' })
    const foreign = await make.group({ owner: bob, visibility: 'public' })
    const hidden = await make.group({ owner: bob })
    expect(await refusal(transfer(top.id))).toEqual([400, 'Transfer failed: Group is already a root group.'])
    expect(await refusal(transfer(inner.id, top.id))).toEqual([
      400,
      'Transfer failed: Group is already associated to the parent group.',
    ])
    for (const id of [top.id, inner.id])
      expect(await refusal(transfer(top.id, id))).toEqual([
        400,
        'Transfer failed: Cannot transfer group to one of its subgroup.',
      ])
    expect(await refusal(transfer(top.id, foreign.id))).toEqual([
      400,
      "Transfer failed: You don't have enough permissions.",
    ])
    expect(await refusal(transfer(top.id, hidden.id))).toEqual([404, '404 Group Not Found'])
    expect(await refusal(transfer(top.id, 4711))).toEqual([404, '404 Group Not Found'])
    expect((await as(ada).post(`/groups/${top.id}/transfer`, { group_id: 'x' })).body).toEqual({
      error: 'group_id is invalid',
    })
  })

  it('returns 400 for a path in use', async () => {
    const target = await make.group({ owner: ada })
    await make.project({ owner: ada, namespace_id: target.id, path: 'same' })
    await make.group({ owner: ada, parent_id: target.id, path: 'other', name: 'Sister' })
    const byPath = await make.group({ owner: ada, path: 'SAME', name: 'Elsewhere' })
    const byName = await make.group({ owner: ada, path: 'byname', name: 'sister' })
    expect(await refusal(transfer(byPath.id, target.id))).toEqual([
      400,
      'Transfer failed: The parent group already has a subgroup or a project with the same path.',
    ])
    expect(await refusal(transfer(byName.id, target.id))).toEqual([
      400,
      'Transfer failed: Name has already been taken',
    ])
    const inner = await make.group({ owner: ada, parent_id: target.id, path: 'bob' })
    expect(await refusal(transfer(inner.id))).toEqual([400, 'Transfer failed: Path has already been taken'])
  })

  it('returns 400 above the maximum depth', async () => {
    let deep = await make.group({ owner: ada })
    for (let level = 1; level < 20; level++) deep = await make.group({ owner: ada, parent_id: deep.id })
    const flat = await make.group({ owner: ada })
    await make.group({ owner: ada, parent_id: flat.id })
    expect(await refusal(transfer(flat.id, deep.id))).toEqual([
      400,
      'Transfer failed: Parent has too deep level of nesting',
    ])
  })

  it('is allowed for owners only', async () => {
    const group = await make.group({ owner: ada, visibility: 'public' })
    await make.member('groups', group.id, bob, 40)
    expect((await transfer(group.id, undefined, bob)).status).toBe(403)
    expect((await as(null).post(`/groups/${group.id}/transfer`)).status).toBe(401)
  })
})

describe('GET /groups/:id/transfer_locations', () => {
  it('lists the possible parent groups', async () => {
    const carl = make.user({ username: 'carl' })
    const top = await make.group({ owner: carl, path: 'c-top' })
    const group = await make.group({ owner: carl, parent_id: top.id, path: 'c-group' })
    const inner = await make.group({ owner: carl, parent_id: group.id })
    const own = await make.group({ owner: carl, path: 'c-own' })
    const open = await make.group({ owner: ada, path: 'c-open' })
    const strict = await make.group({ owner: ada, path: 'c-strict', subgroup_creation_level: 'owner' })
    for (const { id } of [open, strict]) await make.member('groups', id, carl, 40)
    const list = async (query = '') =>
      (await as(carl).get(`/groups/${group.id}/transfer_locations${query}`)).body.map(
        (group: { id: number }) => group.id,
      )
    expect(await list()).toEqual([open.id, own.id])
    expect(await list('?search=c-ow')).toEqual([own.id])
    expect((await as(carl).get(`/groups/${inner.id}/transfer_locations`)).body[0]).toMatchObject({
      full_path: 'c-open',
    })
    expect((await as(bob).get(`/groups/${group.id}/transfer_locations`)).status).toBe(404)
    await make.member('groups', group.id, bob, 40)
    expect((await as(bob).get(`/groups/${group.id}/transfer_locations`)).status).toBe(403)
  })
})

describe('POST /groups/:id/projects/:project_id', () => {
  it('moves a project into the group for administrators', async () => {
    const group = await make.group({ owner: ada, visibility: 'public' })
    const project = await make.project({ owner: bob, name: 'Wanderer', path: 'wanderer' })
    const at = `/groups/${group.id}/projects`
    expect((await as(ada).post(`${at}/${project.id}`)).status).toBe(403)
    const { status, body } = await as(root).post(`${at}/bob%2Fwanderer`)
    expect(status).toBe(201)
    expect(body.projects).toMatchObject([{ id: project.id }])
    expect((await as(root).post(`${at}/4711`)).body).toEqual({ message: '404 Project Not Found' })
    const again = await as(root).post(`${at}/${project.id}`)
    expect([again.status, again.body.message]).toEqual([
      400,
      expect.stringMatching(/^Failed to transfer project \{/),
    ])
  })
})
