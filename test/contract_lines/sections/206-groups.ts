import { expect } from 'vitest'

import { from, teamOn } from '../access.ts'
import type { Client } from '../../support/world.ts'
import { section, line } from '../section.ts'

const ids = (body: { id: number }[]) => body.map((group) => group.id)

/** The answer to members without the right, of any group (spec administration 11.1). */
const refusals = { member: [404, '404 Group Not Found'] as const }

export const statements = section(
  'Groups',
  async (w, root) => {
    const open = await w.make.group({ visibility: 'public' })
    const closed = await w.make.group()
    const child = await w.make.group({ parent_id: open.id, visibility: 'public' })
    const grandchild = await w.make.group({ parent_id: child.id, visibility: 'public' })
    const project = await w.make.project({ namespace_id: open.id, visibility: 'public' })
    const shared = await w.make.project({ visibility: 'public' })
    await root.post(`/projects/${shared.id}/share`, { group_id: open.id, group_access: 30 })
    const secret = await w.make.group({ parent_id: open.id })
    const secretProject = await w.make.project({ namespace_id: open.id })
    const internal = await w.make.group({ visibility: 'internal' })
    const ada = w.make.user()
    const team = await teamOn(w, 'groups', closed)
    return { open, closed, child, grandchild, project, shared, secret, secretProject, internal, ada, team }
  },
  [
    line(
      'List endpoints return 20 results per page by default. Unauthenticated callers see only public groups or projects.',
      'GET /groups and …/projects without a token → the public ones, 20 per page; by a user → internal groups too; by a member → private ones too',
      async ({ w, open, closed, project, shared, secretProject, internal, ada, team, root }) => {
        const answer = await w.as(null).get('/groups?per_page=20')
        expect(answer.headers.get('x-per-page')).toBe('20')
        expect(ids(answer.body)).toContain(open.id)
        expect(ids(answer.body)).not.toContain(closed.id)
        const all = async (client: Client) => ids((await client.get('/groups?per_page=100')).body)
        expect(await all(w.as(null))).not.toContain(internal.id)
        expect(await all(w.as(ada))).toContain(internal.id)
        expect(await all(w.as(ada))).not.toContain(closed.id)
        expect(await all(team.clients.guest)).toContain(closed.id)
        const projects = async (client: Client) =>
          ids((await client.get(`/groups/${open.id}/projects`)).body).sort()
        for (const client of [w.as(null), w.as(ada)])
          expect(await projects(client)).toEqual([project.id, shared.id].sort())
        expect(await projects(root)).toContain(secretProject.id)
      },
    ),
    line(
      'GET `/groups` | `skip_groups` integer array; `all_available` boolean; `search`; `order_by` (`name`, `path`, `id`, `similarity` when searching; default `name`); `sort` (`asc`, `desc`; default `asc`); `statistics` boolean (administrators); `with_custom_attributes` boolean (administrators); `owned`; `min_access_level` integer; `top_level_only`; `custom_attributes[key]=value` filter. Keyset pagination is supported when unauthenticated',
      'GET /groups with each parameter → 200; statistics=true and with_custom_attributes=true by an owner → neither, by an administrator → both; keyset without a token → 200, by a user → 405',
      async ({ w, root, open, child, closed, team }) => {
        for (const query of [
          'all_available=true',
          'search=group',
          'order_by=path',
          'order_by=id',
          'order_by=similarity&search=group',
          'sort=desc',
          'statistics=true',
          'with_custom_attributes=true',
          'owned=true',
          'min_access_level=10',
          'custom_attributes[key]=value',
        ])
          expect([query, (await root.get(`/groups?${query}`)).status]).toEqual([query, 200])
        expect(ids((await root.get(`/groups?skip_groups[]=${open.id}&per_page=100`)).body)).not.toContain(
          open.id,
        )
        expect(ids((await root.get('/groups?top_level_only=true&per_page=100')).body)).not.toContain(child.id)
        const keyset = await w.as(null).get('/groups?pagination=keyset&order_by=name&sort=asc&per_page=1')
        expect([keyset.status, keyset.headers.get('link')]).toEqual([
          200,
          expect.stringContaining('rel="next"'),
        ])
        const { owner, administrator } = team.clients
        expect((await owner.get('/groups?pagination=keyset&order_by=name&sort=asc')).status).toBe(405)
        const shown = async (client: Client) => {
          const more = `statistics=true&with_custom_attributes=true&search=${closed.path}`
          const [group] = (await client.get(`/groups?${more}`)).body
          return ['statistics', 'custom_attributes'].filter((name) => name in group)
        }
        expect([await shown(owner), await shown(administrator)]).toEqual([
          [],
          ['statistics', 'custom_attributes'],
        ])
        // The filter has no effect for other users.
        const byAttribute = `/groups?custom_attributes[key]=value&search=${closed.path}`
        expect(ids((await owner.get(byAttribute)).body)).toEqual([closed.id])
        expect(ids((await administrator.get(byAttribute)).body)).toEqual([])
      },
    ),
    line(
      'GET `/groups/:id/subgroups` | as above (no top_level_only, order_by `name`, `path`, `id`); direct subgroups; unauthenticated callers get public groups only; authenticated callers get only groups they are a member of',
      'GET …/subgroups → direct ones; without a token → public ones; by a user who is in none → none, by a member of a private one → that one',
      async ({ w, root, open, child, secret }) => {
        const list = async (client: Client) =>
          ids((await client.get(`/groups/${open.id}/subgroups?order_by=id`)).body)
        expect(await list(root)).toEqual([child.id, secret.id])
        expect(await list(w.as(null))).toEqual([child.id])
        const bob = w.make.user()
        expect(await list(w.as(bob))).toEqual([])
        await w.make.member('groups', secret.id, bob, 10)
        expect(await list(w.as(bob))).toEqual([secret.id])
      },
    ),
    line(
      'GET `/groups/:id/descendant_groups` | as subgroups; all descendants',
      'GET …/descendant_groups → all below; without a token → public ones; by a user who is in none → none, by a member → theirs',
      async ({ w, root, open, child, grandchild, secret }) => {
        const list = async (client: Client) =>
          ids((await client.get(`/groups/${open.id}/descendant_groups?order_by=id`)).body)
        expect(await list(root)).toEqual([child.id, grandchild.id, secret.id])
        expect(await list(w.as(null))).toEqual([child.id, grandchild.id])
        const bob = w.make.user()
        expect(await list(w.as(bob))).toEqual([])
        await w.make.member('groups', grandchild.id, bob, 10)
        expect(await list(w.as(bob))).toContain(grandchild.id)
        expect(await list(w.as(bob))).not.toContain(secret.id)
      },
    ),
    line(
      'GET `/groups/:id/projects` | `archived`; `visibility` (`public`, `internal`, `private`); `order_by` (`id`, `name`, `path`, `created_at`, `updated_at`, `similarity`, `last_activity_at`; default `created_at`; with similarity, sort is ignored and without search results are ordered by name); `sort` default `desc`; `search`; `simple`; `owned`; `starred`; `with_issues_enabled` default false; `with_merge_requests_enabled` default false; `with_shared` default true; `include_subgroups` default false; `min_access_level`; `with_custom_attributes`; `with_security_reports` (ULTIMATE) default false',
      'GET …/projects with each parameter → 200; shared ones by default',
      async ({ w, root, open, project, shared }) => {
        const at = `/groups/${open.id}/projects`
        for (const query of [
          'archived=false',
          'visibility=public',
          'order_by=id',
          'order_by=name',
          'order_by=path',
          'order_by=updated_at',
          'order_by=similarity&search=project',
          'order_by=last_activity_at',
          'sort=asc',
          'simple=true',
          'owned=true',
          'starred=true',
          'with_issues_enabled=true',
          'with_merge_requests_enabled=true',
          'include_subgroups=true',
          'min_access_level=10',
          'with_custom_attributes=true',
          'with_security_reports=true',
        ])
          expect([query, (await root.get(`${at}?${query}`)).status]).toEqual([query, 200])
        expect(ids((await w.as(null).get(at)).body).sort()).toEqual([project.id, shared.id].sort())
        expect(ids((await w.as(null).get(`${at}?with_shared=false`)).body)).toEqual([project.id])
      },
    ),
    line(
      'GET `/groups/:id/projects/shared` | as projects without owned, with_shared, include_subgroups, similarity ordering',
      'GET …/projects/shared → the shared ones',
      async ({ root, open, shared }) => {
        expect(ids((await root.get(`/groups/${open.id}/projects/shared?simple=true`)).body)).toEqual([
          shared.id,
        ])
      },
    ),
    line(
      'POST `/groups/:id/push_rule` (PREMIUM; group owners and administrators) | optional: deny_delete_tag, member_check, prevent_secrets, commit_message_regex, commit_message_negative_regex, branch_name_regex, author_email_regex, file_name_regex, max_file_size (MB), commit_committer_check, reject_unsigned_commits',
      'POST with every rule → 201',
      async ({ root, closed }) => {
        const params = {
          deny_delete_tag: true,
          member_check: true,
          prevent_secrets: true,
          commit_message_regex: 'a',
          commit_message_negative_regex: 'b',
          branch_name_regex: 'c',
          author_email_regex: 'd',
          file_name_regex: 'e',
          max_file_size: 5,
          commit_committer_check: true,
          reject_unsigned_commits: true,
        }
        const made = await root.post(`/groups/${closed.id}/push_rule`, params)
        expect([made.status, made.body]).toEqual([
          201,
          expect.objectContaining({ commit_message_regex: 'a', max_file_size: 5 }),
        ])
      },
      from(
        'owner',
        async (client, { root, closed }) => {
          await root.delete(`/groups/${closed.id}/push_rule`)
          return client.post(`/groups/${closed.id}/push_rule`, { max_file_size: 5 })
        },
        refusals,
      ),
    ),
    line(
      'PUT `/groups/:id/push_rule` | same parameters',
      'PUT …/push_rule → 200',
      async ({ root, child }) => {
        await root.post(`/groups/${child.id}/push_rule`, { max_file_size: 5 })
        expect(
          (await root.put(`/groups/${child.id}/push_rule`, { max_file_size: 6 })).body.max_file_size,
        ).toBe(6)
      },
      from(
        'owner',
        async (client, { root, closed }) => {
          await root.post(`/groups/${closed.id}/push_rule`, { max_file_size: 5 })
          return client.put(`/groups/${closed.id}/push_rule`, { max_file_size: 6 })
        },
        refusals,
      ),
    ),
    line(
      'DELETE `/groups/:id/push_rule` | none',
      'DELETE …/push_rule → 204',
      async ({ root, grandchild }) => {
        await root.post(`/groups/${grandchild.id}/push_rule`, { max_file_size: 5 })
        expect((await root.delete(`/groups/${grandchild.id}/push_rule`)).status).toBe(204)
      },
      from(
        'owner',
        async (client, { root, closed }) => {
          await root.post(`/groups/${closed.id}/push_rule`, { max_file_size: 5 })
          return client.delete(`/groups/${closed.id}/push_rule`)
        },
        refusals,
      ),
    ),
    line(
      'Responses: group list of group objects, project list of project entries, push rule object. Endpoints to create, read, update, delete a single group, and GET of a push rule: not shown.',
      'The answers above',
      async ({ root, open }) => {
        expect((await root.get(`/groups/${open.id}/projects`)).body[0]).toHaveProperty('path_with_namespace')
      },
    ),
  ],
)
