import { expect } from 'vitest'

import { from, HIDDEN_GROUP, teamOn } from '../access.ts'
import { hasFields, section, line } from '../section.ts'

export const statements = section(
  'SCIM (PREMIUM SaaS; group SSO must be enabled)',
  async (w, root) => {
    const group = await w.make.group()
    // The window connects an identity provider with a group, and shows the token for it.
    const { body: connection } = await root.post(`/-/groups/${group.id}/scim/connection`)
    const users = `!/api/scim/v2/groups/${group.path}/Users`
    const idp = { authorization: `Bearer ${connection.token}` }
    const person = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      externalId: 'first',
      userName: 'scim_ann',
      name: { givenName: 'Ann', familyName: 'Scim' },
      emails: [{ primary: true, value: 'ann@corp.example', type: 'work' }],
      active: true,
    }
    const made = await w.as(null).post(users, person, idp)
    return { at: `/groups/${group.id}/scim`, users, idp, made, team: await teamOn(w, 'groups', group) }
  },
  [
    line(
      'GET `/groups/:id/scim/identities`: `id` integer required; 200 with array of SCIM identity.',
      'GET …/scim/identities → the identity of a user whom the identity provider created',
      async ({ root, at, made }) => {
        expect([made.status, made.text]).toEqual([201, expect.any(String)])
        const { body } = await root.get(`${at}/identities`)
        hasFields(body[0], { extern_uid: 'string', user_id: 'integer' })
      },
      from('owner', (client, { at }) => client.get(`${at}/identities`), HIDDEN_GROUP),
    ),
    line(
      'PATCH `/groups/:groups_id/scim/:uid`: `uid` string is the current external UID; form field `extern_uid` sets the new value (maps the identity-provider id/externalId field).',
      'PATCH …/scim/:uid with the form field extern_uid → GET …/scim/identities shows it',
      async ({ root, at }) => {
        const [{ extern_uid, user_id }] = (await root.get(`${at}/identities`)).body
        const form = new URLSearchParams({ extern_uid: 'second' })
        expect((await root.patch(`${at}/${extern_uid}`, form)).status).toBeLessThan(300)
        const { body } = await root.get(`${at}/identities`)
        expect(body.find((identity: { user_id: number }) => identity.user_id === user_id).extern_uid).toBe(
          'second',
        )
        expect((await root.patch(`${at}/nobody`, form)).status).toBe(404)
      },
      from('owner', (client, { at }) => client.patch(`${at}/second`, { extern_uid: 'second' })),
    ),
    line(
      'A separate SCIM protocol endpoint (RFC 7644) is served at `/api/scim/v2/groups/:group_path/Users/`; its operations are not shown in detail.',
      'GET /api/scim/v2/groups/:group_path/Users with the token of the group → 200, with a token of its owner or without one → 401',
      async ({ w, users, idp }) => {
        expect((await w.as(null).get(users, idp)).body.totalResults).toBe(1)
        expect((await w.as(null).get(users)).status).toBe(401)
        const wrong = { authorization: `Bearer ${w.root.token}` }
        expect((await w.as(null).get(users, wrong)).status).toBe(401)
      },
    ),
  ],
)
