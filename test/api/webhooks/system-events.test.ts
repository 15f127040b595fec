import { describe, expect, it } from 'vitest'

import { projectById } from '../../../server/domains/projects/index.ts'
import { moveRefs } from '../../../server/domains/repository/index.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'
import { keys, listen, PROJECT_KEYS, recorded } from './recorded.ts'

const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
await root.put('/application/settings', { delayed_group_deletion: false })
const time = '2026-11-22T08:00:00Z'
const times = { created_at: time, updated_at: time }
const system = async (act: () => unknown) => {
  const events = await recorded(here, 'system', act)
  expect(events.every((event) => event.project_id === null && event.group_id === null)).toBe(true)
  return events.map((event) => event.payload)
}
const named = (payloads: { event_name: string }[], name: string) =>
  payloads.filter((payload) => payload.event_name === name)

const before = await recorded(here, null, async () => {
  const project = await here.make.project()
  await here.make.member('projects', project.id, here.make.user(), 30)
})
listen(here, {})

describe('without a system hook', () => {
  it('no events are stored', () => expect(before).toEqual([]))
})

describe('projects', () => {
  it('have events from creation to deletion', async () => {
    let project: { id: number; name: string; path: string } | undefined
    const [created] = named(
      await system(async () => {
        project = await here.make.project({ visibility: 'internal' })
      }),
      'project_create',
    )
    const owner = { name: 'Administrator', email: '[REDACTED]' }
    expect(created).toEqual({
      event_name: 'project_create',
      ...times,
      name: project!.name,
      path: project!.path,
      path_with_namespace: `root/${project!.path}`,
      project_id: project!.id,
      owner_name: owner.name,
      owner_email: owner.email,
      owners: [owner],
      project_visibility: 'internal',
    })
    const at = `/projects/${project!.id}`
    expect(await system(() => root.put(at, { description: 'Words' }))).toEqual([
      { ...created, event_name: 'project_update' },
    ])
    const [renamed] = await system(() => root.put(at, { path: 'renamed', name: 'Renamed' }))
    expect(renamed).toEqual({
      ...created,
      event_name: 'project_rename',
      name: 'Renamed',
      path: 'renamed',
      path_with_namespace: 'root/renamed',
      old_path_with_namespace: `root/${project!.path}`,
    })
    expect(await system(() => root.post(`${at}/archive`))).toEqual([
      expect.objectContaining({ event_name: 'project_update' }),
    ])
    await root.post(`${at}/unarchive`)
    const group = await here.make.group({ visibility: 'internal' })
    const moved = await system(() => root.put(`${at}/transfer`, { namespace: group.id }))
    expect(moved).toEqual([
      {
        ...renamed,
        event_name: 'project_transfer',
        path_with_namespace: `${group.path}/renamed`,
        old_path_with_namespace: 'root/renamed',
        owner_name: group.name,
        owner_email: '',
      },
    ])
    const deletions = await system(() => root.delete(at))
    const { old_path_with_namespace: _, ...last } = moved[0]
    expect(deletions).toEqual([{ ...last, event_name: 'project_destroy' }])
  })
})

describe('users and their keys', () => {
  it('have events from creation to deletion', async () => {
    const params = {
      name: 'Ada',
      username: 'ada',
      email: 'ada@example.test',
      password: 'correct horse battery',
    }
    let id = 0
    const [created] = await system(async () => {
      id = (await root.post('/users', { ...params, skip_confirmation: true })).body.id
    })
    expect(created).toEqual({
      event_name: 'user_create',
      ...times,
      name: 'Ada',
      email: '[REDACTED]',
      user_id: id,
      username: 'ada',
    })
    await root.put(`/users/${id}`, { public_email: 'ada@example.test' })
    const [renamed] = await system(() => root.put(`/users/${id}`, { username: 'lovelace' }))
    expect(renamed).toEqual({
      ...created,
      event_name: 'user_rename',
      email: 'ada@example.test',
      username: 'lovelace',
      old_username: 'ada',
    })
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH4jsCKKZDPhvSyr8yCo1xEdGqsd8F3+TvVkRJ1o2yxf'
    const at = `/users/${id}/keys`
    let keyId = 0
    const [added] = await system(async () => {
      keyId = (await root.post(at, { title: 'laptop', key })).body.id
    })
    expect(added).toEqual({
      event_name: 'key_create',
      ...times,
      username: 'lovelace',
      key: expect.stringContaining(key),
      id: keyId,
    })
    expect(await system(() => root.delete(`${at}/${keyId}`))).toEqual([
      { ...added, event_name: 'key_destroy' },
    ])
    await root.post(`/users/${id}/block`)
    const { old_username: _, ...person } = renamed
    const refused = await system(() =>
      here.as(null).post('/-/session', { login: 'lovelace', password: params.password }),
    )
    expect(refused).toEqual([{ ...person, event_name: 'user_failed_login', state: 'blocked' }])
    const deletions = await system(() => root.delete(`/users/${id}`))
    expect(named(deletions, 'user_destroy')).toEqual([{ ...person, event_name: 'user_destroy' }])
  })
})

