import { expect } from 'vitest'

import { from, teamOn, visitors, within } from '../access.ts'
import { accessLine, line, section } from '../section.ts'

/** The answer to a caller who does not see the project or group of a new runner. */
const UNSEEN = { stranger: [400, '400 Bad request - Missing/invalid scope'] } as const

const NO_ACCESS = [403, '403 Forbidden - No access granted'] as const

export const statements = section(
  'ci 1 and 3: Runners',
  async (w, root) => {
    const project = await w.make.project()
    const other = await w.make.project()
    const group = await w.make.group()
    const runner = async (params: object) => (await root.post('/user/runners', params)).body
    return {
      at: `/projects/${project.id}`,
      project,
      other,
      runner,
      ofProject: { runner_type: 'project_type', project_id: project.id },
      team: await teamOn(w, 'projects', project),
      inGroup: { at: `/groups/${group.id}`, group, team: await teamOn(w, 'groups', group) },
      everywhere: { team: visitors(w) },
    }
  },
  [
    accessLine(
      '1.4 POST /user/runners: Maintainer for project',
      from('maintainer', (client, { ofProject }) => client.post('/user/runners', ofProject), UNSEEN),
    ),
    accessLine(
      '1.4 POST /user/runners: Owner for group',
      within(
        'inGroup',
        from(
          'owner',
          (client, { group }) =>
            client.post('/user/runners', { runner_type: 'group_type', group_id: group.id }),
          UNSEEN,
        ),
      ),
    ),
    accessLine(
      '1.4 POST /user/runners: admin for instance',
      within(
        'everywhere',
        from('administrator', (client) => client.post('/user/runners', { runner_type: 'instance_type' })),
      ),
    ),
    line(
      '1.4 POST /user/runners: token scope create_runner',
      'POST with create_runner → 201, with read_api → 403 insufficient_scope',
      async ({ w, ofProject }) => {
        const post = (scope: string) =>
          w.as({ ...w.root, token: w.make.token(w.root, [scope]) }).post('/user/runners', ofProject)
        expect((await post('create_runner')).status).toBe(201)
        const refused = await post('read_api')
        expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
      },
    ),
    accessLine(
      '1.5 POST /runners/:id/reset_authentication_token: 403',
      from(
        'maintainer',
        async (client, { runner, ofProject }) =>
          client.post(`/runners/${(await runner(ofProject)).id}/reset_authentication_token`),
        { stranger: NO_ACCESS, member: NO_ACCESS },
      ),
    ),
    accessLine(
      '1.5 POST /runners/reset_registration_token: admin',
      within(
        'everywhere',
        from('administrator', (client) => client.post('/runners/reset_registration_token')),
      ),
    ),
    accessLine(
      '1.5 POST /projects/:id/runners/reset_registration_token: Maintainer',
      from('maintainer', (client, { at }) => client.post(`${at}/runners/reset_registration_token`)),
    ),
    accessLine(
      '1.5 POST /groups/:id/runners/reset_registration_token: Owner',
      within(
        'inGroup',
        from('owner', (client, { at }) => client.post(`${at}/runners/reset_registration_token`)),
      ),
    ),
    accessLine(
      '3.1 GET /groups/:id/runners: Maintainer/Owner',
      within(
        'inGroup',
        from('maintainer', (client, { at }) => client.get(`${at}/runners`)),
      ),
    ),
    accessLine(
      '3.1 DELETE /runners/:id: 403 No access granted',
      from(
        'maintainer',
        async (client, { runner, ofProject }) => client.delete(`/runners/${(await runner(ofProject)).id}`),
        { stranger: NO_ACCESS, member: NO_ACCESS },
      ),
    ),
    accessLine(
      '3.1 DELETE /projects/:id/runners/:runner_id',
      from('maintainer', async (client, { root, at, other, runner }) => {
        // A runner cannot leave its only project.
        const { id } = await runner({ runner_type: 'project_type', project_id: other.id })
        await root.post(`${at}/runners`, { runner_id: id })
        return client.delete(`${at}/runners/${id}`)
      }),
    ),
    line(
      '3.3 projects of a runner: limited to what the caller may see',
      'GET /runners/:id by a maintainer of one of two projects → that one',
      async ({ root, team, project, other, runner, ofProject }) => {
        const { id } = await runner(ofProject)
        await root.post(`/projects/${other.id}/runners`, { runner_id: id })
        const seen = async (client: typeof root) =>
          (await client.get(`/runners/${id}`)).body.projects.map((row: { id: number }) => row.id)
        expect(await seen(team.clients.maintainer)).toEqual([project.id])
        expect(await seen(root)).toEqual([project.id, other.id])
      },
    ),
  ],
)
