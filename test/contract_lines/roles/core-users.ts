import { expect } from 'vitest'

import { ed25519Key } from '../../api/users/keys/samples.ts'
import { eachFrom, from, shown, UNAUTHORIZED, visitors, type Access, type Caller } from '../access.ts'
import { accessLine, line, section, type CheckArgs } from '../section.ts'

/** A new user, for a request that changes the account. */
const fresh = ({ w }: CheckArgs): string => `/users/${w.make.user().id}`

/** A new user in a state that the given requests of an administrator made. */
async function inState(args: CheckArgs, ...requests: string[]): Promise<string> {
  const at = fresh(args)
  for (const request of requests) await args.root.post(`${at}/${request}`)
  return at
}

const account = (caller: Caller) => ({
  email: `new-${caller}@example.test`,
  name: 'N',
  username: `new-${caller}`,
  force_random_password: true,
})

/** Changes to the state of an account, each from the state in which it has an effect. */
const states = (): Access =>
  eachFrom('administrator', {
    'POST …/block': async (client, args) => client.post(`${await inState(args)}/block`),
    'POST …/unblock': async (client, args) => client.post(`${await inState(args, 'block')}/unblock`),
    'POST …/ban': async (client, args) => client.post(`${await inState(args)}/ban`),
    'POST …/unban': async (client, args) => client.post(`${await inState(args, 'ban')}/unban`),
    'POST …/deactivate': async (client, args) => client.post(`${await inState(args)}/deactivate`),
    'POST …/activate': async (client, args) => client.post(`${await inState(args, 'deactivate')}/activate`),
  })

/** A new account that waits for its approval. */
async function pending({ w }: CheckArgs): Promise<string> {
  const { id } = w.make.user()
  w.ctx().db.exec("UPDATE users SET state = 'blocked_pending_approval' WHERE id = ?", id)
  return `/users/${id}`
}

