import { expect } from 'vitest'

import { from, teamOn } from '../access.ts'
import { hasOnlyFields, section, line } from '../section.ts'

/** The answer to members who see environments, but may not delete them (spec ci 5.1). */
const NOT_DESTROYED = {
  scheduled_entries: [],
  unprocessable_entries: [],
  message: 'You do not have permission to destroy environments in this project',
}

export const statements = section(
  'Environments',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    const at = `/projects/${project.id}/environments`
    const team = await teamOn(w, 'projects', project)
    return { at, team, environment: (await root.post(at, { name: 'alpha' })).body }
  },
  [
    line(
      'GET `/projects/:id/environments` | query `name` (exact), `search` (mutually exclusive with name), `states` (`available`, `stopping`, `stopped`; default all) | array of environment',
      'GET …/environments by name, search, states; both → 400',
      async ({ root, at }) => {
        const names = async (query: string) =>
          (await root.get(`${at}?${query}`)).body.map((env: { name: string }) => env.name)
        expect(await names('name=alpha')).toEqual(['alpha'])
        expect(await names('name=alph')).toEqual([])
        expect(await names('search=alph')).toEqual(['alpha'])
        expect(await names('states=stopped')).not.toContain('alpha')
        expect((await root.get(`${at}?name=alpha&search=alpha`)).status).toBe(400)
      },
      from('reporter', (client, { at }) => client.get(at)),
    ),
    line(
      'GET `/projects/:id/environments/:environment_id` | | environment',
      'GET …/environments/:id → 200',
      async ({ root, at, environment }) => {
        expect((await root.get(`${at}/${environment.id}`)).body.name).toBe('alpha')
      },
      from('reporter', (client, { at, environment }) => client.get(`${at}/${environment.id}`)),
    ),
    line(
      'POST `/projects/:id/environments` | `name` string required; `external_url` string; `tier` string | 201 environment; 400 on wrong parameters',
      'POST with name, external_url, tier → 201; without name → 400',
      async ({ root, at }) => {
        expect(
          (await root.post(at, { name: 'beta', external_url: 'https://beta.example.com', tier: 'testing' }))
            .status,
        ).toBe(201)
        expect((await root.post(at, {})).status).toBe(400)
      },
      from('developer', (client, { at }, name) => client.post(at, { name })),
    ),
    line(
      'PUT `/projects/:id/environments/:environment_id` | `name` (deprecated), `external_url`, `tier` | 200 environment; 400 on error',
      'PUT …/environments/:id → 200; a wrong tier → 400',
      async ({ root, at, environment }) => {
        expect(
          (
            await root.put(`${at}/${environment.id}`, {
              external_url: 'https://a.example.com',
              tier: 'other',
            })
          ).status,
        ).toBe(200)
        expect((await root.put(`${at}/${environment.id}`, { tier: 'odd' })).status).toBe(400)
      },
      from('developer', (client, { at, environment }) =>
        client.put(`${at}/${environment.id}`, { tier: 'testing' }),
      ),
    ),
    line(
      'DELETE `/projects/:id/environments/:environment_id` | | 204; 404 if missing',
      'DELETE of a stopped environment → 204, again → 404',
      async ({ root, at }) => {
        const { body } = await root.post(at, { name: 'to-go' })
        await root.post(`${at}/${body.id}/stop`)
        expect((await root.delete(`${at}/${body.id}`)).status).toBe(204)
        expect((await root.delete(`${at}/${body.id}`)).status).toBe(404)
      },
      from('developer', async (client, { root, at }, caller) => {
        const { body } = await root.post(at, { name: `of-${caller}` })
        await root.post(`${at}/${body.id}/stop`)
        return client.delete(`${at}/${body.id}`)
      }),
    ),
    line(
      'DELETE `/projects/:id/environments/review_apps` | `before` datetime default 30 days ago; `limit` integer default 100; `dry_run` boolean default true | `{scheduled_entries: [{id, name, slug, external_url}], unprocessable_entries: []}`',
      'DELETE …/review_apps?before= → entries, nothing scheduled by default',
      async ({ root, at }) => {
        const { body } = await root.post(at, { name: 'review/app' })
        await root.post(`${at}/${body.id}/stop`)
        const deleteReviewApps = async () =>
          (await root.delete(`${at}/review_apps?before=2999-01-01T00:00:00Z&limit=100`)).body
        const first = await deleteReviewApps()
        hasOnlyFields(first, { scheduled_entries: 'array', unprocessable_entries: 'array' })
        hasOnlyFields(first.scheduled_entries[0], {
          id: 'integer',
          name: 'string',
          slug: 'string',
          external_url: 'string?',
        })
        expect(await deleteReviewApps()).toEqual(first)
      },
      from('developer', (client, { at }) => client.delete(`${at}/review_apps?before=2999-01-01T00:00:00Z`), {
        reporter: [401, NOT_DESTROYED],
      }),
    ),
    line(
      'POST `/projects/:id/environments/:environment_id/stop` | `force` boolean | 200 environment; 404 if missing',
      'POST …/stop?force=true → 200; of none → 404',
      async ({ root, at }) => {
        const { body } = await root.post(at, { name: 'to-stop' })
        expect((await root.post(`${at}/${body.id}/stop`, { force: true })).status).toBe(200)
        expect((await root.post(`${at}/999999/stop`)).status).toBe(404)
      },
      from('developer', async (client, { root, at }, caller) => {
        const { body } = await root.post(at, { name: `to-stop-${caller}` })
        return client.post(`${at}/${body.id}/stop`)
      }),
    ),
  ],
)
