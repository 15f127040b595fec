import { beforeAll, expect, test } from 'vitest'

import { recoverMerges } from '../../../server/domains/merge_requests/merging/complete.ts'
import { recoverJournal } from '../../../server/domains/repository/service-refs.ts'
import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { shell } from '../../support/git.ts'
import { openMergeRequest } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'

// Tests interrupted merges. The test writes the state that a killed instance leaves.

const w = await world()
const root = w.as(w.root)
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let path: string

beforeAll(async () => {
  project = await w.make.project({ with: 'readme' })
  path = `/projects/${project.id}/merge_requests`
})

const repository = () => {
  const ctx = w.ctx()
  return repoOf(ctx, projectById(ctx.db, project.id)!)
}
const tip = () => shell(repository(), ['rev-parse', 'refs/heads/main'])
const show = async (iid: number) => (await root.get(`${path}/${iid}`)).body

/** Locks the merge request as a merge does before the target moves. Returns the planned merge commit. */
// oxlint-disable-next-line typescript/no-explicit-any
function lock(request: any, merge: boolean): { from: string; to: string } {
  const from = tip()
  const tree = shell(repository(), ['merge-tree', '--write-tree', from, request.sha])
  const to = shell(repository(), ['commit-tree', tree, '-p', from, '-p', request.sha, '-m', 'Merge'])
  const intent = { user_id: 1, to, merge_commit_sha: merge ? to : null, squash_commit_sha: null }
  const { db, now } = w.ctx()
  db.exec(
    "UPDATE merge_requests SET state = 'locked', merge_params = ? WHERE id = ?",
    JSON.stringify({ merging: intent }),
    request.id,
  )
  db.exec(
    `INSERT INTO ref_journal (project_id, actor_id, source, updates, created_at) VALUES (?, 1, 'merge', ?, ?)`,
    project.id,
    JSON.stringify([{ ref: 'refs/heads/main', old: from, new: to }]),
    now,
  )
  return { from, to }
}

async function restart(): Promise<void> {
  await recoverJournal(w.ctx())
  await recoverMerges(w.ctx())
  await w.drain()
}

test('an interrupted merge is completed as the merging user when the target branch was moved', async () => {
  const request = await openMergeRequest(w, project)
  const { to } = lock(request, true)
  shell(repository(), ['update-ref', 'refs/heads/main', to])
  expect((await show(request.iid)).state).toBe('locked')
  await restart()
  expect(await show(request.iid)).toMatchObject({
    state: 'merged',
    merge_commit_sha: to,
    merged_by: { username: 'root' },
  })
  expect((await root.put(`${path}/${request.iid}/merge`)).status).toBe(405)
  expect(tip()).toBe(to)
})

test('the merge request is reopened and can be merged when the target branch was not moved', async () => {
  const request = await openMergeRequest(w, project)
  const { from } = lock(request, true)
  await restart()
  expect(tip()).toBe(from)
  expect((await show(request.iid)).state).toBe('opened')
  const merged = await root.put(`${path}/${request.iid}/merge`)
  expect(merged.body.state).toBe('merged')
  expect(tip()).toBe(merged.body.merge_commit_sha)
})

test('the merge request is reopened when no intent was stored', async () => {
  const request = await openMergeRequest(w, project)
  w.ctx().db.exec("UPDATE merge_requests SET state = 'locked' WHERE id = ?", request.id)
  await recoverMerges(w.ctx())
  expect((await show(request.iid)).state).toBe('opened')
})
