import { generateKey } from 'openpgp'
import { beforeAll, describe, expect, it } from 'vitest'

import type { GpgKeyRow } from '../../../../server/domains/users/index.ts'
import { world } from '../../../support/world.ts'

const instance = await world()
const { as, make, root } = instance
const ada = make.user({ username: 'ada' })
const ben = make.user({ username: 'ben' })

const pair = () => generateKey({ userIDs: [{ name: 'Ada', email: 'ada@example.test' }], format: 'armored' })
const INVALID = {
  message: {
    key: ["is invalid. A valid public GPG key begins with '-----BEGIN PGP PUBLIC KEY BLOCK-----'"],
  },
}
let keys: Awaited<ReturnType<typeof pair>>[]
beforeAll(async () => {
  keys = await Promise.all([pair(), pair(), pair()])
})

const add = (key: string) => as(ada).post('/user/gpg_keys', { key })

describe('the GPG keys of a user', () => {
  it('are added, listed for everybody, and deleted', async () => {
    const key = keys[0]!.publicKey
    const { status, body } = await add(`\n${key}`)
    expect(status).toBe(201)
    expect(body).toEqual({ id: expect.any(Number), key: key.trim(), created_at: expect.stringMatching(/Z$/) })
    expect((await as(ada).get('/user/gpg_keys')).body).toEqual([body])
    expect((await as(null).get(`/users/${ada.id}/gpg_keys`)).body).toEqual([body])
    expect((await as(null).get(`/users/${ada.id}/gpg_keys/${body.id}`)).body).toEqual(body)
    expect((await as(ben).get(`/user/gpg_keys/${body.id}`)).body).toEqual({
      message: '404 GPG Key Not Found',
    })
    const taken = ['has already been taken']
    expect((await as(ben).post('/user/gpg_keys', { key })).body).toEqual({
      message: { key: taken, fingerprint: taken, primary_keyid: taken },
    })
    expect((await as(ben).delete(`/user/gpg_keys/${body.id}`)).status).toBe(404)
    expect((await as(ada).delete(`/user/gpg_keys/${body.id}`)).status).toBe(204)
    expect((await as(ada).get(`/user/gpg_keys/${body.id}`)).status).toBe(404)
    expect((await as(ben).post('/user/gpg_keys', { key })).status).toBe(201)
  })

  it('store their user IDs and key IDs', async () => {
    const { body } = await add(keys[1]!.publicKey)
    const row = instance.ctx().db.one<GpgKeyRow>('SELECT * FROM gpg_keys WHERE id = ?', body.id)!
    expect(row.uids).toEqual([{ name: 'Ada', email: 'ada@example.test' }])
    expect(row.fingerprint).toMatch(/^[0-9A-F]{40}$/)
    expect(row.fingerprint.endsWith(row.primary_keyid)).toBe(true)
    expect(row.subkeys).toEqual([expect.stringMatching(/^[0-9A-F]{16}$/)])
  })

  it('are revoked permanently', async () => {
    const key = keys[2]!.publicKey
    const { id } = (await add(key)).body
    expect((await as(ben).post(`/user/gpg_keys/${id}/revoke`)).status).toBe(404)
    expect((await as(ada).post(`/user/gpg_keys/${id}/revoke`)).status).toBe(202)
    expect((await as(ada).get(`/user/gpg_keys/${id}`)).status).toBe(404)
    expect(
      (await as(ada).get('/user/gpg_keys')).body.map((gpgKey: { id: number }) => gpgKey.id),
    ).not.toContain(id)
    expect((await add(key)).status).toBe(400)
  })

  it('return 400 for other texts than one public key', async () => {
    const { publicKey, privateKey } = keys[0]!
    const wrong = [
      '',
      'key',
      publicKey.slice(10),
      publicKey.slice(0, 300),
      privateKey,
      publicKey.replace(/\n[A-Za-z0-9+/]{8}/, '\nAAAAAAAA'),
    ]
    for (const key of wrong) {
      const { status, body } = await add(key)
      expect([key.slice(0, 40), status, body]).toEqual([key.slice(0, 40), 400, INVALID])
    }
    expect((await as(ada).post('/user/gpg_keys', {})).body).toEqual({ error: 'key is missing' })
  })

  it('are managed by administrators', async () => {
    const { publicKey } = await pair()
    const at = `/users/${ben.id}/gpg_keys`
    expect((await as(ada).post(at, { key: publicKey })).status).toBe(403)
    const { body, status } = await as(root).post(at, { key: publicKey })
    expect(status).toBe(201)
    expect((await as(ada).delete(`${at}/${body.id}`)).status).toBe(403)
    expect((await as(root).post(`${at}/${body.id}/revoke`)).status).toBe(202)
    expect((await as(root).delete(`${at}/${body.id}`)).body).toEqual({ message: '404 GPG Key Not Found' })
    expect((await as(root).get('/users/99999/gpg_keys')).body).toEqual({ message: '404 User Not Found' })
  })
})
