import { expect } from 'vitest'

import { eachFrom, FORBIDDEN, from, HIDDEN_PROJECT, shown, teamInside, teamOn } from '../access.ts'
import { accessLine, line, section, type CheckArgs } from '../section.ts'

/** A new private project in the group of the section, for a request that changes it. */
const fresh = async ({ w, group }: CheckArgs, more: object = {}): Promise<string> =>
  `/projects/${(await w.make.project({ namespace_id: group.id, ...more })).id}`

export const statements = section(
  'core 1: Projects',
  async (w, root) => {
    const group = await w.make.group()
    const inside = await teamOn(w, 'groups', group)
    const other = await w.make.group({ parent_id: group.id })
    const project = await w.make.project({ namespace_id: group.id, with: 'readme' })
    const template = await w.make.project({ visibility: 'public', with: 'readme' })
    // The groups and projects that are deleted stay for a week, so that they can be restored.
    await root.put('/application/settings', { delayed_project_deletion: true, deletion_adjourned_period: 7 })
    const owner = w.make.user()
    const at = `/projects/${project.id}`
    return {
      group,
      other,
      template,
      owner,
      at,
      team: teamInside(inside),
      allowed: await w.make.group({ visibility: 'public' }),
    }
  },
  [
    accessLine(
      '1.3 POST /projects/user/:user_id: adm',
      from(
        'administrator',
        (client, { owner }, caller) => client.post(`/projects/user/${owner.id}`, { name: `of-${caller}` }),
        { stranger: FORBIDDEN },
      ),
    ),
    accessLine(
      '1.3 PUT /projects/:id: M+',
      from('maintainer', (client, { at }, description) => client.put(at, { description })),
    ),
    accessLine(
      '1.3 DELETE /projects/:id: O or adm',
      from('owner', async (client, args) => client.delete(await fresh(args))),
    ),
    accessLine(
      '1.3 POST /projects/:id/restore: 403',
      from('owner', async (client, args) => {
        const at = await fresh(args)
        await args.root.delete(at)
        return client.post(`${at}/restore`)
      }),
    ),
    accessLine(
      '1.3 POST /projects/:id/fork/:forked_from_id: M+ on target',
      from('maintainer', async (client, args) =>
        client.post(`${await fresh(args)}/fork/${args['template'].id}`),
      ),
    ),
    accessLine(
      '1.3 DELETE /projects/:id/fork: O',
      from('owner', async (client, args) => {
        const at = await fresh(args)
        await args.root.post(`${at}/fork/${args['template'].id}`)
        return client.delete(`${at}/fork`)
      }),
    ),
    accessLine(
      '1.3 POST /projects/:id/archive, /unarchive: O or adm',
      eachFrom('owner', {
        'POST …/archive': async (client, args) => client.post(`${await fresh(args)}/archive`),
        'POST …/unarchive': async (client, args) => {
          const at = await fresh(args)
          await args.root.post(`${at}/archive`)
          return client.post(`${at}/unarchive`)
        },
      }),
    ),
    accessLine(
      '1.3 PUT /projects/:id/transfer: O',
      from('owner', async (client, args) =>
        client.put(`${await fresh(args)}/transfer`, { namespace: args['other'].id }),
      ),
    ),
    accessLine(
      '1.3 GET /projects/:id/transfer_locations: 403',
      from('owner', (client, { at }) => client.get(`${at}/transfer_locations`), HIDDEN_PROJECT),
    ),
    accessLine(
      '1.3 POST and DELETE /projects/:id/share: M+',
      eachFrom('maintainer', {
        'POST …/share': async (client, args) =>
          client.post(`${await fresh(args)}/share`, { group_id: args['allowed'].id, group_access: 10 }),
        'DELETE …/share/:group_id': async (client, args) => {
          const at = await fresh(args)
          await args.root.post(`${at}/share`, { group_id: args['allowed'].id, group_access: 10 })
          return client.delete(`${at}/share/${args['allowed'].id}`)
        },
      }),
    ),
    line(
      '1.3 POST /projects/:id/import_project_members/:project_id: M+ on both',
      'POST of a project of which the maintainer of the target is a developer → 403',
      async ({ w, team, at }) => {
        const { maintainer } = team.clients
        const id = (await maintainer.get('/user')).body.id
        const source = await w.make.project()
        await w.make.member('projects', source.id, { id, username: '', token: '', password: '' }, 30)
        const { status, body } = await maintainer.post(`${at}/import_project_members/${source.id}`)
        expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
      },
      from('maintainer', async (client, args) => {
        const source = await fresh(args)
        return client.post(`${args['at']}/import_project_members/${source.split('/').at(-1)}`)
      }),
    ),
    accessLine(
      '1.3 POST /projects/:id/housekeeping, /repository_size: M+',
      eachFrom('maintainer', {
        'POST …/housekeeping': async (client, args) => client.post(`${await fresh(args)}/housekeeping`),
        'POST …/repository_size': (client, { at }) => client.post(`${at}/repository_size`),
      }),
    ),
    accessLine(
      '1.3 GET /projects/:id/pages_access: 403/404',
      from('guest', (client, { at }) => client.get(`${at}/pages_access`), HIDDEN_PROJECT),
    ),
    accessLine(
      '1.3 GET /projects/:id/snapshot, /storage: adm',
      eachFrom(
        'administrator',
        {
          'GET …/snapshot': (client, { at }) => client.get(`${at}/snapshot`),
          'GET …/storage': (client, { at }) => client.get(`${at}/storage`),
        },
        HIDDEN_PROJECT,
      ),
    ),
    accessLine(
      '1.1 statistics with statistics=true: R+',
      shown('reporter', 'statistics', (client, { at }) => client.get(`${at}?statistics=true`)),
    ),
    accessLine(
      '1.1 default_branch, readme_url, forks_count: only if the caller may read code',
      shown('reporter', 'default_branch', (client, { at }) => client.get(at)),
    ),
    accessLine(
      '1.1 import_error, runners_token: project admins only (M+)',
      shown('maintainer', 'runners_token', (client, { at }) => client.get(at)),
    ),
    accessLine(
      '1.1 custom_attributes, repository_storage: adm',
      shown('administrator', 'repository_storage', (client, { at }) => client.get(at)),
    ),
    line(
      '1.1 forked_from_project: only if the parent is visible',
      'GET of a fork by a member of the fork only → without it, by a member of both → with it',
      async ({ w, root }) => {
        const parent = await w.make.project({ with: 'readme' })
        const { body: fork } = await root.post(`/projects/${parent.id}/fork`, { name: 'copy', path: 'copy' })
        const user = w.make.user()
        await w.make.member('projects', fork.id, user, 10)
        expect((await w.as(user).get(`/projects/${fork.id}`)).body).not.toHaveProperty('forked_from_project')
        await w.make.member('projects', parent.id, user, 10)
        const { body } = await w.as(user).get(`/projects/${fork.id}`)
        expect(body.forked_from_project.id).toBe(parent.id)
      },
    ),
    accessLine(
      '1.5 namespace not allowed: 400 {"namespace":["is not valid"]}',
      from(
        'developer',
        (client, { group }, caller) =>
          client.post('/projects', { name: `in-${caller}`, namespace_id: group.id }),
        {
          stranger: [400, { message: { namespace: ['is not valid'] } }],
          member: [400, { message: { namespace: ['is not valid'] } }],
        },
      ),
    ),
  ],
)
