import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const PNG = new Uint8Array(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))

describe('@gitbeaker/rest with users', () => {
  it('changes states and returns the result', async () => {
    const { id } = here.make.user()
    expect(await api.Users.block(id)).toBe(true)
    // The client turns `null` and `false` into an empty object.
    expect(await api.Users.block(id)).toEqual({})
    expect((await api.Users.show(id)).state).toBe('blocked')
    expect(await api.Users.unblock(id)).toBe(true)
    expect(await api.Users.unblock(id)).toEqual({})
    expect(await api.Users.ban(id)).toBe(true)
    expect(await api.Users.unban(id)).toBe(true)
    expect(await api.Users.deactivate(id)).toBe(true)
    expect(await api.Users.activate(id)).toBe(true)
    await expect(api.Users.approve(id)).rejects.toThrow(/not pending approval/)
  })

  it('updates attributes and a picture, and filters by custom attributes', async () => {
    const { id, username } = here.make.user()
    // The client sends this request as a form, without renaming the fields.
    expect(await api.Users.edit(id, { private_profile: true, pronouns: 'she' } as never)).toMatchObject({
      private_profile: true,
      pronouns: 'she',
    })
    const avatar = { content: new Blob([PNG]), filename: 'face.png' }
    const edited = (await api.Users.edit(id, { avatar } as never)) as { avatar_url: string }
    expect(edited.avatar_url).toMatch(/\/face\.png$/)
    expect(await api.UserCustomAttributes.set(id, 'site', 'Bern')).toEqual({ key: 'site', value: 'Bern' })
    expect(await api.UserCustomAttributes.all(id)).toEqual([{ key: 'site', value: 'Bern' }])
    const [found] = await api.Users.all({
      customAttributes: { site: 'Bern' },
      withCustomAttributes: true,
    } as never)
    expect(found).toMatchObject({ username, custom_attributes: [{ key: 'site', value: 'Bern' }] })
    await api.UserCustomAttributes.remove(id, 'site')
    expect(await api.UserCustomAttributes.all(id)).toEqual([])
  })

  it('manages addresses, statuses, preferences and follows', async () => {
    const { id } = here.make.user()
    const email = await api.UserEmails.create('more@example.test', { userId: id, skipConfirmation: true })
    expect(await api.UserEmails.all({ userId: id })).toEqual([email])
    await api.UserEmails.remove(email.id, { userId: id })
    expect(await api.Users.editStatus({ message: 'Away', clearStatusAfter: '1_day' })).toMatchObject({
      message: 'Away',
    })
    expect(await api.Users.showStatus({ iDOrUsername: 'root' })).toMatchObject({ message: 'Away' })
    expect(await api.Users.editCurrentUserPreferences(true, false)).toMatchObject({
      view_diffs_file_by_file: true,
      show_whitespace_in_diffs: false,
    })
    expect(await api.Users.follow(id)).toMatchObject({ id })
    expect(await api.Users.allFollowers(id)).toMatchObject([{ id: 1 }])
    await api.Users.unfollow(id)
    expect(await api.Users.allFollowers(id)).toEqual([])
    expect(await api.Users.showCount()).toMatchObject({ todos: 0 })
    expect(await api.Avatar.show('nobody@example.test')).toEqual({ avatar_url: null })
  })

  it('deletes users', async () => {
    const { id } = here.make.user()
    await api.Users.remove(id, { hardDelete: true })
    await here.drain()
    await expect(api.Users.show(id)).rejects.toThrow(/404 User Not Found/)
  })
})