describe('groups', () => {
  it('have events from creation to deletion, including subgroups', async () => {
    let group: { id: number; name: string; path: string } | undefined
    const [created] = named(
      await system(async () => {
        group = await here.make.group()
      }),
      'group_create',
    )
    expect(created).toEqual({
      event_name: 'group_create',
      ...times,
      name: group!.name,
      path: group!.path,
      full_path: group!.path,
      group_id: group!.id,
    })
    const [renamed] = await system(() => root.put(`/groups/${group!.id}`, { path: 'elsewhere' }))
    expect(renamed).toEqual({
      ...created,
      event_name: 'group_rename',
      path: 'elsewhere',
      full_path: 'elsewhere',
      old_path: group!.path,
      old_full_path: group!.path,
    })
    expect(await system(() => root.put(`/groups/${group!.id}`, { description: 'Words' }))).toEqual([])
    const project = await here.make.project({ namespace_id: group!.id })
    const deletions = await system(() => root.delete(`/groups/${group!.id}`))
    expect(deletions).toEqual([
      expect.objectContaining({
        event_name: 'project_destroy',
        project_id: project.id,
        path_with_namespace: `elsewhere/${project.path}`,
        owner_name: group!.name,
        project_visibility: 'private',
      }),
      {
        ...created,
        event_name: 'group_destroy',
        path: 'elsewhere',
        full_path: 'elsewhere',
      },
    ])
  })
})

describe('members', () => {
  it('of projects and groups have events', async () => {
    const user = here.make.user()
    const project = await here.make.project()
    const group = await here.make.group()
    const person = {
      user_id: user.id,
      user_name: user.username.toUpperCase(),
      user_username: user.username,
      user_email: '[REDACTED]',
    }
    const ofProject = {
      ...times,
      access_level: 'Reporter',
      project_id: project.id,
      project_name: project.name,
      project_path: project.path,
      project_path_with_namespace: project.path_with_namespace,
      project_visibility: 'private',
      ...person,
    }
    const ofGroup = {
      ...times,
      group_access: 'Reporter',
      group_id: group.id,
      group_name: group.name,
      group_path: group.path,
      ...person,
    }
    for (const [owner, expected, names] of [
      [
        `/projects/${project.id}`,
        ofProject,
        ['user_add_to_team', 'user_update_for_team', 'user_remove_from_team'],
      ],
      [
        `/groups/${group.id}`,
        ofGroup,
        ['user_add_to_group', 'user_update_for_group', 'user_remove_from_group'],
      ],
    ] as const) {
      const events = await system(async () => {
        await root.post(`${owner}/members`, { user_id: user.id, access_level: 20 })
        await root.put(`${owner}/members/${user.id}`, { access_level: 20, expires_at: '2027-01-01' })
        await root.delete(`${owner}/members/${user.id}`)
      })
      expect(events).toEqual(names.map((event_name) => ({ event_name, ...expected })))
    }
  })

  it('that are bots have events, also when they are deleted with their token', async () => {
    const project = await here.make.project()
    const token = { name: 'robot', scopes: ['api'], access_level: 30, expires_at: '2026-12-01' }
    const { id } = (await root.post(`/projects/${project.id}/access_tokens`, token)).body
    const events = await system(() => root.delete(`/projects/${project.id}/access_tokens/${id}`))
    expect(named(events, 'user_remove_from_team')).toEqual([
      expect.objectContaining({ user_name: 'robot', access_level: 'Developer', project_id: project.id }),
    ])
    expect(named(events, 'user_destroy')).toEqual([expect.objectContaining({ name: 'robot' })])
  })
})

describe('pushes', () => {
  it('have one event, however many refs they change', async () => {
    const project = await here.make.project()
    const [sha] = fill(here, project, [{ files: { 'README.md': 'hello' } }])
    const events = await recorded(here, 'repository_update', () =>
      root.post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' }),
    )
    expect(events).toHaveLength(1)
    const [{ payload, project_id }] = events as [(typeof events)[0]]
    expect(project_id).toBe(project.id)
    expect(payload).toEqual({
      event_name: 'repository_update',
      user_id: 1,
      user_name: 'Administrator',
      user_email: '[REDACTED]',
      user_avatar: expect.stringContaining('/-/avatars/'),
      project_id: project.id,
      project: expect.objectContaining({ id: project.id }),
      changes: [{ before: '0'.repeat(40), after: sha, ref: 'refs/heads/topic' }],
      refs: ['refs/heads/topic'],
    })
    expect(keys(payload.project)).toEqual(PROJECT_KEYS)
    // More refs than one event of a push contains.
    const names = Array.from({ length: 201 }, (_, at) => `refs/heads/part-${at}`)
    const parts = await recorded(here, 'repository_update', () =>
      moveRefs(here.ctx(), projectById(here.ctx().db, project.id)!, {
        source: 'push',
        changes: names.map((ref) => ({ ref, old: null, new: sha! })),
      }),
    )
    expect(parts.map((part) => part.payload.refs)).toEqual([names])
  })
})
