import { beforeAll, describe, expect, it } from 'vitest'

import { labelsNamed } from '../../../../server/domains/planning/index.ts'
import { projectById } from '../../../../server/domains/projects/index.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'

let w: World
let reporter: TestUser
let guest: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let group: any
// oxlint-disable-next-line typescript/no-explicit-any
let firstProject: any
// oxlint-disable-next-line typescript/no-explicit-any
let secondProject: any

const NOW = '2026-11-22T08:00:00.000Z'

/** Inserts a row for an issue. These tests do not need the domain of issues. */
function issue(projectId: number, labelIds: number[], more: { state?: string; confidential?: boolean } = {}) {
  const { db } = w.ctx()
  const { state = 'opened', confidential = 0 } = more
  const { iid } = db.one<{ iid: number }>('SELECT count(*) + 1 AS iid FROM issues')!
  const { id } = db.exec(
    `INSERT INTO issues (iid, project_id, author_id, title, state, confidential, created_at, updated_at)
     VALUES (?, ?, 1, 'x', ?, ?, ?, ?)`,
    iid,
    projectId,
    state,
    confidential,
    NOW,
    NOW,
  )
  for (const labelId of labelIds) db.exec('INSERT INTO issue_labels VALUES (?, ?)', id, labelId)
  return id
}

function mergeRequest(projectId: number, labelIds: number[], state = 'opened') {
  const { db } = w.ctx()
  const { iid } = db.one<{ iid: number }>('SELECT count(*) + 1 AS iid FROM merge_requests')!
  const { id } = db.exec(
    `INSERT INTO merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, state, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'main', 1, 'x', ?, ?, ?)`,
    iid,
    projectId,
    projectId,
    `b${iid}`,
    state,
    NOW,
    NOW,
  )
  for (const labelId of labelIds) db.exec('INSERT INTO merge_request_labels VALUES (?, ?)', id, labelId)
  return id
}

const label = async (path: string, name: string): Promise<number> =>
  (await w.as(w.root).post(`${path}/labels`, { name, color: '#123456' })).body.id as number

beforeAll(async () => {
  w = await world()
  reporter = w.make.user({ username: 'reporter' })
  guest = w.make.user({ username: 'guest' })
  group = await w.make.group()
  firstProject = await w.make.project({ namespace_id: group.id })
  secondProject = await w.make.project({ namespace_id: group.id })
  for (const { id } of [firstProject, secondProject]) await w.make.member('projects', id, reporter, 20)
  await w.make.member('projects', firstProject.id, guest, 10)
})

describe('counts', () => {
  it('include only what the reader may see', async () => {
    const shared = await label(`/groups/${group.id}`, 'shared')
    const own = await label(`/projects/${firstProject.id}`, 'own')
    issue(firstProject.id, [shared, own])
    issue(firstProject.id, [shared], { state: 'closed' })
    issue(firstProject.id, [shared, own], { confidential: true })
    issue(secondProject.id, [shared])
    mergeRequest(firstProject.id, [shared, own])
    mergeRequest(firstProject.id, [own], 'merged')
    const get = async (user: TestUser, path: string) => {
      // oxlint-disable-next-line typescript/no-explicit-any
      const rows: any[] = (await w.as(user).get(`${path}/labels?with_counts=true`)).body
      return Object.fromEntries(
        rows.map((row) => [
          row.name,
          [row.open_issues_count, row.closed_issues_count, row.open_merge_requests_count],
        ]),
      )
    }
    expect(await get(reporter, `/projects/${firstProject.id}`)).toEqual({ shared: [2, 1, 1], own: [2, 0, 1] })
    // A guest sees neither confidential issues nor the merge requests of a private project.
    expect(await get(guest, `/projects/${firstProject.id}`)).toEqual({ shared: [1, 1, 0], own: [1, 0, 0] })
    expect(await get(w.root, `/groups/${group.id}`)).toEqual({ shared: [3, 1, 1] })
    expect(await get(guest, `/groups/${group.id}`)).toEqual({ shared: [1, 1, 0] })
    const plain = (await w.as(reporter).get(`/projects/${firstProject.id}/labels/own`)).body
    expect(plain).not.toHaveProperty('open_issues_count')
  })
})

