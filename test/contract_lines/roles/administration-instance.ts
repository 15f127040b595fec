import { expect } from 'vitest'

import { person, provider } from '../../api/scim/support.ts'
import { eachFrom, FORBIDDEN, from, teamOn, visitors, within } from '../access.ts'
import { accessLine, line, section } from '../section.ts'

const READ_ONLY = [503, 'You cannot perform write operations on a read-only instance'] as const
const URL = 'http://127.0.0.1:9/'

export const statements = section(
  'administration 3, 9 and 13: Instance',
  async (w, root) => {
    const project = await w.make.project()
    const { body: snippet } = await root.post('/snippets', {
      title: 'T',
      file_name: 'f',
      content: 'x',
      visibility: 'public',
    })
    const group = await w.make.group()
    const scim = await provider(w, w.root, group)
    await scim.ask('POST', '/Users', person('known'))
    const { body: message } = await root.post('/broadcast_messages', { message: 'known' })
    return {
      team: visitors(w),
      message,
      scim,
      snippet,
      inProject: { at: `/projects/${project.id}`, team: await teamOn(w, 'projects', project) },
      inGroup: { at: `/groups/${group.id}`, team: await teamOn(w, 'groups', group) },
    }
  },
  [
    accessLine(
      '13 GET /application/statistics, /application/plan_limits: admin',
      eachFrom('administrator', {
        'GET /application/statistics': (client) => client.get('/application/statistics'),
        'GET /application/plan_limits': (client) => client.get('/application/plan_limits'),
        'PUT /application/plan_limits': (client) =>
          client.put('/application/plan_limits', { plan_name: 'default', ci_pipeline_schedules: 10 }),
      }),
    ),
    accessLine(
      '13 GET /broadcast_messages: public',
      eachFrom('anonymous', {
        'GET /broadcast_messages': (client) => client.get('/broadcast_messages'),
        'GET /broadcast_messages/:id': (client, { message }) =>
          client.get(`/broadcast_messages/${message.id}`),
      }),
    ),
    accessLine(
      '13 POST, PUT, DELETE /broadcast_messages: admin, guest 401, user 403',
      eachFrom('administrator', {
        'POST /broadcast_messages': (client, _args, caller) =>
          client.post('/broadcast_messages', { message: caller }),
        'PUT /broadcast_messages/:id': (client, { message }, caller) =>
          client.put(`/broadcast_messages/${message.id}`, { message: caller }),
        'DELETE /broadcast_messages/:id': async (client, { root }) => {
          const { body } = await root.post('/broadcast_messages', { message: 'gone' })
          return client.delete(`/broadcast_messages/${body.id}`)
        },
      }),
    ),
    accessLine(
      '13 GET /license, /licenses',
      eachFrom('administrator', {
        'GET /license': (client) => client.get('/license'),
        'GET /licenses': (client) => client.get('/licenses'),
      }),
    ),
    accessLine(
      '13 GET, POST, DELETE /features: admin',
      eachFrom('administrator', {
        'GET /features': (client) => client.get('/features'),
        'GET /features/definitions': (client) => client.get('/features/definitions'),
        'POST /features/:name': (client, _args, caller) =>
          client.post(`/features/of_${caller}`, { value: true }),
        'DELETE /features/:name': async (client, { root }, caller) => {
          await root.post(`/features/gone_${caller}`, { value: true })
          return client.delete(`/features/gone_${caller}`)
        },
      }),
    ),
    accessLine(
      '13 GET /deploy_tokens, /deploy_keys: admin',
      eachFrom('administrator', {
        'GET /deploy_tokens': (client) => client.get('/deploy_tokens'),
        'GET /deploy_keys': (client) => client.get('/deploy_keys'),
      }),
    ),
    accessLine(
      '13 GET /audit_events: 403',
      from('administrator', (client) => client.get('/audit_events')),
    ),
    line(
      '13 POST /markdown: anonymous allowed; project without access 404',
      'POST with a private project by a stranger → 404',
      async ({ team }) => {
        const hidden = await team.clients.stranger.post('/markdown', {
          text: '#1',
          gfm: true,
          project: 'root/nowhere',
        })
        expect([hidden.status, hidden.body]).toEqual([404, { message: '404 Project Not Found' }])
      },
      from('anonymous', (client) => client.post('/markdown', { text: '*x*' })),
    ),
    accessLine(
      '13 POST /markdown with a project: 404 without access',
      within(
        'inProject',
        from(
          'guest',
          async (client, { root, at }) => {
            const { body } = await root.get(at)
            return client.post('/markdown', { text: '#1', gfm: true, project: body.path_with_namespace })
          },
          { anonymous: [404, '404 Project Not Found'] },
        ),
      ),
    ),
    accessLine(
      '13 GET /templates/{gitignores,gitlab_ci_ymls,dockerfiles,licenses}: public',
      eachFrom(
        'anonymous',
        Object.fromEntries(
          ['gitignores', 'gitlab_ci_ymls', 'dockerfiles', 'licenses'].map((kind) => [
            `GET /templates/${kind}`,
            (client) => client.get(`/templates/${kind}`),
          ]),
        ),
      ),
    ),
    accessLine(
      '3.6 /projects/:id/hooks: Maintainer+',
      within(
        'inProject',
        eachFrom('maintainer', {
          'POST …/hooks': (client, { at }) => client.post(`${at}/hooks`, { url: 'https://one.test/' }),
          'PUT …/hooks/:hook_id': async (client, { root, at }) => {
            const { body } = await root.post(`${at}/hooks`, { url: 'https://one.test/' })
            return client.put(`${at}/hooks/${body.id}`, { push_events: false })
          },
          'DELETE …/hooks/:hook_id': async (client, { root, at }) => {
            const { body } = await root.post(`${at}/hooks`, { url: 'https://one.test/' })
            return client.delete(`${at}/hooks/${body.id}`)
          },
        }),
      ),
    ),
    accessLine(
      '3.6 GET /projects/:id/hooks: Maintainer+',
      within(
        'inProject',
        from('maintainer', (client, { at }) => client.get(`${at}/hooks`), {
          anonymous: [404, '404 Project Not Found'],
        }),
      ),
    ),
    accessLine(
      '3.6 /groups/:id/hooks: Owner',
      within(
        'inGroup',
        eachFrom('owner', {
          'POST …/hooks': (client, { at }) => client.post(`${at}/hooks`, { url: 'https://one.test/' }),
          'PUT …/hooks/:hook_id': async (client, { root, at }) => {
            const { body } = await root.post(`${at}/hooks`, { url: 'https://one.test/' })
            return client.put(`${at}/hooks/${body.id}`, { push_events: false })
          },
          'DELETE …/hooks/:hook_id': async (client, { root, at }) => {
            const { body } = await root.post(`${at}/hooks`, { url: 'https://one.test/' })
            return client.delete(`${at}/hooks/${body.id}`)
          },
        }),
      ),
    ),
    accessLine(
      '3.6 GET /groups/:id/hooks: Owner',
      within(
        'inGroup',
        from('owner', (client, { at }) => client.get(`${at}/hooks`), {
          anonymous: [404, '404 Group Not Found'],
        }),
      ),
    ),
    accessLine(
      '3.6 /hooks: admin',
      eachFrom('administrator', {
        'GET /hooks': (client) => client.get('/hooks'),
        'POST /hooks': (client) => client.post('/hooks', { url: URL }),
        'GET /hooks/:id': async (client, { root }) => {
          const { body } = await root.post('/hooks', { url: URL })
          return client.get(`/hooks/${body.id}`)
        },
        'DELETE /hooks/:id': async (client, { root }) => {
          const { body } = await root.post('/hooks', { url: URL })
          return client.delete(`/hooks/${body.id}`)
        },
      }),
    ),
    accessLine(
      '9 GET storage moves of the instance: admin',
      eachFrom(
        'administrator',
        Object.fromEntries(
          ['project', 'snippet', 'group'].map((kind) => [
            `GET /${kind}_repository_storage_moves`,
            (client) => client.get(`/${kind}_repository_storage_moves`),
          ]),
        ),
      ),
    ),
    accessLine(
      '9 GET storage moves of a snippet: admin',
      from('administrator', (client, { snippet }) =>
        client.get(`/snippets/${snippet.id}/repository_storage_moves`),
      ),
    ),
    accessLine(
      '9 storage moves of a project: admin',
      within(
        'inProject',
        from('administrator', (client, { at }) => client.get(`${at}/repository_storage_moves`), {
          anonymous: [404, '404 Project Not Found'],
        }),
      ),
    ),
    accessLine(
      '9 storage moves of a group: admin',
      within(
        'inGroup',
        from('administrator', (client, { at }) => client.get(`${at}/repository_storage_moves`), {
          anonymous: [404, '404 Group Not Found'],
        }),
      ),
    ),
    accessLine(
      '9 POST storage move of a project: admin',
      within(
        'inProject',
        from('administrator', (client, { at }) =>
          client.post(`${at}/repository_storage_moves`, { destination_storage_name: 'spare' }),
        ),
      ),
    ),
    accessLine(
      '8.1 GET /groups/:id/scim/:uid: group Owner',
      within(
        'inGroup',
        from('owner', (client, { at }) => client.get(`${at}/scim/uid-known`), {
          anonymous: [404, '404 Group Not Found'],
        }),
      ),
    ),
    accessLine(
      '8.1 DELETE /groups/:id/scim/:uid: group Owner',
      within(
        'inGroup',
        from('owner', async (client, { at, scim }, caller) => {
          await scim.ask('POST', '/Users', person(`gone-${caller}`))
          return client.delete(`${at}/scim/uid-gone-${caller}`)
        }),
      ),
    ),
    line(
      '7.3 POST /todos/:id/mark_as_done: foreign id 404',
      'POST by another user → 404, by its user → accepted',
      async ({ w, inProject }) => {
        const { guest } = inProject.team.clients
        const { body: issue } = await guest.post(`${inProject.at}/issues`, { title: 'T' })
        const { body: todo } = await guest.post(`${inProject.at}/issues/${issue.iid}/todo`)
        const foreign = await w.as(w.root).post(`/todos/${todo.id}/mark_as_done`)
        expect([foreign.status, foreign.body]).toEqual([404, { message: '404 Not found' }])
        expect((await guest.post(`/todos/${todo.id}/mark_as_done`)).status).toBeLessThan(300)
      },
    ),
    accessLine(
      '7.3 POST …/issues/:iid/todo: not readable 404',
      within(
        'inProject',
        from('guest', async (client, { root, at }) => {
          const { body } = await root.post(`${at}/issues`, { title: 'T' })
          return client.post(`${at}/issues/${body.iid}/todo`)
        }),
      ),
    ),
    accessLine(
      '7.3 POST …/issues/:iid/todo of a confidential issue: 404 for users who may not read it',
      within(
        'inProject',
        from(
          'reporter',
          async (client, { root, at }) => {
            const { body } = await root.post(`${at}/issues`, { title: 'T', confidential: true })
            return client.post(`${at}/issues/${body.iid}/todo`)
          },
          { guest: [404, '404 Not found'] },
        ),
      ),
    ),
    accessLine(
      '1.2 restricted_visibility_levels: non-admins cannot pick the level',
      from(
        'administrator',
        async (client, { root }, caller) => {
          await root.put('/application/settings', { restricted_visibility_levels: ['public'] })
          const answer = await client.post('/projects', { name: `open-${caller}`, visibility: 'public' })
          await root.put('/application/settings', { restricted_visibility_levels: [] })
          return answer
        },
        {
          stranger: [
            400,
            { message: { visibility_level: ['public has been restricted by your administrator.'] } },
          ],
        },
      ),
    ),
    accessLine(
      '1.2 maintenance_mode: non-GET by non-admin refused',
      from(
        'administrator',
        async (client, { root }, caller) => {
          await root.put('/application/settings', { maintenance_mode: true })
          const answer = await client.post('/projects', { name: `kept-${caller}` })
          await root.put('/application/settings', { maintenance_mode: false })
          return answer
        },
        { anonymous: READ_ONLY, stranger: READ_ONLY },
      ),
    ),
    accessLine(
      '1.3 can_create_group: POST /groups 403',
      from(
        'administrator',
        async (client, { root }, caller) => {
          const { body } = await client.get('/user')
          if (body.id) await root.put(`/users/${body.id}`, { can_create_group: caller === 'administrator' })
          const answer = await client.post('/groups', { name: `g-${caller}`, path: `g-${caller}` })
          if (body.id) await root.put(`/users/${body.id}`, { can_create_group: true })
          return answer
        },
        { stranger: FORBIDDEN },
      ),
    ),
  ],
)
