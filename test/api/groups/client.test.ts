import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const ada = here.make.user({ username: 'ada' })
const adas = new Gitlab({ host: here.url, token: ada.token })

const ids = (rows: readonly { id: unknown }[]) => rows.map((row) => row.id)

describe('@gitbeaker/rest with groups', () => {
  it('creates, updates, lists and shows groups', async () => {
    const top = await api.Groups.create('Garden', 'garden', { description: 'Green', visibility: 'public' })
    const bed = await api.Groups.create('Bed', 'bed', { parentId: top.id })
    const project = await api.Projects.create({ name: 'Rose', namespaceId: bed.id })
    const edited = await api.Groups.edit(top.id, {
      description: 'Greener',
      defaultBranchProtection: 1,
    } as never)
    expect(edited).toMatchObject({ description: 'Greener', default_branch_protection: 1 })
    expect(await api.Groups.show('garden/bed')).toMatchObject({ id: bed.id, full_name: 'Garden / Bed' })
    expect(ids(await api.Groups.all({ search: 'gard', pagination: 'offset' }))).toEqual([top.id])
    expect(ids(await api.Groups.allSubgroups(top.id))).toEqual([bed.id])
    expect(ids(await api.Groups.allDescendantGroups(top.id, {}))).toEqual([bed.id])
    expect(ids(await api.Groups.allProjects(top.id, { includeSubgroups: true }))).toEqual([project.id])
  })

  it('shares, transfers, marks and restores groups', async () => {
    const shed = await api.Groups.create('Shed', 'shed')
    const tools = await api.Groups.create('Tools', 'tools')
    await api.Groups.share(shed.id, tools.id, 30, { expiresAt: '2099-01-02' })
    expect((await api.Groups.show(shed.id)).shared_with_groups).toHaveLength(1)
    await api.Groups.unshare(shed.id, tools.id, {})
    expect((await api.Groups.show(shed.id)).shared_with_groups).toHaveLength(0)
    expect(ids(await api.Groups.allTransferLocations(tools.id))).toContain(shed.id)
    await api.Groups.transfer(tools.id, { groupId: shed.id })
    expect(await api.Groups.show(tools.id)).toMatchObject({ full_path: 'shed/tools' })
    await api.Groups.transfer(tools.id)
    const project = await api.Projects.create({ name: 'Spade' })
    await api.Groups.transferProject(tools.id, project.id)
    expect((await api.Projects.show(project.id)).path_with_namespace).toBe('tools/spade')
    await api.Projects.share(project.id, shed.id, 20)
    expect(ids(await api.Groups.allSharedProjects(shed.id))).toEqual([project.id])
    await api.Groups.remove(tools.id)
    expect(await api.Groups.show(tools.id)).toHaveProperty('marked_for_deletion_on', expect.any(String))
    await api.Groups.restore(tools.id)
    expect(await api.Groups.show(tools.id)).toHaveProperty('marked_for_deletion_on', null)
    expect(await api.Groups.allProvisionedUsers(tools.id)).toHaveLength(0)
  })

  // This client's method for updating a picture calls a path outside of the contract, so the test sends the picture on
  // creation.
  it('uploads and removes pictures', async () => {
    const content = new Blob([Buffer.from('89504e470d0a1a0a', 'hex')])
    const group = await api.Groups.create('Framed', 'framed', { avatar: { content, filename: 'a.png' } })
    expect(group.avatar_url).toMatch(/\/a\.png$/)
    await api.Groups.removeAvatar(group.id)
    expect((await api.Groups.show(group.id)).avatar_url).toBeNull()
  })

  it('manages members, invitations and access requests', async () => {
    const group = await api.Groups.create('Club', 'club', { visibility: 'public' })
    await api.GroupMembers.add(group.id, 30, { userId: ada.id })
    expect(await api.GroupMembers.show(group.id, ada.id)).toMatchObject({ access_level: 30 })
    await api.GroupMembers.edit(group.id, ada.id, 40, { expiresAt: '2099-01-02' })
    const all = await api.GroupMembers.all(group.id, { includeInherited: true })
    expect(all.map((row) => [row.username, row.access_level])).toEqual([
      ['root', 50],
      ['ada', 40],
    ])
    expect((await api.GroupMembers.allBillable(group.id)).length).toBe(2)
    await api.GroupMembers.setOverrideFlag(group.id, ada.id)
    await api.GroupMembers.removeOverrideFlag(group.id, ada.id)
    await api.GroupMembers.remove(group.id, ada.id)
    await adas.GroupAccessRequests.request(group.id)
    expect((await api.GroupAccessRequests.all(group.id)).length).toBe(1)
    expect(await api.GroupAccessRequests.approve(group.id, ada.id, { accessLevel: 20 })).toMatchObject({
      access_level: 20,
    })
    await api.GroupInvitations.add(group.id, 20, { email: 'new@example.test' })
    await api.GroupInvitations.edit(group.id, 'new@example.test', { accessLevel: 30 })
    expect(await api.GroupInvitations.all(group.id)).toMatchObject([
      { invite_email: 'new@example.test', access_level: 30 },
    ])
    await api.GroupInvitations.remove(group.id, 'new@example.test')
    expect(await api.GroupInvitations.all(group.id)).toHaveLength(0)
  })

  it('finds namespaces', async () => {
    expect((await adas.Namespaces.all({ search: 'ada' }))[0]).toMatchObject({ kind: 'user', path: 'ada' })
    expect(await adas.Namespaces.show('ada')).toMatchObject({ kind: 'user' })
    expect(await adas.Namespaces.exists('garden')).toEqual({ exists: true, suggests: ['garden1'] })
  })
})
