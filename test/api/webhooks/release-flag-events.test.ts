import { describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'
import { COMMIT_KEYS, keys, listen, PROJECT_KEYS, recorded, USER_KEYS } from './recorded.ts'

const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
const project = await here.make.project()
const [sha] = fill(here, project, [{ files: { 'README.md': 'hello' } }])
const at = `/projects/${project.id}`
const url = `${here.url}/root/${project.path}`

describe('releases', () => {
  it('store no event without a listener', async () => {
    const made = () => root.post(`${at}/releases`, { tag_name: 'v0', ref: 'main' })
    expect(await recorded(here, 'release', made)).toEqual([])
  })

  it('have events when they are created, updated and deleted', async () => {
    listen(here, { project_id: project.id })
    const secret = 'ab'.repeat(16)
    const assets = { links: [{ name: 'guide', url: 'https://docs.example.test/', link_type: 'runbook' }] }
    const [made] = await recorded(here, 'release', () =>
      root.post(`${at}/releases`, {
        tag_name: 'v1',
        ref: 'main',
        name: 'One',
        description: 'First ![it](/uploads/' + secret + '/it.png)',
        assets,
      }),
    )
    const { payload } = made!
    const archive = `${url}/-/archive/v1/${project.path}-v1`
    expect(made).toMatchObject({ project_id: project.id, actor_id: 1, ref: 'v1' })
    expect(payload).toEqual({
      id: expect.any(Number),
      created_at: '2026-11-22 08:00:00 UTC',
      description: `First ![it](${url}/uploads/${secret}/it.png)`,
      name: 'One',
      released_at: '2026-11-22 08:00:00 UTC',
      tag: 'v1',
      object_kind: 'release',
      project: expect.objectContaining({ id: project.id }),
      url: `${url}/-/releases/v1`,
      action: 'create',
      assets: {
        count: 5,
        links: [
          {
            id: expect.any(Number),
            link_type: 'runbook',
            name: 'guide',
            url: 'https://docs.example.test/',
            external: true,
          },
        ],
        sources: ['zip', 'tar.gz', 'tar.bz2', 'tar'].map((format) => ({
          format,
          url: `${archive}.${format}`,
        })),
      },
      commit: expect.objectContaining({ id: sha }),
    })
    expect([keys(payload.project), keys(payload.commit)]).toEqual([PROJECT_KEYS, COMMIT_KEYS])
    const changed = await recorded(here, 'release', () => root.put(`${at}/releases/v1`, { name: 'Uno' }))
    expect(changed.map((event) => event.payload)).toEqual([{ ...payload, name: 'Uno', action: 'update' }])
    const deletions = await recorded(here, 'release', () => root.delete(`${at}/releases/v1`))
    expect(deletions.map((event) => event.payload)).toEqual([{ ...payload, name: 'Uno', action: 'delete' }])
  })

  it('have no event for changes of links alone', async () => {
    const link = { name: 'more', url: 'https://more.example.test/' }
    const events = await recorded(here, 'release', () => root.post(`${at}/releases/v0/assets/links`, link))
    expect(events).toEqual([])
  })
})

describe('feature flags', () => {
  const flags = `${at}/feature_flags`

  it('have an event only when they are turned on or off', async () => {
    const made = () => root.post(flags, { name: 'dark', version: 'new_version_flag', description: 'Dark' })
    expect(await recorded(here, 'feature_flag', made)).toEqual([])
    const renamed = () => root.put(`${flags}/dark`, { description: 'Darker' })
    expect(await recorded(here, 'feature_flag', renamed)).toEqual([])
    const [event] = await recorded(here, 'feature_flag', () => root.put(`${flags}/dark`, { active: false }))
    const { payload } = event!
    expect(payload).toEqual({
      object_kind: 'feature_flag',
      project: expect.objectContaining({ id: project.id }),
      user: expect.objectContaining({ username: 'root' }),
      user_url: `${here.url}/root`,
      object_attributes: { id: expect.any(Number), name: 'dark', description: 'Darker', active: false },
    })
    expect([keys(payload.project), keys(payload.user)]).toEqual([PROJECT_KEYS, USER_KEYS])
    const [again] = await recorded(here, 'feature_flag', () => root.put(`${flags}/dark`, { active: true }))
    expect(again!.payload.object_attributes.active).toBe(true)
  })
})

describe('access tokens', () => {
  it('have one event, a week before they expire', async () => {
    const group = await here.make.group()
    listen(here, { group_id: group.id })
    const made = []
    for (const [owner, expires_at] of [
      [at, '2026-12-01'],
      [`/groups/${group.id}`, '2026-12-01'],
      [at, '2027-02-01'],
    ]) {
      const token = { name: 'robot', scopes: ['api'], access_level: 30, expires_at }
      made.push((await root.post(`${owner}/access_tokens`, token)).body)
    }
    const afterDays = (days: number) =>
      recorded(here, 'resource_access_token', () => clock.advance(days * 86_400_000))
    expect(await afterDays(1)).toEqual([])
    const events = await afterDays(2)
    const attributes = (token: { id: number; user_id: number }) => ({
      user_id: token.user_id,
      created_at: '2026-11-22 08:00:00 UTC',
      id: token.id,
      name: 'robot',
      expires_at: '2026-12-01',
    })
    expect(events.map(({ payload, project_id, group_id }) => [project_id, group_id, payload])).toEqual([
      [
        project.id,
        null,
        {
          object_kind: 'access_token',
          event_name: 'expiring_access_token',
          project: expect.objectContaining({ id: project.id }),
          object_attributes: attributes(made[0]),
        },
      ],
      [
        null,
        group.id,
        {
          object_kind: 'access_token',
          event_name: 'expiring_access_token',
          group: { group_name: group.name, group_path: group.path, group_id: group.id },
          object_attributes: attributes(made[1]),
        },
      ],
    ])
    expect(await afterDays(2)).toEqual([])
  })
})
