import { expect } from 'vitest'

import { eachFrom, from, HIDDEN_GROUP, HIDDEN_PROJECT, shown, teamInside, teamOn, within } from '../access.ts'
import { accessLine, section, type CheckArgs } from '../section.ts'

const PROTECTED = [403, 'You are not allowed to create this tag as it is protected.'] as const

/** A new release for a request that changes it. */
async function newRelease({ root, at }: CheckArgs, tag_name: string): Promise<string> {
  const made = await root.post(at, { tag_name, ref: 'main', name: tag_name })
  expect(made.status).toBe(201)
  return `${at}/${tag_name}`
}

const newLink = async ({ root, at }: CheckArgs, name: string): Promise<string> =>
  `${at}/v1/assets/links/${(await root.post(`${at}/v1/assets/links`, { name, url: `https://one.test/${name}` })).body.id}`

export const statements = section(
  'administration 4: Releases',
  async (w, root) => {
    const group = await w.make.group()
    const inside = await teamOn(w, 'groups', group)
    const project = await w.make.project({ namespace_id: group.id, with: 'readme' })
    const at = `/projects/${project.id}/releases`
    await root.post(`/projects/${project.id}/protected_tags`, { name: 'safe-*', create_access_level: 40 })
    await root.post(at, { tag_name: 'v1', ref: 'main' })
    await w.drain()
    return {
      at,
      project: `/projects/${project.id}`,
      group,
      team: teamInside(inside),
      inGroup: { team: inside },
    }
  },
  [
    accessLine(
      '4.1 PUT and DELETE …/releases/:tag: Developer; POST …/evidence as create',
      eachFrom('developer', {
        'PUT …/releases/:tag': (client, { at }, name) => client.put(`${at}/v1`, { name }),
        'DELETE …/releases/:tag': async (client, args, caller) =>
          client.delete(await newRelease(args, `gone-${caller}`)),
        'POST …/releases/:tag/evidence': (client, { at }) => client.post(`${at}/v1/evidence`),
      }),
    ),
    accessLine(
      '4.1 GET …/assets/links: read',
      from('reporter', (client, { at }) => client.get(`${at}/v1/assets/links`), HIDDEN_PROJECT),
    ),
    accessLine(
      '4.1 POST, PUT, DELETE …/assets/links: Developer',
      eachFrom('developer', {
        'POST …/assets/links': (client, { at }, name) =>
          client.post(`${at}/v1/assets/links`, { name, url: `https://new.test/${name}` }),
        'PUT …/assets/links/:link_id': async (client, args, caller) =>
          client.put(await newLink(args, `put-${caller}`), { name: `changed-${caller}` }),
        'DELETE …/assets/links/:link_id': async (client, args, caller) =>
          client.delete(await newLink(args, `gone-${caller}`)),
      }),
    ),
    accessLine(
      '4.1 GET /groups/:id/releases: read_release on the group',
      within(
        'inGroup',
        from('guest', (client, { group }) => client.get(`/groups/${group.id}/releases`), HIDDEN_GROUP),
      ),
    ),
    accessLine(
      '4.2 the tag is missing and protected: 403 You are not allowed to create this tag as it is protected.',
      from(
        'maintainer',
        (client, { at }, caller) => client.post(at, { tag_name: `safe-${caller}`, ref: 'main' }),
        { developer: PROTECTED },
      ),
    ),
    accessLine(
      '4.1 DELETE of a release of a protected tag: the role that may create it',
      from('maintainer', async (client, args, caller) =>
        client.delete(await newRelease(args, `safe-gone-${caller}`)),
      ),
    ),
    accessLine(
      '4.3 tag_name: only with code access',
      shown(
        'reporter',
        'tag_name',
        (client, { at }) => client.get(at),
        (body) => 'tag_name' in body[0],
      ),
    ),
    accessLine(
      '4.3 _links.edit_url: if the caller may edit',
      shown(
        'developer',
        '_links.edit_url',
        (client, { at }) => client.get(`${at}/v1`),
        (body) => 'edit_url' in body._links,
      ),
    ),
  ],
)
