import { expect } from 'vitest'

import {
  eachFrom,
  FORBIDDEN,
  from,
  HIDDEN_GROUP,
  HIDDEN_PROJECT,
  shown,
  teamInside,
  teamOn,
  UNAUTHORIZED,
  visitors,
  within,
  type Access,
  type Caller,
} from '../access.ts'
import { accessLine, line, section, type CheckArgs } from '../section.ts'

/** A new subgroup in the group of the section, for a request that changes it. */
const fresh = async ({ w, group }: CheckArgs, more: object = {}): Promise<string> =>
  `/groups/${(await w.make.group({ parent_id: group.id, ...more })).id}`

const NO_NAMESPACE = [400, { message: { namespace: ['is not valid'] } }] as const

/** Creating a project in a group with this `project_creation_level`. */
const projectIn = (level: string, least: Caller): Access =>
  from(
    least,
    async (client, args, caller) =>
      client.post('/projects', { name: `of-${caller}`, namespace_id: args['creation'][level].id }),
    { stranger: NO_NAMESPACE, member: NO_NAMESPACE },
  )

/** Creating a subgroup in a group with this `subgroup_creation_level`. */
const subgroupIn = (level: string, least: Caller): Access =>
  from(least, async (client, args, caller) => {
    const name = `of-${caller}`
    return client.post('/groups', { name, path: name, parent_id: args['subgroups'][level].id })
  })

const NO_PUSH = [403, '403 Forbidden - You are not allowed to push into this branch'] as const

/** Committing to the default branch of a project in a group with this `default_branch_protection`. */
const commitAt = (protection: number, least: Caller): Access =>
  within(
    'inProject',
    from(
      least,
      (client, args, caller) =>
        client.post(`/projects/${args['protected'][protection].id}/repository/commits`, {
          branch: 'main',
          commit_message: 'c',
          actions: [{ action: 'create', file_path: `of-${caller}`, content: 'x' }],
        }),
      { member: NO_PUSH },
    ),
  )

/** Reads of the custom attributes of a user, group or project. */
const attributesOf = (owner: string, refusals: object): Access =>
  eachFrom(
    'administrator',
    {
      'GET …/custom_attributes': (client, args) => client.get(`${args[owner]}/custom_attributes`),
      'GET …/custom_attributes/:key': (client, args) => client.get(`${args[owner]}/custom_attributes/known`),
    },
    refusals,
  )

/** Changes to the custom attributes of a user, group or project. */
const attributeChanges = (owner: string): Access =>
  eachFrom('administrator', {
    'PUT …/custom_attributes/:key': (client, args, caller) =>
      client.put(`${args[owner]}/custom_attributes/of-${caller}`, { value: 'x' }),
    'DELETE …/custom_attributes/:key': async (client, args, caller) => {
      await args.root.put(`${args[owner]}/custom_attributes/by-${caller}`, { value: 'x' })
      return client.delete(`${args[owner]}/custom_attributes/by-${caller}`)
    },
  })

