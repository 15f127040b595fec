import { beforeAll, describe, expect, it } from 'vitest'

import { recordPush } from '../../../../server/domains/activity/service-pushes.ts'
import { world } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'

const instance = await world()
const { as, make, root, drain } = instance
const settings = async (params: object) =>
  expect(await as(root).put('/application/settings', params)).toMatchObject({ status: 200 })

describe('defaults of new projects and groups', () => {
  it('default_branch_protection: restricts pushes to the first branch', async () => {
    const protectedAs = async (level: number) => {
      await settings({ default_branch_protection: level })
      const user = make.user()
      const made = await as(user).post('/projects', { name: `Level ${level}`, initialize_with_readme: true })
      const { body } = await as(user).get(`/projects/${made.body.id}/protected_branches`)
      // oxlint-disable-next-line typescript/no-explicit-any
      return body.map((protectedBranch: any) => [
        protectedBranch.name,
        protectedBranch.push_access_levels[0].access_level,
        protectedBranch.merge_access_levels[0].access_level,
      ])
    }
    expect(await protectedAs(0)).toEqual([])
    expect(await protectedAs(1)).toEqual([['main', 30, 30]])
    expect(await protectedAs(2)).toEqual([['main', 40, 40]])
    expect(await protectedAs(3)).toEqual([['main', 40, 30]])
    await settings({ default_branch_protection: 2 })
  })

  it('default_project_creation: restricts project creation in new groups', async () => {
    const group = async (level: number) => {
      await settings({ default_project_creation: level })
      return (await as(root).post('/groups', { name: `G${level}`, path: `creation-${level}` })).body
    }
    const developer = make.user()
    const statuses: number[] = []
    for (const level of [0, 1, 2]) {
      const made = await group(level)
      await as(root).post(`/groups/${made.id}/members`, { user_id: developer.id, access_level: 30 })
      statuses.push((await as(developer).post('/projects', { name: 'P', namespace_id: made.id })).status)
      expect(made.project_creation_level).toBe(['noone', 'maintainer', 'developer'][level])
    }
    expect(statuses[2]).toBe(201)
    expect(statuses.slice(0, 2)).not.toContain(201)
  })
})

describe('limits of diffs', () => {
  // oxlint-disable-next-line typescript/no-explicit-any
  let project: any
  beforeAll(async () => {
    project = await make.project()
    const long = Array.from({ length: 60_000 }, (_, index) => `${index}`).join('\n')
    fill(instance, project, [
      { message: 'First\n', files: { 'a.txt': 'a\n' } },
      { branch: 'wide', from: ':1', message: 'Wide\n', files: { 'b.txt': `${'x'.repeat(300_000)}\n` } },
      {
        branch: 'long',
        from: ':1',
        message: 'Long\n',
        files: { 'c.txt': long.slice(0, 155_000), 'd.txt': long.slice(0, 155_000) },
      },
    ])
  })
  const compare = async (branch: string) =>
    (await as(root).get(`/projects/${project.id}/repository/compare?from=main&to=${branch}`)).body

  it('diff_max_patch_bytes: collapses larger diffs of a file', async () => {
    expect((await compare('wide')).diffs[0].diff).toBe('')
    await settings({ diff_max_patch_bytes: 512_000 })
    expect((await compare('wide')).diffs[0].diff.length).toBeGreaterThan(300_000)
    await settings({ diff_max_patch_bytes: 204_800 })
  })

  it('diff_max_lines: omits further lines', async () => {
    const shown = async () => {
      const { compare_timeout, diffs } = await compare('long')
      return [compare_timeout, diffs.map((diff: { diff: string }) => diff.diff !== '')]
    }
    expect(await shown()).toEqual([true, [true, false]])
    await settings({ diff_max_lines: 100_000 })
    expect(await shown()).toEqual([false, [true, true]])
  })
})

describe('push events in the activity feed', () => {
  it('push_event_activities_limit: combines more branches into one event', async () => {
    const project = await make.project({ with: 'readme' })
    const pushed = async (names: string[]) => {
      const before = (await as(root).get(`/projects/${project.id}/events?action=pushed&per_page=100`)).body
        .length
      const sha = (await as(root).get(`/projects/${project.id}/repository/branches/main`)).body.commit.id
      const updates = names.map((name) => ({ ref: `refs/heads/${name}`, old: null, new: sha }))
      await recordPush(instance.ctx(), { project_id: project.id, actor_id: root.id, updates })
      const { body } = await as(root).get(`/projects/${project.id}/events?action=pushed&per_page=100`)
      return body
        .slice(0, body.length - before)
        .map((event: { push_data: { ref_count: number | null } }) => event.push_data.ref_count)
    }
    await drain()
    expect(await pushed(['a', 'b', 'c'])).toEqual([null, null, null])
    await settings({ push_event_activities_limit: 1 })
    expect(await pushed(['d', 'e'])).toEqual([2])
  })
})
