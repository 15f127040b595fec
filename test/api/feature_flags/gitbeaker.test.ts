import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const project = await here.make.project()

it('@gitbeaker/rest manages feature flags and user lists', async () => {
  const list = await api.FeatureFlagUserLists.create(project.id, 'Testers', 'anna,ben')
  expect(await api.FeatureFlagUserLists.show(project.id, Number(list.iid))).toEqual(list)
  await api.FeatureFlagUserLists.edit(project.id, Number(list.iid), { userXids: 'carla' } as never)
  expect(await api.FeatureFlagUserLists.all(project.id)).toMatchObject([{ user_xids: 'carla' }])

  const strategies = [
    { name: 'gitlabUserList', parameters: {}, user_list_id: list.id, scopes: [{ environment_scope: '*' }] },
  ]
  const made = await api.FeatureFlags.create(project.id, 'new-checkout', 'new_version_flag', {
    description: 'Short',
    strategies,
  } as never)
  expect(made).toMatchObject({ name: 'new-checkout', strategies: [{ user_list: { name: 'Testers' } }] })
  expect(await api.FeatureFlags.show(project.id, 'new-checkout')).toEqual(made)
  expect(await api.FeatureFlags.edit(project.id, 'new-checkout', { active: false })).toMatchObject({
    active: false,
    strategies: made.strategies,
  })
  expect(await api.FeatureFlags.all(project.id, { scope: 'disabled' })).toHaveLength(1)
  await expect(api.FeatureFlagUserLists.remove(project.id, Number(list.iid))).rejects.toThrow(/associated/)
  await api.FeatureFlags.remove(project.id, 'new-checkout')
  await api.FeatureFlagUserLists.remove(project.id, Number(list.iid))
  expect(await api.FeatureFlags.all(project.id)).toEqual([])
})
