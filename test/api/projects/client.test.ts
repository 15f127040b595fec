import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })

describe('@gitbeaker/rest with projects', () => {
  it('forks, lists forks, removes and restores the fork relation', async () => {
    const source = await api.Projects.create({ name: 'Spring', initializeWithReadme: true })
    const fork = await api.Projects.fork(source.id, { path: 'stream', name: 'Stream' })
    await here.drain()
    expect(await api.Projects.show(fork.id)).toMatchObject({
      import_status: 'finished',
      forked_from_project: { id: source.id },
    })
    expect((await api.Projects.allForks(source.id)).map((fork) => fork.id)).toEqual([fork.id])
    await api.Projects.removeForkRelationship(fork.id)
    expect((await api.Projects.allForks(source.id)).length).toBe(0)
    await api.Projects.createForkRelationship(fork.id, source.id)
    expect((await api.Projects.show(source.id)).forks_count).toBe(1)
  })

  it('shares, transfers, runs housekeeping, and shows languages and storage', async () => {
    const group = await api.Groups.create('Delta', 'delta')
    const target = await api.Groups.create('Sea', 'sea')
    const project = await api.Projects.create({ name: 'River', initializeWithReadme: true })
    await api.Projects.share(project.id, group.id, 30)
    expect((await api.Projects.show(project.id)).shared_with_groups).toMatchObject([{ group_id: group.id }])
    expect((await api.Projects.allInvitedGroups(project.id)).map((invitedGroup) => invitedGroup.id)).toEqual([
      group.id,
    ])
    await api.Projects.unshare(project.id, group.id)
    expect((await api.Projects.allTransferLocations(project.id)).length).toBe(2)
    await api.Projects.transfer(project.id, target.id)
    expect((await api.Projects.show('sea/river')).id).toBe(project.id)
    await api.RepositoryFiles.create(project.id, 'main.rs', 'main', 'fn main() {}', 'Add code')
    expect(await api.Projects.showLanguages(project.id)).toEqual({ Rust: 100 })
    await api.Projects.housekeeping(project.id)
    expect(await api.Projects.allStoragePaths(project.id)).toMatchObject({ project_id: project.id })
    expect((await api.Projects.downloadSnapshot(project.id)).size).toBeGreaterThan(1024)
    await here.drain()
  })

  it('uploads and removes avatars', async () => {
    const content = new Blob([Buffer.from('89504e470d0a1a0a', 'hex')])
    const project = await api.Projects.create({ name: 'Portrait', avatar: { content, filename: 'a.png' } })
    expect(project.avatar_url).toMatch(/\/a\.png$/)
    await api.Projects.uploadAvatar(project.id, { content, filename: 'b.png' })
    expect((await api.Projects.show(project.id)).avatar_url).toMatch(/\/b\.png$/)
    await api.Projects.removeAvatar(project.id)
    expect((await api.Projects.show(project.id)).avatar_url).toBeNull()
  })

  it('manages topics', async () => {
    const water = await api.Topics.create('water', { title: 'Water' } as never)
    const ice = await api.Topics.create('ice', { title: 'Ice' } as never)
    expect(await api.Topics.edit(water.id, { title: 'H2O' } as never)).toMatchObject({ title: 'H2O' })
    expect((await api.Topics.all({ search: 'wat' })).map((topic) => topic.id)).toEqual([water.id])
    expect(await api.Topics.merge(ice.id, water.id)).toMatchObject({ id: water.id })
    await api.Topics.remove(water.id)
    await expect(api.Topics.show(water.id)).rejects.toThrow(/Not found/i)
  })
})