export const statements = section(
  'core 2 and 3: Groups, namespaces, topics, custom attributes',
  async (w, root) => {
    await root.put('/application/settings', { delayed_group_deletion: true, deletion_adjourned_period: 7 })
    const group = await w.make.group()
    const team = await teamOn(w, 'groups', group)
    const make = (more: object) => w.make.group({ parent_id: group.id, ...more })
    const creation: Record<string, object> = {}
    for (const level of ['noone', 'maintainer', 'developer'])
      creation[level] = await make({ project_creation_level: level })
    const subgroups: Record<string, object> = {}
    for (const level of ['owner', 'maintainer'])
      subgroups[level] = await make({ subgroup_creation_level: level })
    const guarded: object[] = []
    for (const default_branch_protection of [0, 1, 2, 3]) {
      const { id } = await make({ default_branch_protection })
      guarded.push(await w.make.project({ namespace_id: id, with: 'readme' }))
    }
    const project = await w.make.project({ namespace_id: group.id, with: 'readme' })
    const user = `/users/${w.make.user().id}`
    const at = `/groups/${group.id}`
    const projectAt = `/projects/${project.id}`
    for (const owner of [user, at, projectAt])
      await root.put(`${owner}/custom_attributes/known`, { value: 'x' })
    const topic = async (name: string) => (await root.post('/topics', { name, title: name })).body.id
    return {
      group,
      team,
      at,
      creation,
      subgroups,
      protected: guarded,
      user,
      projectAt,
      topic,
      open: await w.make.group({ visibility: 'public' }),
      root,
      inProject: { team: teamInside(team), at: projectAt },
      everywhere: { team: visitors(w) },
    }
  },
  [
    accessLine(
      '2.2 PUT /groups/:id: 401/403',
      from('owner', (client, { at }, description) => client.put(at, { description })),
    ),
    accessLine(
      '2.2 DELETE /groups/:id: O',
      from('owner', async (client, args) => client.delete(await fresh(args))),
    ),
    accessLine(
      '2.2 POST /groups/:id/restore: O',
      from('owner', async (client, args) => {
        const at = await fresh(args)
        await args.root.delete(at)
        return client.post(`${at}/restore`)
      }),
    ),
    accessLine(
      '2.2 POST /groups/:id/transfer: O',
      from('owner', async (client, args) =>
        client.post(`${await fresh(args)}/transfer`, { group_id: args['subgroups'].maintainer.id }),
      ),
    ),
    accessLine(
      '2.2 GET /groups/:id/transfer_locations: 403',
      from('owner', (client, { at }) => client.get(`${at}/transfer_locations`), HIDDEN_GROUP),
    ),
    accessLine(
      '2.2 POST /groups/:id/projects/:project_id: adm',
      from('administrator', async (client, args) => {
        const { id } = await args.w.make.project({ namespace_id: args['creation'].developer.id })
        return client.post(`${args['at']}/projects/${id}`)
      }),
    ),
    accessLine(
      '2.2 POST and DELETE /groups/:id/share: O',
      eachFrom('owner', {
        'POST …/share': async (client, args) =>
          client.post(`${await fresh(args)}/share`, { group_id: args['open'].id, group_access: 10 }),
        'DELETE …/share/:group_id': async (client, args) => {
          const at = await fresh(args)
          await args.root.post(`${at}/share`, { group_id: args['open'].id, group_access: 10 })
          return client.delete(`${at}/share/${args['open'].id}`)
        },
      }),
    ),
    accessLine(
      '2.1 runners_token: group admins',
      shown('owner', 'runners_token', (client, { at }) => client.get(at)),
    ),
    accessLine('2.1 project_creation_level noone', projectIn('noone', 'administrator')),
    accessLine('2.1 project_creation_level maintainer', projectIn('maintainer', 'maintainer')),
    accessLine('2.1 project_creation_level developer', projectIn('developer', 'developer')),
    accessLine('2.1 subgroup_creation_level owner', subgroupIn('owner', 'owner')),
    accessLine(
      '2.2 subgroup_creation_level maintainer: a subgroup needs M+',
      subgroupIn('maintainer', 'maintainer'),
    ),
    accessLine('2.1 default_branch_protection 0: none', commitAt(0, 'developer')),
    accessLine('2.1 default_branch_protection 1: developers may push', commitAt(1, 'developer')),
    accessLine('2.1 default_branch_protection 2: only maintainers push', commitAt(2, 'maintainer')),
    accessLine('2.1 default_branch_protection 3: maintainers push', commitAt(3, 'maintainer')),
    accessLine(
      '2.1 default_branch_protection 3: developers may merge',
      within(
        'inProject',
        from(
          'developer',
          async (client, args, caller) => {
            const at = `/projects/${args['protected'][3].id}`
            await args.root.post(`${at}/repository/commits`, {
              branch: `merge-${caller}`,
              start_branch: 'main',
              commit_message: 'c',
              actions: [{ action: 'create', file_path: `merge-${caller}`, content: 'x' }],
            })
            const { body } = await args.root.post(`${at}/merge_requests`, {
              source_branch: `merge-${caller}`,
              target_branch: 'main',
              title: 'T',
            })
            return client.put(`${at}/merge_requests/${body.iid}/merge`)
          },
          { guest: FORBIDDEN, member: UNAUTHORIZED },
        ),
      ),
    ),
    accessLine(
      '2.3 GET /projects/:id/push_rule: M+, 403 no right',
      within(
        'inProject',
        from('maintainer', (client, { at }) => client.get(`${at}/push_rule`), HIDDEN_PROJECT),
      ),
    ),
    accessLine(
      '2.3 POST, PUT and DELETE /projects/:id/push_rule: M+',
      within(
        'inProject',
        eachFrom('maintainer', {
          'POST …/push_rule': async (client, { root, at }) => {
            await root.delete(`${at}/push_rule`)
            return client.post(`${at}/push_rule`, { deny_delete_tag: true })
          },
          'PUT …/push_rule': (client, { at }) => client.put(`${at}/push_rule`, { deny_delete_tag: false }),
          'DELETE …/push_rule': async (client, { root, at }) => {
            await root.post(`${at}/push_rule`, { deny_delete_tag: true })
            return client.delete(`${at}/push_rule`)
          },
        }),
      ),
    ),
    accessLine(
      '2.3 GET /groups/:id/push_rule: O or adm, others 404',
      from(
        'owner',
        async (client, { root, at }) => {
          await root.post(`${at}/push_rule`, { deny_delete_tag: true })
          return client.get(`${at}/push_rule`)
        },
        { member: [404, '404 Group Not Found'] },
      ),
    ),
    accessLine(
      '3 GET /namespaces, /namespaces/:id, /namespaces/:namespace/exists: signed in, else 401',
      within(
        'everywhere',
        eachFrom('stranger', {
          'GET /namespaces': (client) => client.get('/namespaces'),
          'GET /namespaces/:id': (client, { open }) => client.get(`/namespaces/${open.id}`),
          'GET …/exists': (client) => client.get('/namespaces/nothing-here/exists'),
        }),
      ),
    ),
    line(
      '3 GET /namespaces: adm all',
      'GET by a user → not the namespaces of others, by an administrator → all',
      async ({ everywhere, group, w }) => {
        const listed = async (client: (typeof everywhere)['team']['clients']['stranger']) =>
          (await client.get(`/namespaces?search=${group.path}`)).body.map((row: { id: number }) => row.id)
        expect(await listed(everywhere.team.clients.stranger)).toEqual([])
        expect(await listed(everywhere.team.clients.administrator)).toContain(group.id)
        expect(await listed(w.as(w.make.user()))).toEqual([])
      },
    ),
    accessLine(
      '3 members_count_with_descendants: group admins',
      shown('owner', 'members_count_with_descendants', (client, { group }) =>
        client.get(`/namespaces/${group.id}`),
      ),
    ),
    accessLine(
      '3 GET /topics, /topics/:id: no sign-in needed',
      within(
        'everywhere',
        eachFrom('anonymous', {
          'GET /topics': (client) => client.get('/topics'),
          'GET /topics/:id': async (client, { topic }, caller) =>
            client.get(`/topics/${await topic(`read-${caller}`)}`),
        }),
      ),
    ),
    accessLine(
      '3 POST, PUT, DELETE /topics and POST /topics/merge: adm',
      within(
        'everywhere',
        eachFrom('administrator', {
          'POST /topics': (client, _args, caller) =>
            client.post('/topics', { name: `n-${caller}`, title: 'T' }),
          'PUT /topics/:id': async (client, { topic }, caller) =>
            client.put(`/topics/${await topic(`put-${caller}`)}`, { title: 'T' }),
          'DELETE /topics/:id': async (client, { topic }, caller) =>
            client.delete(`/topics/${await topic(`delete-${caller}`)}`),
          'POST /topics/merge': async (client, { topic }, caller) =>
            client.post('/topics/merge', {
              source_topic_id: await topic(`from-${caller}`),
              target_topic_id: await topic(`to-${caller}`),
            }),
        }),
      ),
    ),
    accessLine('3 GET /users/:id/custom_attributes: adm', within('everywhere', attributesOf('user', {}))),
    accessLine(
      '3 PUT, DELETE /users/:id/custom_attributes: adm',
      within('everywhere', attributeChanges('user')),
    ),
    accessLine('3 GET /groups/:id/custom_attributes: adm', attributesOf('at', HIDDEN_GROUP)),
    accessLine('3 PUT, DELETE /groups/:id/custom_attributes: adm', attributeChanges('at')),
    accessLine(
      '3 GET /projects/:id/custom_attributes: adm',
      within('inProject', attributesOf('projectAt', HIDDEN_PROJECT)),
    ),
    accessLine(
      '3 PUT, DELETE /projects/:id/custom_attributes: adm',
      within('inProject', attributeChanges('projectAt')),
    ),
  ],
)