export const statements = section(
  'core 7: Users',
  async (w, root) => {
    const user = w.make.user()
    const { body: key } = await root.post(`/users/${user.id}/keys`, { title: 'T', key: ed25519Key() })
    const { fingerprint } = w
      .ctx()
      .db.one<{ fingerprint: string }>('SELECT fingerprint FROM ssh_keys WHERE id = ?', key.id)!
    await root.post(`/users/${user.id}/personal_access_tokens`, { name: 'another-user', scopes: ['api'] })
    return { team: visitors(w), user, at: `/users/${user.id}`, key, fingerprint }
  },
  [
    accessLine(
      '7.2 GET /user, /user_counts: 401',
      eachFrom('stranger', {
        'GET /user': (client) => client.get('/user'),
        'GET /user_counts': (client) => client.get('/user_counts'),
      }),
    ),
    accessLine(
      '7.2 GET /users/:id_or_username/status: no sign-in needed',
      from('anonymous', (client, { at }) => client.get(`${at}/status`)),
    ),
    accessLine(
      '7.2 GET /user/activities: adm',
      from('administrator', (client) => client.get('/user/activities')),
    ),
    accessLine(
      '7.2 GET /keys/:id, /keys?fingerprint=: adm',
      eachFrom('administrator', {
        'GET /keys/:id': (client, { key }) => client.get(`/keys/${key.id}`),
        'GET /keys?fingerprint=': (client, { fingerprint }) =>
          client.get(`/keys?fingerprint=${encodeURIComponent(fingerprint)}`),
      }),
    ),
    accessLine(
      '7.1 UserWithAdmin: adm',
      shown('administrator', 'is_admin', (client, { at }) => client.get(at)),
    ),
    line(
      '7.3 GET /users: anonymous callers must give username, else 403',
      'GET with username → that user; without → 403',
      async ({ w, user }) => {
        const refused = await w.as(null).get('/users')
        expect([refused.status, refused.body]).toEqual([
          403,
          { message: '403 Forbidden - Not authorized to access /api/v4/users' },
        ])
        const found = await w.as(null).get(`/users?username=${user.username}`)
        expect([found.status, found.body[0].id]).toEqual([200, user.id])
      },
      from('stranger', (client) => client.get('/users'), {
        anonymous: [403, '403 Forbidden - Not authorized to access /api/v4/users'],
      }),
    ),
    accessLine(
      '7.3 GET /users/:id: 403 when signed out',
      from('stranger', (client, { at }) => client.get(at), {
        anonymous: [403, '403 Forbidden - Not authorized!'],
      }),
    ),
    accessLine(
      '7.3 POST, PUT, DELETE /users: adm',
      eachFrom('administrator', {
        'POST /users': (client, _args, caller) => client.post('/users', account(caller)),
        'PUT /users/:id': (client, { at }, name) => client.put(at, { name }),
        'DELETE /users/:id': (client, args) => client.delete(fresh(args)),
      }),
    ),
    accessLine(
      '7.3 DELETE /users/:id/identities/:provider: adm',
      from('administrator', async (client, args, caller) => {
        const at = fresh(args)
        await args.root.put(at, { provider: 'saml', extern_uid: `uid-${caller}` })
        return client.delete(`${at}/identities/saml`)
      }),
    ),
    line(
      '7.3 PATCH /users/:id/disable_two_factor: adm',
      'PATCH by an administrator → 400, because there is no second factor; by a user → 403, without a token → 401',
      async ({ team, at }) => {
        const statuses = []
        for (const caller of ['anonymous', 'stranger', 'administrator'])
          statuses.push((await team.clients[caller].patch(`${at}/disable_two_factor`)).status)
        expect(statuses).toEqual([401, 403, 400])
      },
    ),
    accessLine('7.3 POST /users/:id/block, unblock, ban, unban, activate, deactivate: adm', states()),
    accessLine(
      '7.3 POST /users/:id/approve, /reject: adm',
      eachFrom('administrator', {
        'POST …/approve': async (client, args) => client.post(`${await pending(args)}/approve`),
        'POST …/reject': async (client, args) => client.post(`${await pending(args)}/reject`),
      }),
    ),
    accessLine(
      '7.3 GET /users/:id/memberships: adm',
      from('administrator', (client, { at }) => client.get(`${at}/memberships`)),
    ),
    line(
      '7.3 GET /users/:id/associations_count: self or adm',
      'GET by the user → 200',
      async ({ w, user, at }) => {
        expect((await w.as(user).get(`${at}/associations_count`)).status).toBe(200)
      },
      from('administrator', (client, { at }) => client.get(`${at}/associations_count`)),
    ),
    accessLine(
      '7.3 GET /users/:id_or_username/keys, /gpg_keys: public',
      eachFrom('anonymous', {
        'GET …/keys': (client, { at }) => client.get(`${at}/keys`),
        'GET …/gpg_keys': (client, { at }) => client.get(`${at}/gpg_keys`),
      }),
    ),
    accessLine(
      '7.3 GET, POST and DELETE /users/:id/emails: adm',
      eachFrom('administrator', {
        'GET …/emails': (client, { at }) => client.get(`${at}/emails`),
        'POST …/emails': (client, { at }, caller) =>
          client.post(`${at}/emails`, { email: `more-${caller}@example.test` }),
        'DELETE …/emails/:email_id': async (client, { root, at }, caller) => {
          const { body } = await root.post(`${at}/emails`, { email: `gone-${caller}@example.test` })
          return client.delete(`${at}/emails/${body.id}`)
        },
      }),
    ),
    accessLine(
      '7.3 POST and DELETE /users/:id/keys: adm',
      eachFrom('administrator', {
        'POST …/keys': (client, { at }) => client.post(`${at}/keys`, { title: 'T', key: ed25519Key() }),
        'DELETE …/keys/:key_id': async (client, { root, at }) => {
          const { body } = await root.post(`${at}/keys`, { title: 'T', key: ed25519Key() })
          return client.delete(`${at}/keys/${body.id}`)
        },
      }),
    ),
    accessLine(
      '7.3 GET /avatar: no sign-in if the public level is allowed',
      from('anonymous', (client) => client.get('/avatar?email=nobody@example.test')),
    ),
    accessLine(
      '7.4 GET /personal_access_tokens: own, adm all',
      shown(
        'administrator',
        'the tokens of all users',
        (client) => client.get('/personal_access_tokens?search=another-user'),
        (body, { user }) => body.some((token: { user_id: number }) => token.user_id === user.id),
      ),
    ),
    accessLine(
      '7.4 GET /personal_access_tokens?user_id= of another: 401; /:id of another: 401',
      eachFrom(
        'administrator',
        {
          'GET ?user_id=': (client, { user }) => client.get(`/personal_access_tokens?user_id=${user.id}`),
          'GET /:id': async (client, { root, user }) => {
            const { body } = await root.get(`/personal_access_tokens?user_id=${user.id}`)
            return client.get(`/personal_access_tokens/${body[0].id}`)
          },
          'DELETE /:id': async (client, { root, at }) => {
            const { body } = await root.post(`${at}/personal_access_tokens`, {
              name: 'gone',
              scopes: ['api'],
            })
            return client.delete(`/personal_access_tokens/${body.id}`)
          },
        },
        { stranger: UNAUTHORIZED },
      ),
    ),
    line(
      '7.4 GET /personal_access_tokens/self: a token of any scope',
      'GET with read_user and with read_repository → 200, without a token → 401',
      async ({ w, user }) => {
        for (const scope of ['read_user', 'read_repository']) {
          const token = w.make.token(user, [scope])
          const { status, body } = await w.as({ ...user, token }).get('/personal_access_tokens/self')
          expect([status, body.scopes]).toEqual([200, [scope]])
        }
        expect((await w.as(null).get('/personal_access_tokens/self')).status).toBe(401)
      },
    ),
    accessLine(
      '7.4 POST /users/:user_id/personal_access_tokens: adm',
      from('administrator', (client, { at }) =>
        client.post(`${at}/personal_access_tokens`, { name: 'n', scopes: ['api'] }),
      ),
    ),
    accessLine(
      '7.4 /users/:user_id/impersonation_tokens: adm',
      eachFrom('administrator', {
        'GET …/impersonation_tokens': (client, { at }) => client.get(`${at}/impersonation_tokens`),
        'POST …/impersonation_tokens': (client, { at }) =>
          client.post(`${at}/impersonation_tokens`, { name: 'n', scopes: ['api'] }),
        'GET …/impersonation_tokens/:id': async (client, { root, at }) => {
          const { body } = await root.post(`${at}/impersonation_tokens`, { name: 'n', scopes: ['api'] })
          return client.get(`${at}/impersonation_tokens/${body.id}`)
        },
        'DELETE …/impersonation_tokens/:id': async (client, { root, at }) => {
          const { body } = await root.post(`${at}/impersonation_tokens`, { name: 'n', scopes: ['api'] })
          return client.delete(`${at}/impersonation_tokens/${body.id}`)
        },
      }),
    ),
    accessLine(
      '8.11 GET /version, /metadata: 401',
      eachFrom('stranger', {
        'GET /version': (client) => client.get('/version'),
        'GET /metadata': (client) => client.get('/metadata'),
      }),
    ),
    line(
      '8.11 GET /metadata: scopes api, read_api, read_user',
      'GET with each → 200, with read_repository → 403 insufficient_scope',
      async ({ w, user }) => {
        const status = async (scope: string) => {
          const token = w.make.token(user, [scope])
          const { status, body } = await w.as({ ...user, token }).get('/metadata')
          return [status, body.error]
        }
        for (const scope of ['api', 'read_api', 'read_user'])
          expect(await status(scope)).toEqual([200, undefined])
        expect(await status('read_repository')).toEqual([403, 'insufficient_scope'])
      },
    ),
    accessLine(
      '8.12 GET, POST, DELETE /applications: adm',
      eachFrom('administrator', {
        'GET /applications': (client) => client.get('/applications'),
        'POST /applications': (client, _args, name) =>
          client.post('/applications', { name, redirect_uri: 'http://127.0.0.1/', scopes: 'api' }),
        'DELETE /applications/:id': async (client, { root }, caller) => {
          const { body } = await root.post('/applications', {
            name: `gone-${caller}`,
            redirect_uri: 'http://127.0.0.1/',
            scopes: 'api',
          })
          return client.delete(`/applications/${body.id}`)
        },
      }),
    ),
  ],
)
