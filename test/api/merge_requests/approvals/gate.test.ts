import { beforeAll, describe, expect, it } from 'vitest'

import { openMergeRequest, pushTo } from '../../../support/merge-requests.ts'
import { world, type TestUser } from '../../../support/world.ts'

const w = await world()
let project: { id: number }
let author: TestUser
let dora: TestUser
let carl: TestUser

const OWNERS = ['*.md @dora', '[Database][2]', '/db/ @dora @carl', '^[Pages]', '*.html @carl', ''].join('\n')

beforeAll(async () => {
  project = await w.make.project({ with: 'readme' })
  author = w.make.user({ username: 'anna' })
  dora = w.make.user({ username: 'dora' })
  carl = w.make.user({ username: 'carl' })
  for (const user of [dora, carl, author]) await w.make.member('projects', project.id, user, 30)
  await pushTo(w, project, 'main', { CODEOWNERS: OWNERS, 'db/schema.sql': 'a\n', 'index.html': 'b\n' })
})

// oxlint-disable-next-line typescript/no-explicit-any
type Rule = any

const at = (request: { iid: number }) => `/projects/${project.id}/merge_requests/${request.iid}`
const rulesOf = async (request: { iid: number }): Promise<Rule[]> =>
  (await w.as(author).get(`${at(request)}/approval_state`)).body.rules
const approvals = async (request: { iid: number }) =>
  (await w.as(author).get(`${at(request)}/approvals`)).body
const approve = (request: { iid: number }, user: TestUser) => w.as(user).post(`${at(request)}/approve`)
const settings = (params: object) => w.as(w.root).post(`/projects/${project.id}/approvals`, params)
const owners = (isRequired: boolean) =>
  w
    .as(w.root)
    .patch(`/projects/${project.id}/protected_branches/main`, { code_owner_approval_required: isRequired })
const inShort = (rules: Rule[]) =>
  rules.map((rule) => [rule.section, rule.name, rule.approvals_required, rule.approved])

describe('the owners of changed files', () => {
  it('must approve when the target branch requires it', async () => {
    const files = { 'NOTES.md': 'x\n', 'db/schema.sql': 'y\n', 'index.html': 'z\n' }
    const request = await openMergeRequest(w, project, { author, files })
    expect(inShort(await rulesOf(request))).toEqual([
      ['codeowners', '*.md', 0, true],
      ['Database', '/db/', 0, true],
      ['Pages', '*.html', 0, true],
    ])
    expect((await approvals(request)).approved).toBe(true)
    await owners(true)
    const rules = await rulesOf(request)
    expect(inShort(rules)).toEqual([
      ['codeowners', '*.md', 1, false],
      ['Database', '/db/', 2, false],
      ['Pages', '*.html', 0, true],
    ])
    expect(rules[0]).toMatchObject({
      rule_type: 'code_owner',
      code_owner: true,
      users: [{ username: 'dora' }],
      eligible_approvers: [{ username: 'dora' }],
    })
    expect(await approvals(request)).toMatchObject({
      approved: false,
      approvals_required: 3,
      approvals_left: 3,
    })
    await approve(request, dora)
    expect(inShort(await rulesOf(request)).map(([, name, , approved]) => [name, approved])).toEqual([
      ['*.md', true],
      ['/db/', false],
      ['*.html', true],
    ])
    await approve(request, carl)
    expect((await approvals(request)).approved).toBe(true)
    const path = `${at(request)}/approval_rules/${rules[0].id}`
    expect((await w.as(author).get(path)).body).toMatchObject({ id: rules[0].id, section: 'codeowners' })
    expect((await w.as(author).put(path, { approvals_required: 0 })).body).toEqual({
      message: '403 Forbidden',
    })
    expect((await w.as(author).delete(path)).body).toEqual({ message: '403 Forbidden' })
  })

  it('come from the target branch, for the files of the newest version', async () => {
    const request = await openMergeRequest(w, project, { author, files: { 'a.txt': 'a\n' } })
    expect(await rulesOf(request)).toEqual([])
    await pushTo(w, project, request.source_branch, { 'b.md': 'b\n', CODEOWNERS: '*.md @anna\n' }, { author })
    await w.drain()
    const [rule] = await rulesOf(request)
    expect([rule.name, rule.users[0].username]).toEqual(['*.md', 'dora'])
    await pushTo(w, project, 'main', { CODEOWNERS: `${OWNERS}\n[Database]\n*.txt @carl\n` })
    const names = (await rulesOf(request)).map((rule) => `${rule.section} ${rule.name}`)
    expect(names).toEqual(['codeowners *.md', 'Database *.txt'])
    // An unchanged rule keeps its ID.
    expect((await rulesOf(request))[0].id).toBe(rule.id)
    await pushTo(w, project, 'main', { CODEOWNERS: OWNERS })
  })

  it('lose only their own approval after a push to their files, if the project says so', async () => {
    await settings({ reset_approvals_on_push: false, selective_code_owner_removals: true })
    const files = { 'one.md': 'x\n', 'index.html': 'z\n' }
    const request = await openMergeRequest(w, project, { author, files })
    for (const user of [dora, carl]) await approve(request, user)
    const names = async () =>
      (await approvals(request)).approved_by.map(
        (approval: { user: { username: string } }) => approval.user.username,
      )
    await pushTo(w, project, request.source_branch, { 'index.html': 'zz\n' }, { author })
    await w.drain()
    expect(await names()).toEqual(['dora'])
    await pushTo(w, project, request.source_branch, { 'free.txt': 'f\n' }, { author })
    await w.drain()
    expect(await names()).toEqual(['dora'])
    await settings({ selective_code_owner_removals: false, reset_approvals_on_push: true })
  })
})

