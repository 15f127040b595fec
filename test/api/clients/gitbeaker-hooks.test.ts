import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { receiver } from '../webhooks/receiver.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
await here
  .as(here.root)
  .put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
const there = await receiver()
const group = await here.make.group()
const project = await here.make.project({ namespace_id: group.id, with: 'readme' })

it('Gitbeaker keeps webhooks of projects, groups and the instance', async () => {
  const made = await api.ProjectHooks.add(project.id, there.url, {
    pushEvents: true,
    token: 'secret',
  } as never)
  expect(made).toMatchObject({ url: there.url, push_events: true, alert_status: 'executable' })
  expect(await api.ProjectHooks.all(project.id)).toEqual([made])
  expect(await api.ProjectHooks.show(project.id, made.id)).toEqual(made)
  const changed = await api.ProjectHooks.edit(project.id, made.id, there.url, { issuesEvents: true } as never)
  expect(changed).toMatchObject({ issues_events: true })
  await here.as(here.root).post(`/projects/${project.id}/hooks/${made.id}/test/push_events`)
  expect(there.requests[0]?.headers).toMatchObject({
    'x-gitlab-event': 'Push Hook',
    'x-gitlab-token': 'secret',
  })
  await api.ProjectHooks.remove(project.id, made.id)
  await expect(api.ProjectHooks.show(project.id, made.id)).rejects.toThrow(/404 Not Found/)

  const ofGroup = await api.GroupHooks.add(group.id, there.url, { subgroupEvents: true } as never)
  expect(ofGroup).toMatchObject({ group_id: group.id, subgroup_events: true })
  expect(
    await api.GroupHooks.edit(group.id, ofGroup.id, there.url, { memberEvents: true } as never),
  ).toMatchObject({
    member_events: true,
  })
  await api.GroupHooks.remove(group.id, ofGroup.id)

  const system = await api.SystemHooks.add(there.url, { tagPushEvents: true } as never)
  expect(await api.SystemHooks.all()).toMatchObject([{ id: system.id, tag_push_events: true }])
  expect(await api.SystemHooks.test(system.id)).toMatchObject({ event_name: 'project_create' })
  await api.SystemHooks.remove(system.id)
  expect(await api.SystemHooks.all()).toEqual([])
})
