import { expect } from 'vitest'

import { from, HIDDEN_PROJECT, teamOn } from '../access.ts'
import { section, line } from '../section.ts'

const version = 'new_version_flag'
const names = (body: { name: string }[]) => body.map((flag) => flag.name)

export const statements = section(
  'Feature flags',
  async (w, root) => {
    const project = await w.make.project()
    const at = `/projects/${project.id}/feature_flags`
    await root.post(at, { name: 'on', version })
    await root.post(at, { name: 'off', version, active: false })
    return { at, team: await teamOn(w, 'projects', project) }
  },
  [
    line(
      'GET `/projects/:id/feature_flags` | query: `scope` string optional `enabled` or `disabled` | array of feature flag (20 per page)',
      'GET …/feature_flags?scope=enabled and disabled → 200, 20 per page',
      async ({ root, at }) => {
        expect(names((await root.get(`${at}?scope=enabled`)).body)).toEqual(['on'])
        const answer = await root.get(`${at}?scope=disabled`)
        expect([names(answer.body), answer.headers.get('x-per-page')]).toEqual([['off'], '20'])
      },
      from('developer', (client, { at }) => client.get(at), HIDDEN_PROJECT),
    ),
    line(
      'GET `/projects/:id/feature_flags/:feature_flag_name` | | feature flag',
      'GET …/feature_flags/on → 200',
      async ({ root, at }) => {
        expect((await root.get(`${at}/on`)).body.name).toBe('on')
      },
      from('developer', (client, { at }) => client.get(`${at}/on`), HIDDEN_PROJECT),
    ),
    line(
      'POST `/projects/:id/feature_flags` | `name` string required; `version` string required, must be `new_version_flag` (omit for Legacy); `description` string; `active` boolean default true; `strategies` array of `{name, parameters, scopes: [{environment_scope}]}` | feature flag',
      'POST → 201, active; without name or with another version → 400',
      async ({ root, at }) => {
        const strategies = [{ name: 'default', parameters: {}, scopes: [{ environment_scope: 'staging' }] }]
        const made = await root.post(at, { name: 'new', version, description: 'd', strategies })
        expect([made.status, made.body.active, made.body.description]).toEqual([201, true, 'd'])
        expect((await root.post(at, { version })).status).toBe(400)
        expect((await root.post(at, { name: 'odd', version: 'odd' })).status).toBe(400)
      },
      from('developer', (client, { at }, caller) => client.post(at, { name: caller, version })),
    ),
    line(
      'PUT `/projects/:id/feature_flags/:feature_flag_name` | `name` (new name), `description`, `active`, `strategies` array of `{id, name, parameters, scopes: [{id, environment_scope}]}` all optional | feature flag',
      'PUT …/feature_flags/:name with each → 200',
      async ({ root, at }) => {
        const { body } = await root.post(at, {
          name: 'to-change',
          version,
          strategies: [{ name: 'default', parameters: {} }],
        })
        const [{ id }] = body.strategies
        const strategies = [
          { id, name: 'userWithId', parameters: { userIds: '1' }, scopes: [{ environment_scope: 'prod' }] },
        ]
        const changed = await root.put(`${at}/to-change`, {
          name: 'changed',
          description: 'x',
          active: false,
          strategies,
        })
        expect([
          changed.status,
          changed.body.name,
          changed.body.active,
          changed.body.strategies[0].id,
        ]).toEqual([200, 'changed', false, id])
      },
      from('developer', (client, { at }, caller) => client.put(`${at}/on`, { description: caller })),
    ),
    line(
      'DELETE `/projects/:id/feature_flags/:feature_flag_name` | | empty',
      'DELETE …/feature_flags/:name → 204, empty',
      async ({ root, at }) => {
        await root.post(at, { name: 'to-go', version })
        const deleted = await root.delete(`${at}/to-go`)
        expect([deleted.status, deleted.text]).toEqual([204, ''])
      },
      from('developer', async (client, { root, at }, caller) => {
        await root.post(at, { name: `of-${caller}`, version })
        return client.delete(`${at}/of-${caller}`)
      }),
    ),
  ],
)
