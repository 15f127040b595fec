import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Checks that the unmodified client works with the instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const project = await here.make.project()
const group = await here.make.group()

describe('@gitbeaker/rest', () => {
  it('manages secure files', async () => {
    const content = new Blob(['the content'])
    const made = await api.SecureFiles.create(project.id, 'a.txt', { content, filename: 'a.txt' })
    expect(made).toMatchObject({ name: 'a.txt', checksum_algorithm: 'sha256' })
    expect(await api.SecureFiles.show(project.id, String(made.id))).toEqual(made)
    expect(await api.SecureFiles.all(project.id)).toEqual([made])
    const download = (await api.SecureFiles.download(project.id, made.id)) as unknown as Blob
    expect(await download.text()).toBe('the content')
    await api.SecureFiles.remove(project.id, made.id)
    expect(await api.SecureFiles.all(project.id)).toEqual([])
  })

  it('sets variables of projects, groups and the instance', async () => {
    const made = await api.ProjectVariables.create(project.id, 'A', 'one', { environmentScope: 'prod' })
    expect(made).toMatchObject({ key: 'A', value: 'one', environment_scope: 'prod' })
    await api.ProjectVariables.create(project.id, 'A', 'two')
    const filter = { environment_scope: 'prod' }
    expect(await api.ProjectVariables.show(project.id, 'A', { filter })).toEqual(made)
    expect(await api.ProjectVariables.edit(project.id, 'A', 'three', { filter })).toMatchObject({
      value: 'three',
      environment_scope: 'prod',
    })
    await api.ProjectVariables.remove(project.id, 'A', { filter })
    expect(await api.ProjectVariables.all(project.id)).toMatchObject([{ key: 'A', value: 'two' }])

    const ofGroup = await api.GroupVariables.create(group.id, 'B', 'one', { masked: false })
    expect(await api.GroupVariables.show(group.id, 'B')).toEqual(ofGroup)
    expect(await api.GroupVariables.edit(group.id, 'B', 'two')).toMatchObject({ value: 'two' })
    await api.GroupVariables.remove(group.id, 'B')
    expect(await api.GroupVariables.all(group.id)).toEqual([])

    const everywhere = await api.InstanceLevelCICDVariables.create('C', 'one', { protected: true })
    expect(await api.InstanceLevelCICDVariables.show('C')).toEqual(everywhere)
    expect(await api.InstanceLevelCICDVariables.edit('C', 'two')).toMatchObject({ value: 'two' })
    // Its `remove` reads, so that this is the end.
    expect(await api.InstanceLevelCICDVariables.all()).toMatchObject([{ key: 'C', value: 'two' }])
  })
})
