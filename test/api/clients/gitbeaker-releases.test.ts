import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const group = await here.make.group()
const project = await here.make.project({ namespace_id: group.id })
fill(here, project, [{ files: { a: '1' } }])

it('Gitbeaker creates, lists, shows, updates and deletes releases', async () => {
  await api.ProjectMilestones.create(project.id, 'm1')
  const made = await api.ProjectReleases.create(project.id, {
    tagName: 'rel/1.0',
    ref: 'main',
    name: 'One',
    description: 'First',
    milestones: ['m1'],
    assets: { links: [{ name: 'a', url: 'https://a.test', linkType: 'package', filepath: '/a' }] },
  } as never)
  expect(made).toMatchObject({ tag_name: 'rel/1.0', name: 'One', milestones: [{ title: 'm1' }] })
  await here.drain()
  const found = await api.ProjectReleases.show(project.id, 'rel/1.0')
  expect(found).toMatchObject({ tag_name: 'rel/1.0', evidences: [{ sha: expect.any(String) }] })
  expect(await api.ProjectReleases.all(project.id, { orderBy: 'created_at', sort: 'asc' })).toEqual([found])
  expect(await api.GroupReleases.all(group.id, { simple: true })).toMatchObject([{ name: 'One' }])
  expect(await api.ProjectReleases.edit(project.id, 'rel/1.0', { name: 'Uno' })).toMatchObject({
    name: 'Uno',
  })
  expect(await api.ProjectReleases.showLatest(project.id)).toMatchObject({ tag_name: 'rel/1.0' })
  await api.ProjectReleases.createEvidence(project.id, 'rel/1.0')
  const link = await api.ReleaseLinks.create(project.id, 'rel/1.0', 'b', 'https://b.test')
  expect(await api.ReleaseLinks.all(project.id, 'rel/1.0')).toMatchObject([{ name: 'b' }, { name: 'a' }])
  expect(await api.ReleaseLinks.edit(project.id, 'rel/1.0', link.id, { name: 'c' })).toMatchObject({
    name: 'c',
  })
  expect(await api.ReleaseLinks.show(project.id, 'rel/1.0', link.id)).toMatchObject({ name: 'c' })
  await api.ReleaseLinks.remove(project.id, 'rel/1.0', link.id)
  await api.ProjectReleases.remove(project.id, 'rel/1.0')
  await expect(api.ProjectReleases.show(project.id, 'rel/1.0')).rejects.toThrow(/404 Not Found/)
})
