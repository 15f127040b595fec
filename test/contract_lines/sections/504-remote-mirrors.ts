import { expect } from 'vitest'

import { from, HIDDEN_PROJECT, teamOn, UNAUTHORIZED } from '../access.ts'
import { section, line } from '../section.ts'

/** The contract's status for members who may not manage mirrors (spec administration 5.1). */
const refusals = { ...HIDDEN_PROJECT, member: UNAUTHORIZED }

export const statements = section(
  'Remote mirrors',
  async (w, root) => {
    await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
    const project = await w.make.project()
    const at = `/projects/${project.id}/remote_mirrors`
    const url = 'http://ada:secret@127.0.0.1:9/there.git'
    const team = await teamOn(w, 'projects', project)
    return { at, url, team, made: (await root.post(at, { url })).body }
  },
  [
    line(
      'GET `/projects/:id/remote_mirrors` | | array of remote mirror',
      'GET → array',
      async ({ root, at }) => {
        expect((await root.get(at)).body).toHaveLength(1)
      },
      from('maintainer', (client, { at }) => client.get(at), refusals),
    ),
    line(
      'GET `/projects/:id/remote_mirrors/:mirror_id` | | remote mirror',
      'GET …/:mirror_id → 200',
      async ({ root, at, made }) => {
        expect((await root.get(`${at}/${made.id}`)).body.id).toBe(made.id)
      },
      from('maintainer', (client, { at, made }) => client.get(`${at}/${made.id}`), refusals),
    ),
    line(
      'POST `/projects/:id/remote_mirrors` | `url` string required; `enabled` boolean (push mirroring off by default); `keep_divergent_refs`; `only_protected_branches` | remote mirror',
      'POST → 201, off by default; without url → 400',
      async ({ root, at, url, made }) => {
        expect(made.enabled).toBe(false)
        const on = await root.post(at, {
          url,
          enabled: true,
          keep_divergent_refs: true,
          only_protected_branches: true,
        })
        expect([
          on.status,
          on.body.enabled,
          on.body.keep_divergent_refs,
          on.body.only_protected_branches,
        ]).toEqual([201, true, true, true])
        expect((await root.delete(`${at}/${on.body.id}`)).status).toBe(204)
        expect((await root.post(at, {})).status).toBe(400)
      },
      from(
        'maintainer',
        async (client, { root, at, url }) => {
          const made = await client.post(at, { url })
          if (made.status === 201) await root.delete(`${at}/${made.body.id}`)
          return made
        },
        { member: UNAUTHORIZED },
      ),
    ),
    line(
      'PUT `/projects/:id/remote_mirrors/:mirror_id` | `enabled`, `keep_divergent_refs`, `only_protected_branches` | remote mirror',
      'PUT …/:mirror_id → 200',
      async ({ root, at, made }) => {
        const params = { enabled: false, keep_divergent_refs: true, only_protected_branches: true }
        expect((await root.put(`${at}/${made.id}`, params)).body).toMatchObject(params)
      },
      from(
        'maintainer',
        (client, { at, made }) => client.put(`${at}/${made.id}`, { keep_divergent_refs: true }),
        { member: UNAUTHORIZED },
      ),
    ),
    line(
      'DELETE `/projects/:id/remote_mirrors/:mirror_id` | | empty',
      'DELETE …/:mirror_id → 204, empty',
      async ({ root, at, url }) => {
        const { body } = await root.post(at, { url })
        expect((await root.delete(`${at}/${body.id}`)).status).toBe(204)
      },
      from(
        'maintainer',
        async (client, { root, at, url }) => {
          const { body } = await root.post(at, { url })
          const answer = await client.delete(`${at}/${body.id}`)
          if (answer.status !== 204) await root.delete(`${at}/${body.id}`)
          return answer
        },
        { member: UNAUTHORIZED },
      ),
    ),
  ],
)
