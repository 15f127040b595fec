import { expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

const w = await world()
const NOW = '2026-11-22T08:00:00.000Z'
const root = w.as(w.root)

const label = async (path: string, name: string): Promise<number> =>
  (await root.post(`${path}/labels`, { name, color: '#123456' })).body.id as number
const milestone = async (path: string, title: string): Promise<number> =>
  (await root.post(`${path}/milestones`, { title })).body.id as number

/** Inserts a row for an issue. These tests do not need the domain of issues. */
function issue(projectId: number, milestoneId: number, labelIds: number[]): number {
  const { db } = w.ctx()
  const { iid } = db.one<{ iid: number }>('SELECT count(*) + 1 AS iid FROM issues')!
  const { id } = db.exec(
    `INSERT INTO issues (iid, project_id, author_id, title, milestone_id, created_at, updated_at)
     VALUES (?, ?, 1, 'x', ?, ?, ?)`,
    iid,
    projectId,
    milestoneId,
    NOW,
    NOW,
  )
  for (const labelId of labelIds) db.exec('INSERT INTO issue_labels VALUES (?, ?)', id, labelId)
  return id
}

function usesOf(issueId: number): { labels: unknown; milestone: unknown } {
  const { db } = w.ctx()
  return {
    labels: db.many(
      `SELECT l.title, l.project_id, l.group_id FROM issue_labels x JOIN labels l ON l.id = x.label_id
       WHERE x.issue_id = ? ORDER BY l.title`,
      issueId,
    ),
    milestone: db.one(
      'SELECT m.title, m.project_id, m.group_id FROM issues i JOIN milestones m ON m.id = i.milestone_id WHERE i.id = ?',
      issueId,
    ),
  }
}

it('labels and milestones remain when a project moves to another namespace', async () => {
  const [from, to] = [await w.make.group(), await w.make.group()]
  const [project, other] = [
    await w.make.project({ namespace_id: from.id }),
    await w.make.project({ namespace_id: from.id }),
  ]
  const ids = [
    await label(`/groups/${from.id}`, 'both'),
    await label(`/groups/${from.id}`, 'left'),
    await label(`/projects/${project.id}`, 'own'),
  ]
  await label(`/groups/${to.id}`, 'both')
  await root.put(`/projects/${project.id}/labels/left`, { priority: 3 })
  const planned = await milestone(`/groups/${from.id}`, 'v1')
  const [moved, stays] = [issue(project.id, planned, ids), issue(other.id, planned, [ids[1]!])]
  expect((await root.put(`/projects/${project.id}/transfer`, { namespace: to.id })).status).toBe(200)
  await w.drain()
  expect(usesOf(moved)).toEqual({
    labels: [
      { title: 'both', project_id: null, group_id: to.id },
      { title: 'left', project_id: project.id, group_id: null },
      { title: 'own', project_id: project.id, group_id: null },
    ],
    milestone: { title: 'v1', project_id: project.id, group_id: null },
  })
  expect((await root.get(`/projects/${project.id}/labels/left`)).body).toMatchObject({ priority: 3 })
  expect(usesOf(stays)).toEqual({
    labels: [{ title: 'left', project_id: null, group_id: from.id }],
    milestone: { title: 'v1', project_id: null, group_id: from.id },
  })
})

it('labels and milestones remain when a group moves with its projects', async () => {
  const top = await w.make.group()
  const sub = await w.make.group({ parent_id: top.id })
  const project = await w.make.project({ namespace_id: sub.id })
  const planned = await milestone(`/groups/${top.id}`, 'v2')
  const id = issue(project.id, planned, [
    await label(`/groups/${top.id}`, 'above'),
    await label(`/groups/${sub.id}`, 'along'),
  ])
  expect((await root.post(`/groups/${sub.id}/transfer`)).status).toBeLessThan(300)
  await w.drain()
  expect(usesOf(id)).toEqual({
    labels: [
      { title: 'above', project_id: project.id, group_id: null },
      { title: 'along', project_id: null, group_id: sub.id },
    ],
    milestone: { title: 'v2', project_id: project.id, group_id: null },
  })
})
