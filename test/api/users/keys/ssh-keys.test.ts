import { generateKeyPairSync } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { ecdsaKey, ed25519Key, rsaKey, tokenKey, wireOf } from './samples.ts'

const instance = await world()
const { as, make, root } = instance
const ada = make.user({ username: 'ada' })
const ben = make.user({ username: 'ben' })

const add = (key: string, more: object = {}, path = '/user/keys') =>
  as(ada).post(path, { title: 'Laptop', key, ...more })
const refused = async (key: string, more: object = {}) => {
  const { status, body } = await add(key, more)
  return [status, body.message]
}

describe('the SSH keys of a user', () => {
  it('are added, listed for everybody, and deleted', async () => {
    const key = ed25519Key('ada@home')
    const { status, body } = await add(key)
    expect(status).toBe(201)
    const [type, blob] = key.split(' ')
    expect(body).toEqual({
      id: expect.any(Number),
      title: 'Laptop',
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      key: `${type} ${blob} ADA (127.0.0.1)`,
      usage_type: 'auth_and_signing',
    })
    expect((await as(ada).get(`/user/keys/${body.id}`)).body).toEqual(body)
    expect((await as(ada).get('/user/keys')).body).toEqual([body])
    expect((await as(null).get('/users/ada/keys')).body).toEqual([body])
    expect((await as(null).get(`/users/${ada.id}/keys/${body.id}`)).body).toEqual(body)
    expect((await as(ben).get('/user/keys')).body).toEqual([])
    expect((await as(ben).delete(`/user/keys/${body.id}`)).status).toBe(404)
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await as(ada).delete(`/user/keys/${body.id}`, undefined, old)).status).toBe(412)
    expect((await as(ada).delete(`/user/keys/${body.id}`)).status).toBe(204)
    expect((await as(ada).get(`/user/keys/${body.id}`)).body).toEqual({ message: '404 Key Not Found' })
  })

  it('can be of every type', async () => {
    const keys = [rsaKey(2048), ecdsaKey('P-256'), ecdsaKey('P-384'), ecdsaKey('P-521'), ed25519Key()]
    for (const key of [
      ...keys,
      tokenKey('sk-ssh-ed25519@openssh.com'),
      tokenKey('sk-ecdsa-sha2-nistp256@openssh.com'),
    ]) {
      const { status, body } = await add(key)
      expect([status, body.key?.split(' ')[0]]).toEqual([201, key.split(' ')[0]])
    }
  })

  it('have a usage type and an expiry', async () => {
    const { body } = await add(ed25519Key(), { usage_type: 'signing', expires_at: '2090-03-04' })
    expect(body).toMatchObject({ usage_type: 'signing', expires_at: '2090-03-04T00:00:00.000Z' })
    expect(await refused(ed25519Key(), { expires_at: '2020-01-01' })).toEqual([400, { key: ['has expired'] }])
    expect((await add(ed25519Key(), { usage_type: 'all' })).body).toEqual({
      error: 'usage_type does not have a valid value',
    })
  })

  it('return 400 for a key of another user', async () => {
    const key = ed25519Key()
    expect((await add(key)).status).toBe(201)
    const taken = ['has already been taken']
    const answer = { fingerprint_sha256: taken, fingerprint: taken, key: taken }
    expect(await refused(`${key} another comment`)).toEqual([400, answer])
    expect((await as(ben).post('/user/keys', { title: 'Mine', key })).body.message).toEqual(answer)
  })

  it('return 400 for other texts than one public key', async () => {
    const key = ed25519Key()
    const [type, blob] = key.split(' ') as [string, string]
    const bytes = Buffer.from(blob, 'base64')
    const { privateKey } = generateKeyPairSync('ed25519')
    const wrong = [
      'ssh-ed25519',
      'ssh-ed25519 AAAA',
      `ssh-rsa ${blob}`,
      `${type} ${blob.slice(0, -4)}`,
      `${type} ${Buffer.concat([bytes, Buffer.from([0])]).toString('base64')}`,
      `${type} ${blob}==`,
      `command="/bin/sh" ${key}`,
      `${key}\n${ed25519Key()}`,
      `${type}\t${blob}`,
      `ssh-ed25519-cert-v01@openssh.com ${blob}`,
      `constructor ${wireOf('constructor')}`,
      privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
      // A point outside of its curve, a modulus of 512 bits, a negative modulus, an even exponent.
      `ecdsa-sha2-nistp256 ${wireOf('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]))}`,
      `ssh-rsa ${wireOf('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 255)]))}`,
      `ssh-rsa ${wireOf('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(256, 255))}`,
      `ssh-rsa ${wireOf('ssh-rsa', Buffer.from([2]), Buffer.concat([Buffer.from([0]), Buffer.alloc(256, 255)]))}`,
    ]
    for (const key of wrong) expect([key, await refused(key)]).toEqual([key, [400, { key: ['is invalid'] }]])
    expect((await add('')).status).toBe(400)
    expect(await refused(key, { title: '  ' })).toEqual([400, { title: ["can't be blank"] }])
    expect((await as(ada).post('/user/keys', { key })).body).toEqual({ error: 'title is missing' })
  })

  it('respect the settings', async () => {
    const set = (params: object) => as(root).put('/application/settings', params)
    await set({ rsa_key_restriction: 3072, ed25519_key_restriction: -1 })
    expect(await refused(rsaKey(2048))).toEqual([400, { key: ['must be at least 3072 bits'] }])
    expect((await refused(ed25519Key()))[1]).toEqual({
      key: ['type is forbidden. Must be RSA, DSA, ECDSA, ECDSA_SK, or ED25519_SK'],
    })
    const families = ['dsa', 'ecdsa', 'ecdsa_sk', 'ed25519_sk', 'rsa']
    const none = await set(Object.fromEntries(families.map((type) => [`${type}_key_restriction`, -1])))
    expect([none.status, none.body.message]).toEqual([400, { allowed_key_types: ["can't be blank"] }])
    expect((await set({ rsa_key_restriction: 5 })).body).toEqual({
      error: 'rsa_key_restriction does not have a valid value',
    })
    await set({ rsa_key_restriction: 0, ed25519_key_restriction: 0, max_ssh_key_lifetime: 30 })
    expect((await refused(ed25519Key()))[1].key[0]).toMatch(/^has no expiration date/)
    expect((await refused(ed25519Key(), { expires_at: '2090-01-01' }))[1].key[0]).toMatch(
      /^has an expiration date/,
    )
    const soon = new Date(Date.now() + 10 * 86_400_000).toISOString()
    expect((await add(ed25519Key(), { expires_at: soon })).status).toBe(201)
    await set({ max_ssh_key_lifetime: null })
  })

  it('are managed by administrators', async () => {
    const at = `/users/${ben.id}/keys`
    const { status, body } = await as(root).post(at, { title: 'Given', key: ed25519Key() })
    expect([status, body.title]).toEqual([201, 'Given'])
    expect((await as(ada).post(at, { title: 'No', key: ed25519Key() })).status).toBe(403)
    expect((await as(ada).delete(`${at}/${body.id}`)).status).toBe(403)
    expect((await as(null).delete(`${at}/${body.id}`)).status).toBe(401)
    expect((await as(root).delete(`/users/${ada.id}/keys/${body.id}`)).body).toEqual({
      message: '404 Key Not Found',
    })
    expect((await as(root).delete(`${at}/${body.id}`)).status).toBe(204)
    expect((await as(root).post('/users/99999/keys', { title: 'No', key: ed25519Key() })).body).toEqual({
      message: '404 User Not Found',
    })
    expect((await as(null).get('/users/nobody-here/keys')).body).toEqual({ message: '404 User Not Found' })
  })

  it('are found by id and by both fingerprints', async () => {
    const key = ed25519Key()
    const { body } = await add(key)
    const found = await as(root).get(`/keys/${body.id}`)
    expect(found.body).toMatchObject({
      id: body.id,
      key: body.key,
      user: { id: ada.id, email: 'ada@example.test' },
    })
    expect(found.body).not.toHaveProperty('deploy_keys_projects')
    const { fingerprint, fingerprint_sha256 } = instance
      .ctx()
      .db.one<Record<string, string>>('SELECT * FROM ssh_keys WHERE id = ?', body.id)!
    const find = (text: string) => as(root).get(`/keys?fingerprint=${encodeURIComponent(text)}`)
    for (const text of [
      fingerprint!,
      fingerprint_sha256!,
      `MD5:${fingerprint!.toUpperCase()}`,
      fingerprint_sha256!.slice(7),
    ])
      expect((await find(text)).body).toEqual(found.body)
    expect((await find(`SHA256:${'A'.repeat(43)}`)).body).toEqual({ message: '404 Key Not Found' })
    expect((await find('SHA256:short')).body).toEqual({
      message: '400 Bad request - Failed to return the key',
    })
    expect((await as(root).get('/keys')).body).toEqual({ error: 'fingerprint is missing' })
    expect((await as(root).get('/keys/99999')).body).toEqual({ message: '404 Key Not Found' })
    expect((await as(ada).get(`/keys/${body.id}`)).status).toBe(403)
  })
})
