import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let auditor: TestUser
let plain: TestUser
let project: { id: number; path_with_namespace: string }
let group: { id: number; full_path: string }
beforeAll(async () => {
  w = await world()
  auditor = w.make.user()
  plain = w.make.user()
  await w.as(w.root).put(`/users/${auditor.id}`, { auditor: true })
  group = await w.make.group({ visibility: 'private' })
  project = await w.make.project({ visibility: 'private', namespace_id: group.id, with: 'readme' })
})

describe('an auditor', () => {
  it('reads every project and group, with its code', async () => {
    for (const path of [
      `/projects/${project.id}`,
      `/groups/${group.id}`,
      `/projects/${project.id}/repository/tree`,
      `/projects/${project.id}/members`,
    ])
      expect([path, (await w.as(auditor).get(path)).status, (await w.as(plain).get(path)).status]).toEqual([
        path,
        200,
        404,
      ])
    const ids = async (path: string) =>
      (await w.as(auditor).get(path)).body.map((item: { id: number }) => item.id)
    expect(await ids('/projects')).toContain(project.id)
    expect(await ids('/groups')).toContain(group.id)
  })

  it('changes nothing', async () => {
    const own = w.as(auditor)
    expect((await own.put(`/projects/${project.id}`, { description: 'x' })).status).toBe(403)
    expect((await own.delete(`/groups/${group.id}`)).status).toBe(403)
    expect((await own.post(`/projects/${project.id}/repository/branches?branch=x&ref=main`)).status).toBe(403)
    expect((await own.get('/application/settings')).status).toBe(403)
    expect((await own.get(`/users/${plain.id}`)).body).not.toHaveProperty('email')
  })
})
