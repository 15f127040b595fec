import { afterEach, beforeAll, describe, expect, it } from 'vitest'

import { openMergeRequest } from '../../../support/merge-requests.ts'
import { world, type TestUser } from '../../../support/world.ts'

const w = await world()
let project: { id: number }
let author: TestUser
let dora: TestUser
let carl: TestUser
let reporter: TestUser

beforeAll(async () => {
  project = await w.make.project({ with: 'readme' })
  author = w.make.user({ username: 'anna' })
  dora = w.make.user({ username: 'dora' })
  carl = w.make.user({ username: 'carl' })
  reporter = w.make.user({ username: 'rita' })
  for (const user of [dora, carl, author]) await w.make.member('projects', project.id, user, 30)
  await w.make.member('projects', project.id, reporter, 20)
})

// oxlint-disable-next-line typescript/no-explicit-any
type Rule = any

const at = (request: { iid: number }) => `/projects/${project.id}/merge_requests/${request.iid}`
const state = async (request: { iid: number }, user = author) =>
  (await w.as(user).get(`${at(request)}/approval_state`)).body
const approvals = async (request: { iid: number }, user = author) =>
  (await w.as(user).get(`${at(request)}/approvals`)).body
const approve = (request: { iid: number }, user: TestUser) => w.as(user).post(`${at(request)}/approve`)
const settings = (params: object) => w.as(w.root).post(`/projects/${project.id}/approvals`, params)
const inShort = (rules: Rule[]) => rules.map((rule) => [rule.name, rule.approvals_required, rule.approved])

async function projectRule(params: object): Promise<Rule> {
  const made = await w.as(w.root).post(`/projects/${project.id}/approval_rules`, params)
  expect(made.status).toBe(201)
  return made.body
}

// Every test starts with the settings and rules of its group.
afterEach(async () => {
  await settings({ disable_overriding_approvers_per_merge_request: false })
  const path = `/projects/${project.id}/approval_rules`
  for (const rule of (await w.as(w.root).get(path)).body)
    if (rule.name !== 'base') await w.as(w.root).delete(`${path}/${rule.id}`)
})

