import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let guest: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let team: any
// oxlint-disable-next-line typescript/no-explicit-any
let open: any
// oxlint-disable-next-line typescript/no-explicit-any
let hidden: any

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'owner' })
  guest = w.make.user({ username: 'guest' })
  stranger = w.make.user({ username: 'stranger' })
  team = await w.make.group({ owner, name: 'Keepers', path: 'keepers', visibility: 'public' })
  const inTeam = { owner, namespace_id: team.id }
  open = await w.make.project({ ...inTeam, name: 'open', visibility: 'public', with: 'readme' })
  hidden = await w.make.project({ ...inTeam, name: 'hidden', with: 'readme' })
  await w.make.member('projects', hidden.id, guest, 10)
  const as = w.as(owner)
  for (const { id } of [open, hidden]) {
    await as.post(`/projects/${id}/repository/branches?branch=work&ref=main`)
    await as.post(`/projects/${id}/repository/commits`, {
      branch: 'work',
      commit_message: 'Work',
      actions: [{ action: 'create', file_path: 'work.txt', content: 'work' }],
    })
    const branches = { source_branch: 'work', target_branch: 'main' }
    await as.post(`/projects/${id}/merge_requests`, { ...branches, title: 'Mend the lantern' })
    await as.post(`/projects/${id}/issues`, { title: 'Lantern is dark', description: 'since monday' })
    await as.post(`/projects/${id}/issues`, { title: 'Lantern key', confidential: true })
    await as.put(`/projects/${id}/issues/1`, { state_event: 'close' })
    await as.post(`/projects/${id}/milestones`, { title: 'Lantern 1.0' })
    await as.post(`/projects/${id}/issues/1/notes`, { body: 'Bought oil for the lantern' })
    await as.post(`/projects/${id}/issues/1/notes`, { body: 'The oil is in the cellar', internal: true })
    await as.post(`/projects/${id}/issues/2/notes`, { body: 'A spare oil can' })
    await as.post(`/projects/${id}/merge_requests/1/notes`, { body: 'Less oil?' })
  }
  await as.post(`/groups/${team.id}/milestones`, { title: 'Lantern season' })
  await w.drain()
})

/** Returns the results, each as `project:title`. */
async function found(user: TestUser, path: string, query: string): Promise<string[]> {
  const { status, body } = await w.as(user).get(`${path}/search?${query}`)
  expect(status).toBe(200)
  const names = new Map([
    [open.id, 'open'],
    [hidden.id, 'hidden'],
  ])
  return body.map(
    (row: { project_id?: number; title?: string; body?: string }) =>
      `${names.get(row.project_id) ?? 'group'}:${row.title ?? row.body}`,
  )
}

describe('issues', () => {
  it('are found by words on all levels, if visible', async () => {
    const all = ['hidden:Lantern key', 'hidden:Lantern is dark', 'open:Lantern key', 'open:Lantern is dark']
    expect(await found(owner, '', 'scope=issues&search=lantern')).toEqual(all)
    expect(await found(owner, `/groups/${team.id}`, 'scope=issues&search=lantern')).toEqual(all)
    expect(await found(owner, `/projects/${open.id}`, 'scope=issues&search=lantern')).toEqual(all.slice(2))
    expect(await found(guest, '', 'scope=issues&search=lantern')).toEqual([all[1], all[3]])
    expect(await found(stranger, `/groups/${team.id}`, 'scope=issues&search=lantern')).toEqual([all[3]])
    expect(await found(owner, '', 'scope=issues&search=monday+dark')).toEqual([all[1], all[3]])
    expect(await found(owner, '', 'scope=issues&search=nothing')).toEqual([])
  })

  it('are filtered by state and confidentiality, found by number, and ordered', async () => {
    const at = `/projects/${open.id}`
    expect(await found(owner, at, 'scope=issues&search=lantern&state=opened')).toEqual(['open:Lantern key'])
    expect(await found(owner, at, 'scope=issues&search=lantern&state=closed')).toEqual([
      'open:Lantern is dark',
    ])
    expect(await found(owner, at, 'scope=issues&search=lantern&confidential=true')).toEqual([
      'open:Lantern key',
    ])
    expect(await found(owner, at, 'scope=issues&search=%231')).toEqual(['open:Lantern is dark'])
    expect(await found(owner, at, 'scope=issues&search=lantern&order_by=created_at&sort=asc')).toEqual([
      'open:Lantern is dark',
      'open:Lantern key',
    ])
    const page = await w.as(owner).get('/search?scope=issues&search=lantern&per_page=1&page=2')
    expect([page.body.length, page.headers.get('x-total')]).toEqual([1, '4'])
    expect(page.body[0].references.full).toBe('keepers/hidden#1')
    expect((await w.as(owner).get('/search?scope=issues&search=a&state=merry')).status).toBe(400)
  })
})

describe('merge requests', () => {
  it('are found in projects with readable merge requests', async () => {
    expect(await found(owner, '', 'scope=merge_requests&search=lantern')).toEqual([
      'hidden:Mend the lantern',
      'open:Mend the lantern',
    ])
    expect(await found(guest, '', 'scope=merge_requests&search=lantern')).toEqual(['open:Mend the lantern'])
    expect(await found(guest, `/projects/${hidden.id}`, 'scope=merge_requests&search=lantern')).toEqual([])
    expect(await found(owner, '', 'scope=merge_requests&search=lantern&state=merged')).toEqual([])
    expect(await found(owner, `/projects/${open.id}`, 'scope=merge_requests&search=!1')).toEqual([
      'open:Mend the lantern',
    ])
  })
})

describe('milestones', () => {
  it('are found in projects and groups', async () => {
    expect(await found(owner, '', 'scope=milestones&search=lantern')).toEqual([
      'group:Lantern season',
      'hidden:Lantern 1.0',
      'open:Lantern 1.0',
    ])
    expect(await found(stranger, `/groups/${team.id}`, 'scope=milestones&search=lantern')).toEqual([
      'group:Lantern season',
      'open:Lantern 1.0',
    ])
    expect(await found(owner, `/projects/${open.id}`, 'scope=milestones&search=1.0')).toEqual([
      'open:Lantern 1.0',
    ])
    expect(await found(owner, '', 'scope=milestones&search=%25')).toEqual([])
  })
})

describe('comments of a project', () => {
  it('are found on visible records', async () => {
    const search = (user: TestUser, id: number) => found(user, `/projects/${id}`, 'scope=notes&search=oil')
    expect(await search(owner, open.id)).toEqual([
      'open:Less oil?',
      'open:A spare oil can',
      'open:The oil is in the cellar',
      'open:Bought oil for the lantern',
    ])
    expect(await search(stranger, open.id)).toEqual(['open:Less oil?', 'open:Bought oil for the lantern'])
    expect(await search(guest, hidden.id)).toEqual(['hidden:Bought oil for the lantern'])
    const [note] = (await w.as(owner).get(`/projects/${open.id}/search?scope=notes&search=bought`)).body
    expect(note).toMatchObject({ noteable_type: 'Issue', noteable_iid: 1, author: { username: 'owner' } })
    expect((await w.as(owner).get('/search?scope=notes&search=oil')).status).toBe(400)
  })
})
