import { expect } from 'vitest'

import { hasFields, hasOnlyFields, section, line, type Fields } from '../section.ts'

const basic: Fields = {
  id: 'integer',
  name: 'string',
  slug: 'string',
  external_url: 'string?',
  state: 'string',
  created_at: 'timestamp',
  updated_at: 'timestamp',
}

export const statements = section(
  'Environment',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme' })
    const at = `/projects/${project.id}/environments`
    const { body } = await root.post(at, {
      name: 'review/one',
      external_url: 'https://one.example.com',
      tier: 'staging',
    })
    const { body: branch } = await root.get(`/projects/${project.id}/repository/branches/main`)
    await root.post(`/projects/${project.id}/deployments`, {
      environment: 'review/one',
      sha: branch.commit.id,
      ref: 'main',
      tag: false,
      status: 'success',
    })
    return { at, made: body, single: async () => (await root.get(`${at}/${body.id}`)).body }
  },
  [
    line(
      'id | integer |',
      'GET /projects/:id/environments/:environment_id → id',
      async ({ single, made }) => {
        expect((await single()).id).toBe(made.id)
      },
    ),
    line(
      'name | string | may contain a folder separator, e.g. `<folder>/<name>`',
      'POST with name review/one → 201',
      async ({ single }) => {
        expect((await single()).name).toBe('review/one')
      },
    ),
    line('slug | string |', 'GET → slug', async ({ single }) => {
      expect((await single()).slug).toMatch(/^[a-z0-9-]{1,24}$/)
    }),
    line('external_url | string or null |', 'GET → external_url', async ({ single, root, at }) => {
      expect((await single()).external_url).toBe('https://one.example.com')
      expect((await root.post(at, { name: 'silent' })).body.external_url).toBe(null)
    }),
    line(
      'state | string | `available`, `stopping`, `stopped`',
      'GET → state; ?states=stopping → 200',
      async ({ single, root, at }) => {
        expect((await single()).state).toBe('available')
        expect((await root.get(`${at}?states=stopping`)).status).toBe(200)
      },
    ),
    line(
      'tier | string | `production`, `staging`, `testing`, `development`, `other`',
      'POST with each tier → 201, with another → 400',
      async ({ root, at }) => {
        for (const tier of ['production', 'staging', 'testing', 'development', 'other'])
          expect((await root.post(at, { name: `tier-${tier}`, tier })).body.tier).toBe(tier)
        expect((await root.post(at, { name: 'tier-odd', tier: 'odd' })).status).toBe(400)
      },
    ),
    line('created_at, updated_at | timestamp |', 'GET → timestamps', async ({ single }) =>
      hasFields(await single(), { created_at: 'timestamp', updated_at: 'timestamp' }),
    ),
    line(
      'enable_advanced_logs_querying | boolean | list/get only',
      'GET → boolean; POST answers without it',
      async ({ single, made }) => {
        hasFields(await single(), { enable_advanced_logs_querying: 'boolean' })
        expect(made).not.toHaveProperty('enable_advanced_logs_querying')
      },
    ),
    line(
      'logs_api_path | string | list/get only',
      'GET → string; POST answers without it',
      async ({ single, made }) => {
        hasFields(await single(), { logs_api_path: 'string' })
        expect(made).not.toHaveProperty('logs_api_path')
      },
    ),
    line(
      'last_deployment | object | list/get only: id, iid, ref, sha, created_at, status, user, deployable (job with id, status, stage, name, ref, tag, coverage, created_at, started_at, finished_at, duration, project, user, commit, pipeline, web_url, artifacts, runner, artifacts_expire_at)',
      'GET → last_deployment',
      async ({ single, made, root, at }) => {
        const { last_deployment } = await single()
        hasFields(last_deployment, {
          id: 'integer',
          iid: 'integer',
          ref: 'string',
          sha: 'string',
          created_at: 'timestamp',
          status: 'string',
          user: 'object',
          deployable: 'object?',
        })
        const { body: list } = await root.get(`${at}?name=review%2Fone`)
        expect(list[0]).toHaveProperty('last_deployment')
        expect(made).not.toHaveProperty('last_deployment')
      },
    ),
    line(
      'Create, update and stop responses return only: id, name, slug, external_url, state, tier (stop response omits tier), created_at, updated_at.',
      'POST, PUT → these fields; POST …/stop → the same without tier',
      async ({ root, at }) => {
        const created = await root.post(at, { name: 'shown' })
        hasOnlyFields(created.body, { ...basic, tier: 'string' })
        const path = `${at}/${created.body.id}`
        hasOnlyFields((await root.put(path, { external_url: 'https://two.example.com' })).body, {
          ...basic,
          tier: 'string',
        })
        hasOnlyFields((await root.post(`${path}/stop`)).body, basic)
      },
    ),
  ],
)