describe('approval rules of the project', () => {
  it('apply to its merge requests, and one approval counts for several rules', async () => {
    const first = await projectRule({ name: 'one', approvals_required: 1, user_ids: [dora.id, author.id] })
    const second = await projectRule({ name: 'two', approvals_required: 2, user_ids: [dora.id, carl.id] })
    const any = await projectRule({ name: 'all', approvals_required: 3 })
    const request = await openMergeRequest(w, project, { author })
    const before = await state(request)
    expect(before.approval_rules_overwritten).toBe(false)
    expect(before.rules[0]).toEqual({
      id: first.id,
      name: 'one',
      rule_type: 'regular',
      // The author is not eligible, but is listed among the users.
      eligible_approvers: [first.users.find((user: { id: number }) => user.id === dora.id)],
      approvals_required: 1,
      users: first.users,
      groups: [],
      contains_hidden_groups: false,
      section: null,
      source_rule: null,
      overridden: false,
      code_owner: false,
      approved_by: [],
      approved: false,
    })
    expect(await approvals(request)).toMatchObject({
      approved: false,
      approvals_required: 6,
      approvals_left: 3,
      has_approval_rules: true,
      approvers: [{ user: { username: 'anna' } }, { user: { username: 'dora' } }],
      suggested_approvers: [{ username: 'dora' }, { username: 'carl' }],
      approval_rules_left: [
        { id: first.id, name: 'one', rule_type: 'regular' },
        { id: second.id, name: 'two', rule_type: 'regular' },
        { id: any.id, name: 'all', rule_type: 'any_approver' },
      ],
    })
    await approve(request, dora)
    expect(inShort((await state(request)).rules)).toEqual([
      ['one', 1, true],
      ['two', 2, false],
      ['all', 3, false],
    ])
    expect(await approvals(request)).toMatchObject({ approvals_left: 2, approved: false })
    await approve(request, carl)
    await approve(request, w.root)
    expect(await approvals(request)).toMatchObject({
      approvals_left: 0,
      approved: true,
      approval_rules_left: [],
    })
  })

  it('do not block the merge when no eligible approver is left', async () => {
    const rule = await projectRule({ name: 'lonely', approvals_required: 2, user_ids: [author.id] })
    const request = await openMergeRequest(w, project, { author })
    expect(await approvals(request)).toMatchObject({
      approved: true,
      approvals_required: 2,
      approvals_left: 0,
      invalid_approvers_rules: [{ id: rule.id, name: 'lonely', rule_type: 'regular' }],
    })
    // A user who leaves the project cannot approve any more.
    await w.as(w.root).put(`/projects/${project.id}/approval_rules/${rule.id}`, {
      name: 'lonely',
      approvals_required: 1,
      user_ids: [reporter.id],
    })
    expect(await approvals(request)).toMatchObject({ approved: false, approvals_left: 1 })
    await w.as(w.root).delete(`/projects/${project.id}/members/${reporter.id}`)
    expect(await approvals(request)).toMatchObject({ approved: true })
    await w.make.member('projects', project.id, reporter, 20)
  })

  it('apply to their branches only', async () => {
    const protect = (name: string) =>
      w.as(w.root).post(`/projects/${project.id}/protected_branches`, { name })
    const stable = (await protect('stable-*')).body
    await projectRule({
      name: 'stable',
      approvals_required: 1,
      protected_branch_ids: [stable.id],
      user_ids: [dora.id],
    })
    await projectRule({
      name: 'protected',
      approvals_required: 1,
      applies_to_all_protected_branches: true,
      user_ids: [dora.id],
    })
    for (const branch of ['stable-1', 'loose'])
      await w.as(w.root).post(`/projects/${project.id}/repository/branches`, { branch, ref: 'main' })
    const rulesInto = async (target_branch: string) => {
      const request = await openMergeRequest(w, project, { author, target_branch, drain: false })
      return inShort((await state(request)).rules).map(([name]) => name)
    }
    expect(await rulesInto('main')).toEqual(['protected'])
    expect(await rulesInto('stable-1')).toEqual(['stable', 'protected'])
    expect(await rulesInto('loose')).toEqual([])
  })
})

