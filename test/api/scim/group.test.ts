import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { ERROR, person, provider, send, type Provider } from './support.ts'

const { as, make, root, url, ctx } = await world()
const w = { as, url } as never
const owner = make.user()
const group = await make.group({ owner })
const idp: Provider = await provider(w, owner, group)

const patch = (...operations: unknown[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: operations,
})
const members = async (id = group.id) =>
  (await as(owner).get(`/groups/${id}/members`)).body.map((member: { username: string }) => member.username)
const find = async (filter: string) =>
  (await idp.ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body

describe('the SCIM endpoint of a group', () => {
  it('requires the token, and returns 404 for groups without SCIM', async () => {
    for (const token of [null, 'glsoat-another'])
      expect((await idp.ask('GET', '/Users', undefined, token)).body).toEqual({ message: '401 Unauthorized' })
    const absent = await send(`${url}/api/scim/v2/groups/not-there/Users`, 'GET', undefined, idp.token)
    expect(absent.status).toBe(404)
    expect(absent.headers.get('content-type')).toBe('application/scim+json')
    expect(absent.body).toEqual({ schemas: [ERROR], detail: 'Group not-there not found', status: 404 })
    const open = await make.group({ owner, visibility: 'public' })
    const bare = await send(`${url}/api/scim/v2/groups/${open.path}/Users`, 'GET', undefined, idp.token)
    expect(bare.body.detail).toBe(`Group ${open.path} does not have SAML SSO configured`)
    const hidden = await make.group({ owner })
    const silent = await send(`${url}/api/scim/v2/groups/${hidden.path}/Users`, 'GET', undefined, idp.token)
    expect(silent.body.detail).toBe(`Group ${hidden.path} not found`)
    const below = await make.group({ owner, parent_id: group.id })
    const sub = `${url}/api/scim/v2/groups/${encodeURIComponent(below.full_path)}/Users`
    expect((await send(sub, 'GET', undefined, idp.token)).status).toBe(404)
  })

  it('describes its features', async () => {
    const config = await idp.ask('GET', '/ServiceProviderConfig')
    expect(config.body).toMatchObject({ patch: { supported: true }, bulk: { supported: false } })
    const types = await idp.ask('GET', '/ResourceTypes')
    expect(types.body).toMatchObject({ totalResults: 1, Resources: [{ id: 'User', endpoint: '/Users' }] })
    expect((await idp.ask('GET', '/ResourceTypes/User')).status).toBe(200)
    const schema = await idp.ask('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User')
    expect(schema.body.attributes.map((attribute: { name: string }) => attribute.name)).toContain('userName')
    for (const [method, path] of [
      ['GET', '/Groups'],
      ['POST', '/Bulk'],
      ['GET', '/Me'],
      ['GET', '/Schemas/x'],
    ] as const)
      expect((await idp.ask(method, path)).body).toMatchObject({ schemas: [ERROR], status: 404 })
  })

  it("supports a user's whole life with an identity provider", async () => {
    expect(await find('userName eq "life@corp.example"')).toMatchObject({ totalResults: 0, Resources: [] })
    const made = await idp.ask('POST', '/Users', person('life', { displayName: 'Ann Life' }))
    expect(made.status).toBe(201)
    expect(made.headers.get('content-type')).toBe('application/scim+json')
    const location = `${url}/api/scim/v2/groups/${group.path}/Users/uid-life`
    expect(made.headers.get('location')).toBe(location)
    expect(made.body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id: 'uid-life',
      externalId: 'uid-life',
      active: true,
      userName: 'life',
      displayName: 'Ann life',
      name: { formatted: 'Ann life', familyName: 'life', givenName: 'Ann' },
      emails: [{ type: 'work', value: 'life@corp.example', primary: true }],
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location,
      },
    })
    expect(await members()).toContain('life')
    const [user] = (await as(root).get('/users?username=life')).body
    expect((await as(root).get(`/users/${user.id}`)).body).toMatchObject({
      provisioned_by_group_id: group.id,
      confirmed_at: expect.any(String),
    })
    expect(await find('userName eq "life@corp.example"')).toMatchObject({ totalResults: 1 })

    const off = patch({ op: 'Replace', path: 'active', value: 'False' })
    const answer = await idp.ask('PATCH', '/Users/uid-life', off)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await members()).not.toContain('life')
    expect((await idp.ask('GET', '/Users/uid-life')).body.active).toBe(false)
    expect((await idp.ask('PATCH', '/Users/uid-life', off)).status).toBe(204)

    const on = patch({ op: 'replace', value: { active: true, 'name.formatted': 'Ann B Life' } })
    expect((await idp.ask('PATCH', '/Users/uid-life', on)).status).toBe(204)
    expect(await members()).toContain('life')
    const renamed = await idp.ask('GET', '/Users/uid-life?attributes=name.familyName,userName')
    expect(renamed.body).toEqual({
      schemas: expect.any(Array),
      id: 'uid-life',
      userName: 'life',
      name: { familyName: 'B Life' },
    })

    const mail = { op: 'replace', path: 'emails[type eq "work"].value', value: 'ann@corp.example' }
    const uid = { op: 'Add', path: 'externalId', value: 'uid/with a slash?' }
    const ignored = { op: 'remove', path: 'title' }
    expect((await idp.ask('PATCH', '/Users/uid-life', patch(mail, ignored, uid))).status).toBe(204)
    const moved = `/Users/${encodeURIComponent('uid/with a slash?')}`
    expect((await idp.ask('GET', moved)).body.emails[0].value).toBe('ann@corp.example')
    expect((await idp.ask('GET', '/Users/uid-life')).status).toBe(404)
    const put = await idp.ask('PUT', moved, person('life', { externalId: 'uid-life', userName: 'ann.life' }))
    expect(put.status).toBe(200)
    expect(put.body).toMatchObject({ id: 'uid-life', userName: 'ann.life' })

    expect((await idp.ask('DELETE', '/Users/uid-life')).status).toBe(204)
    expect(await members()).not.toContain('ann.life')
    const after = await idp.ask('GET', '/Users/uid-life')
    expect(after.body).toEqual({ schemas: [ERROR], detail: 'Resource uid-life not found', status: 404 })
    expect((await as(root).get(`/users/${user.id}`)).body.state).toBe('active')
    const again = await idp.ask('POST', '/Users', person('life'))
    expect(again.body).toMatchObject({ id: 'uid-life', userName: 'ann.life' })
  })

  it('shows the email addresses of its users to owners of the group only', async () => {
    await idp.ask('POST', '/Users', person('mail'))
    const member = make.user()
    await make.member('groups', group.id, member, 40)
    const emails = async (user: typeof owner) => {
      const { body } = await as(user).get(`/groups/${group.id}/members`)
      return body.flatMap((row: { email?: string }) => row.email ?? [])
    }
    const listed = await emails(owner)
    expect(listed).toContain('mail@corp.example')
    expect(await emails(root)).toEqual(listed)
    expect(await emails(member)).toEqual([])
    const user = (await as(owner).get(`/groups/${group.id}/members?query=mail`)).body[0]
    expect((await as(owner).get(`/groups/${group.id}/members/${user.id}`)).body.email).toBe(
      'mail@corp.example',
    )
    expect((await as(member).get(`/groups/${group.id}/members/${user.id}`)).body).not.toHaveProperty('email')
  })

  it('creates one user for two requests, and finds free user names', async () => {
    const both = await Promise.all([1, 2].map(() => idp.ask('POST', '/Users', person('same'))))
    expect(both.map((answer) => [answer.status, answer.body.userName])).toEqual([
      [201, 'same'],
      [201, 'same'],
    ])
    expect(await find('externalId eq "uid-same"')).toMatchObject({ totalResults: 1 })
    const other = person('other', { userName: 'same@elsewhere.example' })
    expect((await idp.ask('POST', '/Users', other)).body.userName).toBe('same1')
    const odd = person('odd', { userName: '..ädmin.git@x', externalId: 'uid-odd' })
    expect((await idp.ask('POST', '/Users', odd)).body.userName).toBe('admin1')
  })

  it('adds an existing user with the address, and changes nothing else', async () => {
    const known = make.user({ username: 'knows' })
    const { email, name } = (await as(known).get('/user')).body
    const sent = person('knows', { emails: [{ value: email, type: 'work' }], externalId: 'uid-known' })
    const made = await idp.ask('POST', '/Users', sent)
    expect([made.status, made.body.userName, made.body.name.formatted]).toEqual([201, 'knows', name])
    expect(await members()).toContain('knows')
    const change = patch({
      op: 'replace',
      value: { displayName: 'Mallory', userName: 'm', emails: [{ value: 'm@m.example' }] },
    })
    expect((await idp.ask('PATCH', '/Users/uid-known', change)).status).toBe(204)
    expect((await as(known).get('/user')).body).toMatchObject({ email, name, username: 'knows' })
    expect((await as(root).get(`/users/${known.id}`)).body.provisioned_by_group_id).toBe(null)
    const second = await idp.ask('POST', '/Users', { ...sent, externalId: 'uid-second' })
    expect(second.status).toBe(409)
    const unsure = make.user()
    ctx().db.exec('UPDATE users SET confirmed_at = NULL WHERE id = ?', unsure.id)
    const address = (await as(root).get(`/users/${unsure.id}`)).body.email
    const claimed = await idp.ask('POST', '/Users', person('unsure', { emails: [{ value: address }] }))
    expect([claimed.status, claimed.body.detail]).toEqual([409, 'Email has already been taken'])
  })

  it('does not change the address of a user with memberships elsewhere', async () => {
    await idp.ask('POST', '/Users', person('roams'))
    const [user] = (await as(root).get('/users?username=roams')).body
    const elsewhere = await make.group({ owner: root })
    await make.member('groups', elsewhere.id, { ...owner, id: user.id }, 30)
    const change = patch({ op: 'replace', path: 'emails', value: [{ value: 'taken@corp.example' }] })
    expect((await idp.ask('PATCH', '/Users/uid-roams', change)).status).toBe(204)
    expect((await as(root).get(`/users/${user.id}`)).body.email).toBe('roams@corp.example')
  })

  it('keeps the last owner', async () => {
    const { email } = (await as(owner).get('/user')).body
    const made = await idp.ask('POST', '/Users', person('boss', { emails: [{ value: email }] }))
    expect(made.status).toBe(201)
    const refused = await idp.ask(
      'PATCH',
      '/Users/uid-boss',
      patch({ op: 'replace', path: 'active', value: false }),
    )
    expect(refused.status).toBe(412)
    expect(refused.body.detail).toMatch(/Cannot remove last group owner/)
    expect((await idp.ask('DELETE', '/Users/uid-boss')).status).toBe(412)
    expect((await idp.ask('GET', '/Users/uid-boss')).body.active).toBe(true)
  })

  it('reports missing, taken and invalid values', async () => {
    const cases: [string, string, unknown, number, RegExp][] = [
      ['POST', '/Users', { userName: 'x' }, 412, /^Missing params: \[externalId, name, emails\]$/],
      ['POST', '/Users', person('bad', { emails: [{ value: 'no address' }] }), 412, /^email /],
      ['POST', '/Users', '{', 400, /./],
      ['PATCH', '/Users/uid-same', {}, 412, /^Missing params: \[Operations\]$/],
      ['PATCH', '/Users/uid-same', patch({ op: 'move', path: 'active' }), 412, /Unsupported operation/],
      ['PATCH', '/Users/uid-same', patch({ op: 'replace', path: 'active', value: 'maybe' }), 412, /active/],
      ['PATCH', '/Users/uid-same', patch({ op: 'remove' }), 412, /path/],
      [
        'PATCH',
        '/Users/uid-same',
        patch({ op: 'replace', path: 'externalId', value: 'uid-other' }),
        409,
        /taken/,
      ],
      [
        'PATCH',
        '/Users/uid-same',
        patch({ op: 'replace', path: 'userName', value: 'root' }),
        409,
        /Username/,
      ],
      ['PUT', '/Users/uid-same', person('life', { externalId: 'uid-same' }), 409, /Email|Username/],
      ['PUT', '/Users/nobody', person('x'), 404, /^Resource nobody not found$/],
      ['GET', '/Users?filter=title%20eq%20%22x%22', undefined, 412, /^Unsupported Filter$/],
      ['GET', '/Users?filter=%28%28', undefined, 412, /^Unsupported Filter$/],
      [
        'GET',
        `/Users?filter=${encodeURIComponent(`id eq "${'\n'.repeat(60)}`)}`,
        undefined,
        412,
        /^Unsupported/,
      ],
    ]
    for (const [method, path, body, status, detail] of cases) {
      const answer = await idp.ask(method, path, body)
      expect(answer.body, `${method} ${path}`).toEqual({
        schemas: [ERROR],
        detail: expect.stringMatching(detail),
        status,
      })
      expect(answer.status).toBe(status)
    }
  })

  it('finds users by filters, page by page', async () => {
    const ids = async (filter: string) =>
      (await find(filter)).Resources.map((resource: { id: string }) => resource.id).sort()
    expect(await ids('id eq "UID-SAME"')).toEqual(['uid-same'])
    expect(await ids('externalId eq "uid-other" or userName sw "SAM"')).toEqual(['uid-other', 'uid-same'])
    expect(await ids('userName sw "same" and not (emails.value co "same@")')).toEqual(['uid-other'])
    expect(await ids('emails[type eq "work" and value ew "same@corp.example"]')).toEqual(['uid-same'])
    expect(await ids('name.familyName eq "same" and active eq true and displayName pr')).toEqual(['uid-same'])
    expect(await ids('userName co "%"')).toEqual([])
    expect(await ids('title pr')).toEqual([])
    const all = (await idp.ask('GET', '/Users')).body
    const page = (await idp.ask('GET', '/Users/?startIndex=2&count=1')).body
    expect(page).toMatchObject({ totalResults: all.totalResults, itemsPerPage: 1, startIndex: 2 })
    expect(page.Resources[0].id).toBe(all.Resources[1].id)
    const none = (await idp.ask('GET', '/Users?startIndex=-3&count=0&excludedAttributes=name')).body
    expect(none).toMatchObject({ startIndex: 1, itemsPerPage: 0, totalResults: all.totalResults })
    const search = await idp.ask('POST', '/Users/.search', {
      filter: 'id eq "uid-same"',
      attributes: ['userName'],
    })
    expect(search.body.Resources).toEqual([{ schemas: expect.any(Array), id: 'uid-same', userName: 'same' }])
  })

  it('neither shows nor changes users of another group', async () => {
    const other = await make.group({ owner })
    const theirs = await provider(w, owner, other)
    await idp.ask('POST', '/Users', person('mine'))
    expect((await theirs.ask('GET', '/Users')).body.totalResults).toBe(0)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      expect(
        (
          await theirs.ask(
            method,
            '/Users/uid-mine',
            method === 'GET' || method === 'DELETE'
              ? undefined
              : patch({ op: 'replace', path: 'active', value: false }),
          )
        ).status,
      ).toBe(404)
    expect((await theirs.ask('GET', '/Users', undefined, idp.token)).status).toBe(401)
    // The same user has an identity in each group.
    expect((await theirs.ask('POST', '/Users', person('mine'))).status).toBe(201)
    expect((await theirs.ask('DELETE', '/Users/uid-mine')).status).toBe(204)
    expect((await idp.ask('GET', '/Users/uid-mine')).body.active).toBe(true)
  })
})

