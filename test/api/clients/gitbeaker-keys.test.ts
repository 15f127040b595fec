import { Gitlab } from '@gitbeaker/rest'
import { generateKey } from 'openpgp'
import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { ed25519Key } from '../users/keys/samples.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const ada = here.make.user({ username: 'ada' })
const project = await here.make.project({ with: 'readme' })
const group = await here.make.group()
const ids = (rows: readonly { readonly id?: unknown }[]) => rows.map((row) => row.id)

describe('@gitbeaker/rest with keys', () => {
  it('adds, lists, shows and deletes SSH keys of its user and of others', async () => {
    for (const owner of [{}, { userId: ada.id }]) {
      const made = await api.UserSSHKeys.create('Laptop', ed25519Key(), {
        ...owner,
        expiresAt: '2090-01-01',
        usageType: 'auth',
      })
      expect(made).toMatchObject({
        title: 'Laptop',
        expires_at: '2090-01-01T00:00:00.000Z',
        usage_type: 'auth',
      })
      expect(await api.UserSSHKeys.show(made.id, owner)).toEqual(made)
      expect(await api.UserSSHKeys.all(owner)).toEqual([made])
      expect(await api.Keys.show({ keyId: made.id })).toMatchObject({ id: made.id })
      await api.UserSSHKeys.remove(made.id, owner)
      expect(await api.UserSSHKeys.all(owner)).toEqual([])
    }
  })

  it('adds, lists, shows and deletes GPG keys of its user and of others', async () => {
    for (const owner of [{}, { userId: ada.id }]) {
      const { publicKey } = await generateKey({
        userIDs: [{ name: 'A', email: 'a@example.test' }],
        format: 'armored',
      })
      const made = await api.UserGPGKeys.create(publicKey, owner)
      expect(await api.UserGPGKeys.show(made.id, owner)).toEqual(made)
      expect(await api.UserGPGKeys.all(owner)).toEqual([made])
      await api.UserGPGKeys.remove(made.id, owner)
      expect(await api.UserGPGKeys.all(owner)).toEqual([])
    }
  })

  it('returns that a commit and a tag are not signed', async () => {
    await api.Tags.create(project.id, 'v1', 'main')
    await expect(api.Commits.showGPGSignature(project.id, 'main')).rejects.toThrow('404 Signature Not Found')
    await expect(api.Tags.showSignature(project.id, 'v1')).rejects.toThrow('404 Signature Not Found')
  })

  it('adds, updates, enables and deletes deploy keys', async () => {
    const other = await here.make.project()
    const made = await api.DeployKeys.create(project.id, 'Robot', ed25519Key(), { canPush: true })
    expect(made).toMatchObject({ title: 'Robot', can_push: true })
    expect(await api.DeployKeys.edit(project.id, made.id, { title: 'Machine' })).toMatchObject({
      title: 'Machine',
    })
    expect(await api.DeployKeys.enable(other.id, made.id)).toMatchObject({ id: made.id })
    expect(await api.DeployKeys.show(other.id, made.id)).toMatchObject({ can_push: false })
    expect(ids(await api.DeployKeys.all())).toEqual([made.id])
    expect(ids(await api.DeployKeys.all({ projectId: project.id }))).toEqual([made.id])
    await api.DeployKeys.remove(project.id, made.id)
    await api.DeployKeys.remove(other.id, made.id)
    expect(await api.DeployKeys.all()).toEqual([])
  })
})

describe('@gitbeaker/rest with tokens', () => {
  it('creates, lists, shows and deletes deploy tokens', async () => {
    for (const where of [{ projectId: project.id }, { groupId: group.id }] as never[]) {
      const made = await api.DeployTokens.create('CI', ['read_repository'], where)
      expect(made).toMatchObject({ name: 'CI', revoked: false, token: expect.any(String) })
      expect(await api.DeployTokens.show(made.id, where)).toMatchObject({ username: made.username })
      expect(ids(await api.DeployTokens.all(where))).toEqual([made.id])
      expect(ids(await api.DeployTokens.all({ active: true }))).toEqual([made.id])
      await api.DeployTokens.remove(made.id, where)
      expect(await api.DeployTokens.all(where)).toEqual([])
    }
  })

  it('creates, lists, shows, rotates and revokes access tokens', async () => {
    for (const [tokens, id] of [
      [api.ProjectAccessTokens, project.id],
      [api.GroupAccessTokens, group.id],
    ] as const) {
      const made = await tokens.create(id, 'Robot', ['api'], '2090-01-01', { accessLevel: 30 })
      expect(made).toMatchObject({ access_level: 30, expires_at: '2090-01-01', active: true })
      const bot = new Gitlab({ host: here.url, token: made.token as string })
      expect(await bot.Users.showCurrentUser()).toMatchObject({ id: made.user_id, bot: true })
      expect(await tokens.show(id, made.id)).toMatchObject({ id: made.id })
      const next = await tokens.rotate(id, made.id, { expiresAt: '2090-02-01' })
      expect(next).toMatchObject({ user_id: made.user_id, expires_at: '2090-02-01' })
      expect(ids(await tokens.all(id))).toContain(next.id)
      await tokens.revoke(id, next.id)
      expect(await tokens.all(id)).toEqual([])
    }
  })
})
