import { beforeAll, describe, expect, it } from 'vitest'

import { hashPassword } from '../../../../server/lib/security/crypto.ts'
import { openMergeRequest, pushTo } from '../../../support/merge-requests.ts'
import { world, type TestUser } from '../../../support/world.ts'

const w = await world()
let project: { id: number }
let author: TestUser
let developer: TestUser
let colleague: TestUser
let reporter: TestUser

beforeAll(async () => {
  project = await w.make.project({ with: 'readme' })
  author = w.make.user({ username: 'anna' })
  developer = w.make.user({ username: 'dora' })
  colleague = w.make.user({ username: 'carl' })
  reporter = w.make.user({ username: 'rita' })
  for (const user of [author, developer, colleague]) await w.make.member('projects', project.id, user, 30)
  await w.make.member('projects', project.id, reporter, 20)
})

const settings = (params: object) => w.as(w.root).post(`/projects/${project.id}/approvals`, params)
const at = (iid: number) => `/projects/${project.id}/merge_requests/${iid}`
const names = (rows: { user: { username: string } }[]) => rows.map((row) => row.user.username)
/** Returns the system notes of a merge request. */
const notes = (request: { id: number }) =>
  w
    .ctx()
    .db.many<{ note: string }>(
      "SELECT note FROM notes WHERE noteable_type = 'MergeRequest' AND noteable_id = ? AND system = 1 ORDER BY id",
      request.id,
    )
    .map((row) => row.note)