describe('approval rules of a merge request', () => {
  let source: Rule
  beforeAll(async () => {
    source = await projectRule({ name: 'base', approvals_required: 1, user_ids: [dora.id] })
  })

  it('override the rules of the project until they are deleted', async () => {
    const request = await openMergeRequest(w, project, { author })
    const path = `${at(request)}/approval_rules`
    expect((await w.as(reporter).get(path)).body).toEqual([])
    const made = await w.as(author).post(path, {
      name: 'ignored',
      approvals_required: 2,
      approval_project_rule_id: source.id,
      user_ids: [carl.id],
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: made.body.id,
      name: 'base',
      rule_type: 'regular',
      eligible_approvers: source.users,
      approvals_required: 2,
      users: source.users,
      groups: [],
      contains_hidden_groups: false,
      section: null,
      source_rule: { approvals_required: 1 },
      overridden: true,
    })
    const single = `${path}/${made.body.id}`
    expect((await w.as(reporter).get(single)).body).toEqual(made.body)
    const other = await w.as(author).post(path, { name: 'own', approvals_required: 1, usernames: ['carl'] })
    const list = await w.as(reporter).get(`${path}?per_page=1&page=2`)
    expect([list.headers.get('x-total'), list.body]).toEqual(['2', [other.body]])
    const standing = await state(request)
    expect(standing.approval_rules_overwritten).toBe(true)
    expect(inShort(standing.rules)).toEqual([
      ['base', 2, false],
      ['own', 1, false],
    ])
    const less = await w.as(author).put(single, { approvals_required: 0 })
    expect([less.status, less.body]).toEqual([
      400,
      { message: { approvals_required: ['must be greater than or equal to 1'] } },
    ])
    const same = await w.as(author).put(single, { approvals_required: 1 })
    expect(same.body).toMatchObject({ overridden: false, approvals_required: 1, name: 'base' })
    const renamed = await w.as(author).put(single, { name: 'mine', user_ids: [carl.id] })
    expect(renamed.body).toMatchObject({ overridden: true, name: 'mine', users: [{ id: carl.id }] })
    const taken = await w.as(author).put(single, { name: 'own', user_ids: [dora.id] })
    expect(taken.body).toEqual({ message: { name: ['has already been taken'] } })
    for (const rule of [made.body, other.body])
      expect((await w.as(author).delete(`${path}/${rule.id}`)).status).toBe(204)
    expect((await w.as(author).delete(single)).body).toEqual({ message: '404 Not found' })
    expect(inShort((await state(request)).rules)).toEqual([['base', 1, false]])
  })

  it('can require no approval', async () => {
    const request = await openMergeRequest(w, project, { author })
    const made = await w
      .as(author)
      .post(`${at(request)}/approval_rules`, { name: 'none', approvals_required: 0 })
    expect(made.body).toMatchObject({ rule_type: 'any_approver', name: 'none' })
    expect(await approvals(request)).toMatchObject({ approved: true, approvals_required: 0 })
    const second = await w
      .as(author)
      .post(`${at(request)}/approval_rules`, { name: 'more', approvals_required: 1 })
    expect([second.status, second.body]).toEqual([
      400,
      { message: { rule_type: ['any-approver for the merge request already exists'] } },
    ])
  })

  it('are validated, and updated by users who may update the merge request', async () => {
    const request = await openMergeRequest(w, project, { author })
    const path = `${at(request)}/approval_rules`
    const params = { name: 'x', approvals_required: 1, user_ids: [dora.id] }
    const missing = await w.as(author).post(path, {})
    expect([missing.status, missing.body]).toEqual([
      400,
      { error: 'name is missing, approvals_required is missing' },
    ])
    const unknown = await w.as(author).post(path, { ...params, approval_project_rule_id: 99_999 })
    expect([unknown.status, unknown.body]).toEqual([404, { message: '404 Not found' }])
    const refused = await w.as(reporter).post(path, params)
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    expect((await w.as(w.make.user()).post(path, params)).status).toBe(404)
    expect((await w.as(null).get(path)).body).toEqual({ message: '401 Unauthorized' })
    expect((await w.as(author).get(`${path}/99999`)).body).toEqual({ message: '404 Not found' })
    expect(
      (await w.as(author).get(`/projects/${project.id}/merge_requests/9999/approval_rules`)).body,
    ).toEqual({
      message: '404 Not found',
    })
    // An assignee may update it, too.
    await w.as(author).put(at(request), { assignee_ids: [reporter.id] })
    expect((await w.as(reporter).post(path, params)).status).toBe(201)
  })

  it('do not override rules that watch reports', async () => {
    const report = await projectRule({
      name: 'r',
      approvals_required: 1,
      rule_type: 'report_approver',
      report_type: 'license_scanning',
      user_ids: [carl.id],
    })
    const request = await openMergeRequest(w, project, { author })
    const path = `${at(request)}/approval_rules/${report.id}`
    expect((await w.as(author).get(path)).body).toMatchObject({
      name: 'License-Check',
      report_type: 'license_scanning',
    })
    expect((await w.as(author).put(path, { approvals_required: 0 })).body).toEqual({
      message: '403 Forbidden',
    })
    expect((await w.as(author).delete(path)).status).toBe(403)
    await w.as(author).post(`${at(request)}/approval_rules`, { name: 'none', approvals_required: 0 })
    expect(inShort((await state(request)).rules)).toEqual([
      ['none', 0, true],
      ['License-Check', 1, false],
    ])
  })

  it('cannot be changed when the project forbids overrides', async () => {
    const request = await openMergeRequest(w, project, { author })
    const path = `${at(request)}/approval_rules`
    const made = await w.as(author).post(path, { name: 'none', approvals_required: 0 })
    await settings({ disable_overriding_approvers_per_merge_request: true })
    expect(inShort((await state(request)).rules)).toEqual([['base', 1, false]])
    for (const answer of [
      await w.as(author).post(path, { name: 'y', approvals_required: 0 }),
      await w.as(author).put(`${path}/${made.body.id}`, { name: 'y' }),
      await w.as(author).delete(`${path}/${made.body.id}`),
      await w.as(author).put(`${at(request)}/approvers`, { approver_ids: [carl.id] }),
    ])
      expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
    const count = await w.as(author).post(`${at(request)}/approvals`, { approvals_required: 5 })
    expect([count.status, count.body]).toEqual([422, { error: 'Overriding approvals is disabled' }])
  })

  it('add to-do items for new approvers', async () => {
    const request = await openMergeRequest(w, project, { author })
    const requestedUsers = () =>
      w
        .ctx()
        .db.many<{ user_id: number }>(
          'SELECT user_id FROM approval_requests WHERE merge_request_id = ?',
          request.id,
        )
        .map((row) => row.user_id)
    expect(requestedUsers()).toEqual([dora.id])
    await w
      .as(author)
      .post(`${at(request)}/approval_rules`, { name: 'o', approvals_required: 1, user_ids: [carl.id] })
    expect(requestedUsers()).toEqual([carl.id])
  })
})