describe('the merge', () => {
  const merge = (request: { iid: number }, params: object = {}) =>
    w.as(w.root).put(`${at(request)}/merge`, params)
  const detailed = async (request: { iid: number }) => {
    await w.as(author).get(at(request))
    await w.drain()
    return (await w.as(author).get(at(request))).body.detailed_merge_status
  }

  it('is refused until all rules are approved, and freezes the rules', async () => {
    const base = await w.as(w.root).post(`/projects/${project.id}/approval_rules`, {
      name: 'base',
      approvals_required: 1,
      user_ids: [carl.id],
    })
    const request = await openMergeRequest(w, project, { author, files: { 'gate.md': 'x\n' } })
    expect(await detailed(request)).toBe('not_approved')
    const refused = await merge(request)
    expect([refused.status, refused.body]).toEqual([405, { message: '405 Method Not Allowed' }])
    await approve(request, carl)
    expect((await merge(request)).status).toBe(405)
    await approve(request, dora)
    expect(await detailed(request)).toBe('mergeable')
    expect((await merge(request)).body).toMatchObject({ state: 'merged' })
    await w.as(w.root).delete(`/projects/${project.id}/approval_rules/${base.body.id}`)
    await owners(false)
    const rules = await rulesOf(request)
    expect(rules).toMatchObject([
      {
        name: 'base',
        approvals_required: 1,
        approved: true,
        approved_by: [{ username: 'carl' }],
        source_rule: null,
      },
      {
        name: '*.md',
        approvals_required: 1,
        approved: true,
        approved_by: [{ username: 'dora' }],
        code_owner: true,
      },
    ])
    expect(await approvals(request)).toMatchObject({ state: 'merged', approved: true, approvals_left: 0 })
    // The approvals of a merged merge request cannot change.
    for (const answer of [
      await w.as(dora).post(`${at(request)}/unapprove`),
      await w.as(dora).put(`${at(request)}/approval_rules/${rules[0].id}`, { approvals_required: 0 }),
      await approve(request, w.root),
    ])
      expect([404, 403, 401]).toContain(answer.status)
    expect((await approvals(request)).approved_by).toHaveLength(2)
  })

  it('is refused for commits that were pushed after the approval', async () => {
    await settings({ approvals_before_merge: 1 })
    const request = await openMergeRequest(w, project, { author, files: { 'late.txt': 'x\n' } })
    await approve(request, dora)
    expect(await detailed(request)).toBe('mergeable')
    // The job of the push has not run yet, so its approvals are not checked.
    await pushTo(w, project, request.source_branch, { 'late.txt': 'evil\n' }, { author })
    const refused = await merge(request)
    expect([refused.status, refused.body]).toEqual([405, { message: '405 Method Not Allowed' }])
    await w.drain()
    expect((await approvals(request)).approved_by).toEqual([])
    expect((await merge(request)).status).toBe(405)
    await approve(request, dora)
    expect((await merge(request)).body.state).toBe('merged')
    await settings({ approvals_before_merge: 0 })
  })
})