describe('approving', () => {
  it('returns the approval state, with and without rules', async () => {
    const request = await openMergeRequest(w, project, { author })
    const before = await w.as(developer).get(`${at(request.iid)}/approvals`)
    expect(before.status).toBe(200)
    expect(before.body).toEqual({
      id: request.id,
      iid: request.iid,
      project_id: project.id,
      title: request.title,
      description: null,
      state: 'opened',
      created_at: request.created_at,
      updated_at: request.updated_at,
      merge_status: before.body.merge_status,
      approved: true,
      approvals_required: 0,
      approvals_left: 0,
      require_password_to_approve: false,
      approved_by: [],
      suggested_approvers: [],
      approvers: [],
      approver_groups: [],
      user_has_approved: false,
      user_can_approve: true,
      approval_rules_left: [],
      has_approval_rules: false,
      merge_request_approvers_available: true,
      multiple_approval_rules_available: true,
      invalid_approvers_rules: [],
    })
    const approved = await w.as(developer).post(`${at(request.iid)}/approve`, { sha: request.sha })
    expect(approved.status).toBe(201)
    expect(approved.body).toMatchObject({ user_has_approved: true, user_can_approve: false, approved: true })
    expect(names(approved.body.approved_by)).toEqual(['dora'])
    expect(notes(request)).toContain('approved this merge request')
    const seen = await w.as(colleague).get(`${at(request.iid)}/approvals`)
    expect(seen.body).toMatchObject({ user_has_approved: false, user_can_approve: true })
  })

  it('can be revoked once', async () => {
    const request = await openMergeRequest(w, project, { author, reviewer_ids: [developer.id] })
    const states = async () => (await w.as(author).get(`${at(request.iid)}/reviewers`)).body[0].state
    expect(await states()).toBe('unreviewed')
    await w.as(developer).post(`${at(request.iid)}/approve`)
    expect(await states()).toBe('reviewed')
    const taken = await w.as(developer).post(`${at(request.iid)}/unapprove`)
    expect([taken.status, taken.body.approved_by, taken.body.user_can_approve]).toEqual([201, [], true])
    expect(await states()).toBe('unreviewed')
    expect(notes(request).slice(-2)).toEqual(['approved this merge request', 'unapproved this merge request'])
    const again = await w.as(developer).post(`${at(request.iid)}/unapprove`)
    expect([again.status, again.body]).toEqual([404, { message: '404 Not Found' }])
    expect((await w.as(null).post(`${at(request.iid)}/unapprove`)).status).toBe(401)
  })

  it('is allowed once for developers and approvers, not for authors', async () => {
    const request = await openMergeRequest(w, project, { author })
    const path = `${at(request.iid)}/approve`
    const unauthorized = [401, { message: '401 Unauthorized' }]
    for (const user of [author, reporter]) {
      const answer = await w.as(user).post(path)
      expect([answer.status, answer.body]).toEqual(unauthorized)
    }
    const stranger = await w.as(w.make.user()).post(path)
    expect([stranger.status, stranger.body]).toEqual([404, { message: '404 Project Not Found' }])
    expect((await w.as(null).post(path)).status).toBe(401)
    expect((await w.as(developer).post(`${at(9999)}/approve`)).body).toEqual({ message: '404 Not found' })
    expect((await w.as(developer).post(path)).status).toBe(201)
    const twice = await w.as(developer).post(path)
    expect([twice.status, twice.body]).toEqual(unauthorized)
    const rule = { name: 'readers', approvals_required: 1, user_ids: [reporter.id, author.id] }
    const made = await w.as(author).post(`${at(request.iid)}/approval_rules`, rule)
    expect(made.status).toBe(201)
    expect(made.body.eligible_approvers).toMatchObject([{ username: 'rita' }])
    expect((await w.as(reporter).post(path)).status).toBe(201)
    expect((await w.as(author).post(path)).status).toBe(401)
    await settings({ merge_requests_author_approval: true })
    expect((await w.as(author).post(path)).status).toBe(201)
    await settings({ merge_requests_author_approval: false })
    await w.as(author).put(at(request.iid), { state_event: 'close' })
    expect((await w.as(colleague).post(path)).status).toBe(401)
  })

  it('returns 409 when the head is not the given one', async () => {
    const request = await openMergeRequest(w, project, { author })
    const wrong = await w.as(developer).post(`${at(request.iid)}/approve`, { sha: 'f'.repeat(40) })
    expect([wrong.status, wrong.body]).toEqual([
      409,
      { message: `SHA does not match HEAD of source branch: ${request.sha}` },
    ])
  })

  it('is refused for committers, if the project says so', async () => {
    const request = await openMergeRequest(w, project, { author })
    await pushTo(w, project, request.source_branch, { 'more.txt': 'more\n' }, { author: colleague })
    await w.drain()
    await settings({ merge_requests_disable_committers_approval: true })
    expect((await w.as(colleague).get(`${at(request.iid)}/approvals`)).body.user_can_approve).toBe(false)
    expect((await w.as(colleague).post(`${at(request.iid)}/approve`)).status).toBe(401)
    expect((await w.as(developer).get(`${at(request.iid)}/approvals`)).body.user_can_approve).toBe(true)
    await settings({ merge_requests_disable_committers_approval: false })
    expect((await w.as(colleague).post(`${at(request.iid)}/approve`)).status).toBe(201)
  })

  it('is refused for committers before the jobs of the merge request and of a push have run', async () => {
    await settings({ merge_requests_disable_committers_approval: true })
    const approval = async (iid: number, user: TestUser) =>
      (await w.as(user).post(`${at(iid)}/approve`)).status
    const branches = `/projects/${project.id}/repository/branches`
    await w.as(author).post(branches, { branch: 'at-once', ref: 'main' })
    const file = (name: string) => `/projects/${project.id}/repository/files/${name}`
    const commit = { branch: 'at-once', content: 'x', commit_message: 'New' }
    await w.as(colleague).post(file('at-once.txt'), commit)
    const params = { source_branch: 'at-once', target_branch: 'main', title: 'At once' }
    const { iid } = (await w.as(author).post(`/projects/${project.id}/merge_requests`, params)).body
    expect(await approval(iid, colleague)).toBe(401)
    await w.as(developer).post(file('later.txt'), commit)
    expect(await approval(iid, developer)).toBe(401)
    const approved = await w.as(w.root).post(`${at(iid)}/approve`)
    expect([approved.status, names(approved.body.approved_by)]).toEqual([201, ['root']])
    await w.drain()
    await settings({ merge_requests_disable_committers_approval: false })
  })

  it('does not count after the approver adds commits', async () => {
    const request = await openMergeRequest(w, project, { author })
    await settings({ approvals_before_merge: 1, reset_approvals_on_push: false })
    expect((await w.as(colleague).post(`${at(request.iid)}/approve`)).body.approvals_left).toBe(0)
    await pushTo(w, project, request.source_branch, { 'own.txt': 'own\n' }, { author: colleague })
    await w.drain()
    await settings({ merge_requests_disable_committers_approval: true })
    const { body } = await w.as(developer).get(`${at(request.iid)}/approvals`)
    expect([body.approved, body.approvals_left]).toEqual([false, 1])
    expect((await w.as(w.root).put(`${at(request.iid)}/merge`)).status).toBe(405)
    const usual = { approvals_before_merge: 0, reset_approvals_on_push: true }
    await settings({ ...usual, merge_requests_disable_committers_approval: false })
  })

  it('requires the password, if the project says so', async () => {
    const request = await openMergeRequest(w, project, { author })
    const ctx = w.ctx()
    const hash = await hashPassword('horse battery', ctx.config.hashCost)
    ctx.db.exec('UPDATE users SET password_hash = ? WHERE id = ?', hash, developer.id)
    await settings({ require_password_to_approve: true })
    const path = `${at(request.iid)}/approve`
    for (const params of [{}, { approval_password: 'wrong' }])
      expect((await w.as(developer).post(path, params)).body).toEqual({ message: '401 Unauthorized' })
    // A user without a password cannot approve.
    expect((await w.as(colleague).post(path, { approval_password: '' })).status).toBe(401)
    const right = await w.as(developer).post(path, { approval_password: 'horse battery' })
    expect([right.status, right.body.require_password_to_approve]).toEqual([201, true])
    await settings({ require_password_to_approve: false })
  })
})