describe('the deprecated endpoints', () => {
  it('set a number of approvals in addition to the other rules', async () => {
    const request = await openMergeRequest(w, project, { author })
    const path = `${at(request)}/approvals`
    const made = await w.as(author).post(path, { approvals_required: 2 })
    expect([made.status, made.body.approvals_required, made.body.approvals_left]).toEqual([201, 3, 2])
    expect(inShort((await state(request)).rules)).toEqual([
      ['base', 1, false],
      ['All Members', 2, false],
    ])
    await w.as(author).post(path, { approvals_required: 1 })
    expect(inShort((await state(request)).rules)).toEqual([
      ['base', 1, false],
      ['All Members', 1, false],
    ])
    expect((await w.as(author).post(path, {})).body).toEqual({ error: 'approvals_required is missing' })
    expect((await w.as(author).post(path, { approvals_required: 101 })).body).toEqual({
      message: { approvals_required: ['must be less than or equal to 100'] },
    })
    expect((await w.as(reporter).post(path, { approvals_required: 1 })).status).toBe(403)
  })

  it('set approvers', async () => {
    const request = await openMergeRequest(w, project, { author })
    const path = `${at(request)}/approvers`
    const group = await w.make.group({ owner: carl, visibility: 'public' })
    const set = await w.as(author).put(path, { approver_ids: [carl.id], approver_group_ids: [group.id] })
    expect(set.status).toBe(200)
    expect(set.body).toMatchObject({
      approvals_required: 1,
      approvers: [{ user: { username: 'carl' } }],
      approver_groups: [{ group: { id: group.id } }],
    })
    const nobody = await w.as(author).put(path, { approver_ids: [99_999] })
    expect([nobody.status, nobody.body]).toEqual([
      400,
      { message: { approvers: ['have no access to the project'] } },
    ])
    expect((await w.as(reporter).put(path, { approver_ids: [carl.id] })).status).toBe(403)
  })

  it('require more approvals when a merge request is created', async () => {
    await settings({ approvals_before_merge: 2 })
    const counts = async (approvals_before_merge?: number) => {
      const request = await openMergeRequest(w, project, {
        author,
        drain: false,
        ...(approvals_before_merge === undefined ? {} : { approvals_before_merge }),
      })
      return inShort((await state(request)).rules).map(([name, count]) => `${name} ${count}`)
    }
    expect(await counts()).toEqual(['base 1', 'All Members 2'])
    expect(await counts(1)).toEqual(['base 1', 'All Members 2'])
    expect(await counts(3)).toEqual(['base 1', 'All Members 3'])
    await settings({ approvals_before_merge: 0 })
    expect(await counts(3)).toEqual(['base 1', 'All Members 0'])
  })
})