describe('identities through the API', () => {
  it('are listed, read, changed and deleted by owners', async () => {
    await idp.ask('POST', '/Users', person('api'))
    const [user] = (await as(root).get('/users?username=api1')).body
    const listed = (await as(owner).get(`/groups/${group.id}/scim/identities`)).body
    expect(listed).toContainEqual({ extern_uid: 'uid-api', user_id: user.id, active: true })
    expect((await as(owner).get(`/groups/${group.id}/scim/uid-api`)).body.user_id).toBe(user.id)
    const renamed = await as(owner).patch(`/groups/${group.id}/scim/uid-api`, { extern_uid: 'a/b' })
    expect([renamed.status, renamed.text]).toEqual([204, ''])
    expect((await as(owner).get(`/groups/${group.id}/scim/a/b`)).body.extern_uid).toBe('a/b')
    expect((await as(owner).patch(`/groups/${group.id}/scim/a%2Fb`, { extern_uid: 'uid-same' })).status).toBe(
      409,
    )
    expect((await as(owner).patch(`/groups/${group.id}/scim/a%2Fb`, {})).body).toEqual({
      error: 'extern_uid is missing',
    })
    expect((await as(owner).delete(`/groups/${group.id}/scim/a%2Fb`)).status).toBe(204)
    expect((await as(owner).get(`/groups/${group.id}/scim/a%2Fb`)).status).toBe(404)
    expect(await members()).toContain('api1')
  })

  it('are limited to owners of top-level groups with SCIM', async () => {
    const maintainer = make.user()
    await make.member('groups', group.id, maintainer, 40)
    expect((await as(maintainer).get(`/groups/${group.id}/scim/identities`)).status).toBe(403)
    expect((await as(null).get(`/groups/${group.id}/scim/identities`)).status).toBe(404)
    const bare = await make.group({ owner })
    expect((await as(owner).get(`/groups/${bare.id}/scim/identities`)).status).toBe(404)
    const below = await make.group({ owner, parent_id: group.id })
    expect((await as(owner).get(`/groups/${below.id}/scim/identities`)).status).toBe(404)
    expect((await as(owner).post(`/-/groups/${below.id}/scim/connection`)).status).toBe(404)
    expect((await as(maintainer).post(`/-/groups/${group.id}/scim/connection`)).status).toBe(403)
  })

  it('are shown in the window, and the token once', async () => {
    const mine = await make.group({ owner })
    const at = `/-/groups/${mine.id}/scim`
    expect((await as(owner).get(`${at}/connection`)).body).toMatchObject({
      enabled: false,
      last_used_at: null,
    })
    const first = await provider(w, owner, mine)
    const second = await provider(w, owner, mine)
    expect(second.token).toMatch(/^glsoat-[\w-]{20}$/)
    expect((await first.ask('GET', '/Users')).status).toBe(401)
    expect((await second.ask('POST', '/Users', person('shown'))).status).toBe(201)
    const shown = (await as(owner).get(`${at}/connection`)).body
    expect([shown.enabled, shown.token]).toEqual([true, undefined])
    const list = (await as(owner).get(`${at}/identities`)).body
    expect(list).toMatchObject([{ extern_uid: 'uid-shown', active: true, user: { username: 'shown' } }])
    expect((await as(owner).delete(`${at}/identities/uid-shown`)).status).toBe(204)
    expect((await as(owner).delete(`${at}/connection`)).status).toBe(204)
    expect((await as(owner).delete(`${at}/connection`)).status).toBe(404)
  })
})