describe('a push', () => {
  it('removes approvals and writes a system note', async () => {
    const request = await openMergeRequest(w, project, { author })
    for (const user of [developer, colleague]) await w.as(user).post(`${at(request.iid)}/approve`)
    await pushTo(w, project, request.source_branch, { 'again.txt': 'again\n' }, { author })
    await w.drain()
    const after = await w.as(developer).get(`${at(request.iid)}/approvals`)
    expect(after.body).toMatchObject({ approved_by: [], user_has_approved: false, user_can_approve: true })
    expect(notes(request)).toContain('reset approvals from @dora and @carl by pushing to the branch')
    expect((await w.as(developer).post(`${at(request.iid)}/approve`)).status).toBe(201)
  })

  it('keeps approvals, if the project says so', async () => {
    await settings({ reset_approvals_on_push: false })
    const request = await openMergeRequest(w, project, { author })
    await w.as(developer).post(`${at(request.iid)}/approve`)
    await pushTo(w, project, request.source_branch, { 'other.txt': 'other\n' }, { author })
    await w.drain()
    // The setting affects only later pushes.
    await settings({ reset_approvals_on_push: true })
    expect(names((await w.as(author).get(`${at(request.iid)}/approvals`)).body.approved_by)).toEqual(['dora'])
  })
})

it('approvals remain after a rebase without changes', async () => {
  const request = await openMergeRequest(w, project, { author })
  await w.as(developer).post(`${at(request.iid)}/approve`)
  await pushTo(w, project, 'main', { 'elsewhere.txt': 'e\n' })
  expect((await w.as(author).put(`${at(request.iid)}/rebase`)).status).toBe(202)
  await w.drain()
  const after = (await w.as(author).get(at(request.iid))).body
  expect(after.sha).not.toBe(request.sha)
  expect(names((await w.as(author).get(`${at(request.iid)}/approvals`)).body.approved_by)).toEqual(['dora'])
  expect(notes(request).filter((body) => body.startsWith('reset approvals'))).toEqual([])
})

it('approvals are removed when the target branch changes', async () => {
  const branch = await w
    .as(w.root)
    .post(`/projects/${project.id}/repository/branches`, { branch: 'next', ref: 'main' })
  expect(branch.status).toBe(201)
  const request = await openMergeRequest(w, project, { author })
  await w.as(developer).post(`${at(request.iid)}/approve`)
  await w.as(author).put(at(request.iid), { target_branch: 'next' })
  expect((await w.as(author).get(`${at(request.iid)}/approvals`)).body.approved_by).toEqual([])
  await w.drain()
  expect((await w.as(author).get(`${at(request.iid)}/approvals`)).body.approved_by).toEqual([])
  expect(notes(request).some((body: string) => body.startsWith('reset approvals from @dora'))).toBe(true)
})

describe('resetting approvals', () => {
  it('is allowed only for bots of access tokens', async () => {
    const request = await openMergeRequest(w, project, { author })
    await w.as(developer).post(`${at(request.iid)}/approve`)
    const path = `${at(request.iid)}/reset_approvals`
    for (const user of [w.root, developer, author])
      expect((await w.as(user).put(path)).body).toEqual({ message: '401 Unauthorized' })
    const made = await w.as(w.root).post(`/projects/${project.id}/access_tokens`, {
      name: 'bot',
      scopes: ['api'],
      access_level: 30,
      expires_at: '2099-01-01',
    })
    const bot = { id: made.body.user_id, username: 'bot', token: made.body.token, password: '' }
    const cleared = await w.as(bot).put(path)
    expect([cleared.status, cleared.text]).toEqual([202, '202'])
    expect((await w.as(developer).get(`${at(request.iid)}/approvals`)).body.approved_by).toEqual([])
    expect((await w.as(bot).put(path)).status).toBe(202)
  })
})