describe('promoting', () => {
  it('merges the labels of projects into one group label', async () => {
    const first = await label(`/projects/${firstProject.id}`, 'same')
    const second = await label(`/projects/${secondProject.id}`, 'same')
    const inFirst = issue(firstProject.id, [first])
    const inSecond = mergeRequest(secondProject.id, [second])
    await w.as(reporter).put(`/projects/${secondProject.id}/labels/same`, { priority: 7 })
    await w.as(reporter).post(`/projects/${secondProject.id}/labels/same/subscribe`)
    const refused = await w.as(reporter).put(`/projects/${firstProject.id}/labels/same/promote`)
    expect(refused.status).toBe(403)
    await w.make.member('groups', group.id, reporter, 20)
    const { status, body } = await w.as(reporter).put(`/projects/${firstProject.id}/labels/same/promote`)
    expect([status, body.name]).toEqual([200, 'same'])
    expect(body).not.toHaveProperty('priority')
    const { db } = w.ctx()
    expect(db.many('SELECT label_id FROM issue_labels WHERE issue_id = ?', inFirst)).toEqual([
      { label_id: body.id },
    ])
    expect(db.many('SELECT label_id FROM merge_request_labels WHERE merge_request_id = ?', inSecond)).toEqual(
      [{ label_id: body.id }],
    )
    const seen = await w.as(reporter).get(`/projects/${secondProject.id}/labels/same`)
    expect(seen.body).toMatchObject({ id: body.id, is_project_label: false, priority: 7, subscribed: true })
    expect((await w.as(reporter).get(`/projects/${secondProject.id}/labels/${second}`)).status).toBe(404)
    const again = await w.as(reporter).put(`/projects/${firstProject.id}/labels/same/promote`)
    expect([again.status, again.body]).toEqual([
      400,
      { message: 'Failed to promote project label to group label' },
    ])
  })

  it('leaves one label on an issue that had both', async () => {
    const inProject = await label(`/projects/${firstProject.id}`, 'both')
    const inGroup = await label(`/groups/${group.id}`, 'both')
    const id = issue(firstProject.id, [inProject, inGroup])
    const { body } = await w.as(reporter).put(`/projects/${firstProject.id}/labels/${inProject}/promote`)
    expect(body.id).toBe(inGroup)
    expect(w.ctx().db.many('SELECT label_id FROM issue_labels WHERE issue_id = ?', id)).toEqual([
      { label_id: inGroup },
    ])
  })

  it('returns 400 for a project without a group', async () => {
    const own = await w.make.project()
    await label(`/projects/${own.id}`, 'alone')
    const { status, body } = await w.as(w.root).put(`/projects/${own.id}/labels/alone/promote`)
    expect([status, body]).toEqual([400, { message: 'Failed to promote project label to group label' }])
    expect((await w.as(w.root).put(`/projects/${own.id}/labels/nowhere/promote`)).body).toEqual({
      message: '404 Label Not Found',
    })
  })
})

describe('labels by title', () => {
  it('are found in the project and its parent groups, and created on request', async () => {
    const ctx = w.ctx()
    const project = projectById(ctx.db, firstProject.id)!
    const titles = (create: boolean) =>
      labelsNamed(ctx, project, [' own ', 'shared', 'fresh', 'fresh', '', 'a,b'], { create }).map(
        (row) => row.title,
      )
    expect(titles(false)).toEqual(['own', 'shared'])
    expect(titles(true)).toEqual(['own', 'shared', 'fresh'])
    expect((await w.as(guest).get(`/projects/${firstProject.id}/labels/fresh`)).body.color).toBe('#6699cc')
    const asGuest = { ...ctx, actor: { ...ctx.actor, kind: 'anonymous', id: null, is_admin: false } } as never
    expect(labelsNamed(asGuest, project, ['fresher'], { create: true })).toEqual([])
  })
})
