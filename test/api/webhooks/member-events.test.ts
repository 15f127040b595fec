import { describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { listen, recorded } from './recorded.ts'

const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
await root.put('/application/settings', { delayed_group_deletion: false })
const top = await here.make.group()
const below = await here.make.group({ parent_id: top.id })
const ada = here.make.user()
await root.put(`/users/${ada.id}`, { public_email: `${ada.username}@example.test` })
const at = `/groups/${below.id}/members`
const time = '2026-11-22T08:00:00Z'

describe('members of groups', () => {
  it('store no event without a listener', async () => {
    expect(await recorded(here, null, () => here.make.member('groups', top.id, ada, 20))).toEqual([])
  })

  it('trigger webhooks of the group and its parents', async () => {
    listen(here, { group_id: top.id })
    const [added] = await recorded(here, null, () =>
      root.post(at, { user_id: ada.id, access_level: 30, expires_at: '2026-12-24' }),
    )
    expect(added).toMatchObject({ kind: 'member', project_id: null, group_id: below.id, actor_id: 1 })
    expect(added!.payload).toEqual({
      created_at: time,
      updated_at: time,
      group_name: below.name,
      group_path: below.path,
      group_id: below.id,
      user_username: ada.username,
      user_name: ada.username.toUpperCase(),
      user_email: `${ada.username}@example.test`,
      user_id: ada.id,
      group_access: 'Developer',
      group_plan: null,
      expires_at: '2026-12-24T00:00:00Z',
      event_name: 'user_add_to_group',
    })
    clock.advance(60_000)
    const changed = await recorded(here, null, () => root.put(`${at}/${ada.id}`, { access_level: 40 }))
    expect(changed.map((event) => event.payload)).toEqual([
      {
        ...added!.payload,
        updated_at: '2026-11-22T08:01:00Z',
        group_access: 'Maintainer',
        event_name: 'user_update_for_group',
      },
    ])
    const removed = await recorded(here, null, () => root.delete(`${at}/${ada.id}`))
    expect(removed.map((event) => event.payload)).toEqual([
      { ...added!.payload, group_access: 'Maintainer', event_name: 'user_remove_from_group' },
    ])
  })

  it('have an event when their membership expires', async () => {
    await root.post(at, { user_id: ada.id, access_level: 30, expires_at: '2026-12-24' })
    const [removed] = await recorded(here, null, () => clock.advance(40 * 86_400_000))
    expect(removed!.payload).toMatchObject({ event_name: 'user_remove_from_group', user_id: ada.id })
  })

  it('of projects do not trigger group webhooks', async () => {
    const project = await here.make.project({ namespace_id: below.id })
    expect(await recorded(here, 'member', () => here.make.member('projects', project.id, ada, 20))).toEqual(
      [],
    )
  })
})

describe('subgroups', () => {
  it('trigger webhooks of parents when they are created and deleted', async () => {
    let child: { id: number; path: string; name: string } | undefined
    const [made] = await recorded(here, 'subgroup', async () => {
      child = await here.make.group({ parent_id: below.id })
    })
    expect(made).toMatchObject({ group_id: below.id, actor_id: 1 })
    expect(made!.payload).toEqual({
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.any(String),
      event_name: 'subgroup_create',
      name: child!.name,
      path: child!.path,
      full_path: `${top.path}/${below.path}/${child!.path}`,
      group_id: child!.id,
      parent_group_id: below.id,
      parent_name: below.name,
      parent_path: below.path,
      parent_full_path: `${top.path}/${below.path}`,
    })
    const deletions = await recorded(here, 'subgroup', () => root.delete(`/groups/${below.id}`))
    expect(deletions.map((event) => [event.group_id, event.payload])).toEqual([
      [top.id, { ...made!.payload, event_name: 'subgroup_destroy' }],
      [
        top.id,
        expect.objectContaining({
          event_name: 'subgroup_destroy',
          name: below.name,
          parent_group_id: top.id,
        }),
      ],
    ])
  })

  it('have no event when they move, nor do top-level groups', async () => {
    const other = await here.make.group()
    const child = await here.make.group({ parent_id: top.id })
    const moved = () => root.post(`/groups/${child.id}/transfer`, { group_id: other.id })
    expect(await recorded(here, 'subgroup', moved)).toEqual([])
    expect(await recorded(here, 'subgroup', () => root.delete(`/groups/${other.id}`))).toEqual([])
  })
})
