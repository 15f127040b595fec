import { expect } from 'vitest'

import { hasFields, section, line } from '../section.ts'

export const statements = section(
  'Runner',
  async (_w, root) => ({
    made: (await root.post('/user/runners', { runner_type: 'instance_type', description: 'one' })).body,
  }),
  [
    line(
      'List entry: id, description, ip_address, is_shared, runner_type (`instance_type`, `group_type`, `project_type`), name, online, status, paused, active (deprecated, replaced by paused). Detail adds: architecture, contacted_at, platform, projects (array), revision, tag_list, version, access_level (`not_protected`, `ref_protected`), maximum_timeout. The `token` attribute was removed. Runner job entries contain job, user, commit, pipeline and project summaries.',
      'GET /runners/all, GET /runners/:id → these fields, no token',
      async ({ root, made }) => {
        const entry = {
          id: 'integer',
          description: 'string?',
          ip_address: 'string?',
          is_shared: 'boolean',
          runner_type: 'string',
          name: 'string?',
          online: 'any',
          status: 'string',
          paused: 'boolean',
          active: 'boolean',
        } as const
        const { body: list } = await root.get('/runners/all')
        hasFields(list[0], entry)
        const { body } = await root.get(`/runners/${made.id}`)
        hasFields(body, {
          ...entry,
          architecture: 'string?',
          contacted_at: 'timestamp?',
          platform: 'string?',
          projects: 'array',
          revision: 'string?',
          tag_list: 'array',
          version: 'string?',
          access_level: 'string',
          maximum_timeout: 'integer?',
        })
        expect(body).not.toHaveProperty('token')
      },
    ),
  ],
)
