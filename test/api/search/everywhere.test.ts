import { rmSync } from 'node:fs'

import { beforeAll, describe, expect, it } from 'vitest'

import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let team: any
// oxlint-disable-next-line typescript/no-explicit-any
let code: any

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'marguerite' })
  stranger = w.make.user({ username: 'stranger' })
  team = await w.make.group({ owner, name: 'Lighthouse', path: 'lighthouse' })
  code = await w.make.project({ owner, name: 'lamp', namespace_id: team.id })
  await w.as(owner).post(`/projects/${code.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Light the lamp',
    actions: [
      { action: 'create', file_path: 'src/beam.ts', content: 'the BEAM turns\n' },
      { action: 'create', file_path: 'docs/beam.md', content: 'nothing here\n' },
      { action: 'create', file_path: 'README.md', content: 'a beam of light\n' },
    ],
  })
})

// oxlint-disable-next-line typescript/no-explicit-any
const paths = (rows: any[]): string[] => rows.map((row) => row.path)

describe('the code of all projects', () => {
  const find = async (user: TestUser, at = '') => w.as(user).get(`${at}/search?scope=blobs&search=beam`)

  it('is found in the default branches of those that the caller may read', async () => {
    const open = await w.make.project({ owner: stranger, name: 'beams', visibility: 'internal' })
    await w.as(stranger).post(`/projects/${open.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Beam',
      actions: [{ action: 'create', file_path: 'beam.txt', content: 'A beam\n' }],
    })
    const all = await find(owner)
    expect(all.status).toBe(200)
    // The project with the last activity comes first.
    expect(paths(all.body)).toEqual(['beam.txt', 'README.md', 'src/beam.ts', 'docs/beam.md'])
    expect(all.body[0]).toMatchObject({ project_id: open.id, startline: 1, data: 'A beam\n' })
    expect(all.headers.get('x-total')).toBe('4')
    expect(paths((await find(stranger)).body)).toEqual(['beam.txt'])
    const page = await w.as(owner).get('/search?scope=blobs&search=beam&per_page=1&page=2')
    expect(paths(page.body)).toEqual(['README.md'])
  })

  it('leaves out private projects of guests, archived projects, and disabled repositories', async () => {
    const guest = w.make.user()
    await w.as(owner).post(`/projects/${code.id}/members`, { user_id: guest.id, access_level: 10 })
    expect(paths((await find(guest)).body)).toEqual(['beam.txt'])
    const reporter = w.make.user()
    await w.as(owner).post(`/projects/${code.id}/members`, { user_id: reporter.id, access_level: 20 })
    expect((await find(reporter)).body).toHaveLength(4)
    await w.as(owner).put(`/projects/${code.id}`, { repository_access_level: 'disabled' })
    expect(paths((await find(reporter)).body)).toEqual(['beam.txt'])
    await w.as(owner).put(`/projects/${code.id}`, { repository_access_level: 'enabled' })
    await w.as(owner).post(`/projects/${code.id}/archive`)
    expect(paths((await find(owner)).body)).toEqual(['beam.txt'])
    await w.as(owner).post(`/projects/${code.id}/unarchive`)
  })

  it('is found in a group and its subgroups', async () => {
    const below = await w.make.group({ owner, name: 'Lenses', path: 'lenses', parent_id: team.id })
    const lens = await w.make.project({ owner, name: 'lens', namespace_id: below.id })
    await w.as(owner).post(`/projects/${lens.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Lens',
      actions: [{ action: 'create', file_path: 'lens.c', content: 'int beam;\n' }],
    })
    const found = await find(owner, `/groups/${team.id}`)
    expect(paths(found.body)).toEqual(['lens.c', 'README.md', 'src/beam.ts', 'docs/beam.md'])
    expect(paths((await find(owner, `/groups/${below.id}`)).body)).toEqual(['lens.c'])
  })

  it('skips a missing repository', async () => {
    const withoutFiles = await w.make.project({ owner, name: 'gone' })
    await w.as(owner).post(`/projects/${withoutFiles.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Gone',
      actions: [{ action: 'create', file_path: 'gone.txt', content: 'beam\n' }],
    })
    const before = (await find(owner)).body.length
    rmSync(repoOf(w.ctx(), projectById(w.ctx().db, withoutFiles.id)!).gitDir, { recursive: true })
    const after = await find(owner)
    expect(after.status).toBe(200)
    expect(after.body).toHaveLength(before - 1)
  })
})
