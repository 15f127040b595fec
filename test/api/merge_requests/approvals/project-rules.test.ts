import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser } from '../../../support/world.ts'

const w = await world()
let project: { id: number }
let maintainer: TestUser
let developer: TestUser
let reader: TestUser
let open: { id: number }
let secret: { id: number }
let secretMember: TestUser

beforeAll(async () => {
  project = await w.make.project({ with: 'readme' })
  maintainer = w.make.user({ username: 'mia' })
  developer = w.make.user({ username: 'dora' })
  reader = w.make.user({ username: 'rita' })
  secretMember = w.make.user({ username: 'sam' })
  await w.make.member('projects', project.id, maintainer, 40)
  await w.make.member('projects', project.id, developer, 30)
  await w.make.member('projects', project.id, secretMember, 20)
  open = await w.make.group({ visibility: 'public', owner: developer })
  secret = await w.make.group({ visibility: 'private', owner: secretMember })
  await w.make.member('groups', open.id, reader, 30)
})

const isRegular = (rule: { rule_type: string }) => rule.rule_type === 'regular'
const rulesPath = () => `/projects/${project.id}/approval_rules`
const make = async (params: object, as: TestUser = maintainer) => w.as(as).post(rulesPath(), params)
const idsOf = (rows: { id: number }[]) => rows.map((row) => row.id)

describe('approval rules of a project', () => {
  it('have users and groups', async () => {
    const made = await make({
      name: 'security',
      approvals_required: 2,
      user_ids: [developer.id],
      usernames: ['MIA'],
      group_ids: [open.id],
    })
    expect(made.status).toBe(201)
    const user = (user: TestUser) => ({
      id: user.id,
      username: user.username,
      name: user.username.toUpperCase(),
      state: 'active',
      avatar_url: expect.stringContaining('/-/avatars/') as string,
      web_url: `${w.url}/${user.username}`,
    })
    // `rita` is in the group, but cannot read the private project.
    expect(made.body).toEqual({
      id: made.body.id,
      name: 'security',
      rule_type: 'regular',
      eligible_approvers: [user(maintainer), user(developer)],
      approvals_required: 2,
      users: [user(maintainer), user(developer)],
      groups: [
        expect.objectContaining({
          id: open.id,
          visibility: 'public',
          web_url: expect.stringContaining(w.url),
          lfs_enabled: true,
          parent_id: null,
          ldap_cn: null,
          ldap_access: null,
        }),
      ],
      contains_hidden_groups: false,
      protected_branches: [],
      applies_to_all_protected_branches: false,
    })
    const single = await w.as(developer).get(`${rulesPath()}/${made.body.id}`)
    expect([single.status, single.body]).toEqual([200, made.body])
    const taken = await make({ name: 'security', approvals_required: 1, user_ids: [developer.id] })
    expect([taken.status, taken.body]).toEqual([400, { message: { name: ['has already been taken'] } }])
  })

  it('ignore users outside the project and unknown groups', async () => {
    const params = { name: 'few', approvals_required: 1, user_ids: [reader.id, 99_999], group_ids: [99_999] }
    const made = await make({ ...params, usernames: ['nobody-of-that-name'] })
    expect(made.body).toMatchObject({ rule_type: 'regular', users: [], groups: [], eligible_approvers: [] })
  })

  it('apply to all members without approvers, and only one such rule can exist', async () => {
    const made = await make({ name: 'Any name', approvals_required: 0 })
    expect(made.body).toMatchObject({
      name: 'Any name',
      rule_type: 'any_approver',
      users: [],
      eligible_approvers: [],
    })
    const second = await make({ name: 'other', rule_type: 'any_approver', approvals_required: 1 })
    expect([second.status, second.body]).toEqual([
      400,
      { message: { rule_type: ['any-approver for the project already exists'] } },
    ])
    const changed = await w
      .as(maintainer)
      .put(`${rulesPath()}/${made.body.id}`, { name: 'All', approvals_required: 1, user_ids: [developer.id] })
    expect(changed.body).toMatchObject({
      name: 'All',
      approvals_required: 1,
      rule_type: 'any_approver',
      users: [],
    })
  })

  it('have fixed names when they watch reports', async () => {
    const params = {
      name: 'x',
      approvals_required: 1,
      rule_type: 'report_approver',
      user_ids: [developer.id],
    }
    const without = await make(params)
    expect([without.status, without.body]).toEqual([400, { error: 'report_type is missing' }])
    const made = await make({ ...params, report_type: 'code_coverage' })
    expect(made.body).toMatchObject({
      name: 'Coverage-Check',
      rule_type: 'report_approver',
      report_type: 'code_coverage',
    })
    const renamed = await w
      .as(maintainer)
      .put(`${rulesPath()}/${made.body.id}`, { name: 'y', approvals_required: 2, user_ids: [developer.id] })
    expect(renamed.body).toMatchObject({ name: 'Coverage-Check', approvals_required: 2 })
    const byName = await make({ name: 'License-Check', approvals_required: 1 })
    expect(byName.body).toMatchObject({ rule_type: 'report_approver', report_type: 'license_scanning' })
    const twice = await make({ ...params, report_type: 'code_coverage' })
    expect(twice.body).toEqual({ message: { name: ['has already been taken'] } })
  })

  it('return 400 for invalid names, numbers and types', async () => {
    const bodies = [
      [{}, { error: 'name is missing, approvals_required is missing' }],
      [{ name: ' ', approvals_required: 1 }, { error: 'name is empty' }],
      [{ name: 'n', approvals_required: 'many' }, { error: 'approvals_required is invalid' }],
      [
        { name: 'n', approvals_required: 101 },
        { message: { approvals_required: ['must be less than or equal to 100'] } },
      ],
      [
        { name: 'n', approvals_required: -1 },
        { message: { approvals_required: ['must be greater than or equal to 0'] } },
      ],
      [
        { name: 'n'.repeat(256), approvals_required: 1 },
        { message: { name: ['is too long (maximum is 255 characters)'] } },
      ],
      [
        { name: 'n', approvals_required: 1, rule_type: 'code_owner' },
        { error: 'rule_type does not have a valid value' },
      ],
      [{ name: 'n', approvals_required: 1, user_ids: ['me'] }, { error: 'user_ids is invalid' }],
    ]
    for (const [params, body] of bodies) {
      const refused = await make(params as object)
      expect([refused.status, refused.body]).toEqual([400, body])
    }
  })

  it('are listed in pages', async () => {
    const all = await w.as(developer).get(rulesPath())
    const page = await w.as(developer).get(`${rulesPath()}?per_page=2&page=2`)
    expect(page.headers.get('x-total')).toBe(String(all.body.length))
    expect(idsOf(page.body)).toEqual(idsOf(all.body).slice(2, 4))
  })

  it('can be limited to protected branches', async () => {
    const [main] = (await w.as(maintainer).get(`/projects/${project.id}/protected_branches`)).body
    const stable = (
      await w.as(maintainer).post(`/projects/${project.id}/protected_branches`, { name: 'stable-*' })
    ).body
    const elsewhere = await w.make.project({ with: 'readme' })
    const [foreign] = (await w.as(w.root).get(`/projects/${elsewhere.id}/protected_branches`)).body
    const made = await make({
      name: 'stable',
      approvals_required: 1,
      user_ids: [developer.id],
      protected_branch_ids: [stable.id, foreign.id],
    })
    expect(made.body.protected_branches).toMatchObject([
      { id: stable.id, name: 'stable-*', code_owner_approval_required: false },
    ])
    expect(made.body.protected_branches[0].push_access_levels).toMatchObject([
      { access_level: 40, access_level_description: 'Maintainers' },
    ])
    const path = `${rulesPath()}/${made.body.id}`
    const params = { name: 'stable', approvals_required: 1, user_ids: [developer.id] }
    // An update without branches keeps them.
    expect(idsOf((await w.as(maintainer).put(path, params)).body.protected_branches)).toEqual([stable.id])
    const moved = await w.as(maintainer).put(path, { ...params, protected_branch_ids: [main.id] })
    expect(idsOf(moved.body.protected_branches)).toEqual([main.id])
    const everywhere = await w.as(maintainer).put(path, {
      ...params,
      protected_branch_ids: [stable.id],
      applies_to_all_protected_branches: true,
    })
    expect(everywhere.body.applies_to_all_protected_branches).toBe(true)
    expect(idsOf(everywhere.body.protected_branches)).toEqual([main.id])
  })

  it('keep groups that the caller cannot see, unless removal is requested', async () => {
    const made = await make(
      { name: 'secret', approvals_required: 1, group_ids: [open.id, secret.id] },
      w.root,
    )
    expect(idsOf(made.body.groups).sort()).toEqual([open.id, secret.id].sort())
    const path = `${rulesPath()}/${made.body.id}`
    const seen = await w.as(maintainer).get(path)
    expect(seen.body).toMatchObject({ contains_hidden_groups: true, groups: [{ id: open.id }] })
    expect(idsOf(seen.body.eligible_approvers)).toEqual([developer.id, secretMember.id].sort((a, b) => a - b))
    const emptied = await w.as(maintainer).put(path, { name: 'secret', approvals_required: 1 })
    expect(emptied.body).toMatchObject({ contains_hidden_groups: true, groups: [], users: [] })
    const hidden = await make({ name: 'none', approvals_required: 1, group_ids: [secret.id] })
    expect(hidden.body).toMatchObject({ groups: [], contains_hidden_groups: false })
    const gone = await w
      .as(maintainer)
      .put(path, { name: 'secret', approvals_required: 1, remove_hidden_groups: true })
    expect(gone.body).toMatchObject({ contains_hidden_groups: false, groups: [], eligible_approvers: [] })
  })

  it('replace their approvers on update, and require a name and a number', async () => {
    const [rule] = (await w.as(maintainer).get(rulesPath())).body.filter(isRegular)
    const path = `${rulesPath()}/${rule.id}`
    const missing = await w.as(maintainer).put(path, { user_ids: [developer.id] })
    expect([missing.status, missing.body]).toEqual([
      400,
      { error: 'name is missing, approvals_required is missing' },
    ])
    const changed = await w
      .as(maintainer)
      .put(path, { name: 'security', approvals_required: 1, usernames: ['dora'] })
    expect(changed.body).toMatchObject({ approvals_required: 1, users: [{ id: developer.id }], groups: [] })
    const taken = await w.as(maintainer).put(path, { name: 'few', approvals_required: 1 })
    expect([taken.status, taken.body]).toEqual([400, { message: { name: ['has already been taken'] } }])
  })

  it('are visible to readers of merge requests and updated by maintainers', async () => {
    const [rule] = (await w.as(maintainer).get(rulesPath())).body.filter(isRegular)
    const path = `${rulesPath()}/${rule.id}`
    const params = { name: 'mine', approvals_required: 0 }
    expect((await w.as(developer).get(rulesPath())).status).toBe(200)
    for (const [client, message] of [
      [w.as(reader), '404 Project Not Found'],
      [w.as(null), '401 Unauthorized'],
    ] as const) {
      expect((await client.get(rulesPath())).body).toEqual({ message })
      expect((await client.get(path)).body).toEqual({ message })
    }
    for (const [client, status] of [
      [w.as(reader), 404],
      [w.as(null), 401],
    ] as const) {
      expect((await client.post(rulesPath(), params)).status).toBe(status)
      expect((await client.delete(path)).status).toBe(status)
    }
    for (const answer of [
      await w.as(developer).post(rulesPath(), params),
      await w.as(developer).put(path, params),
      await w.as(developer).delete(path),
    ])
      expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }])
  })

  it('are deleted', async () => {
    const [rule] = (await w.as(maintainer).get(rulesPath())).body.filter(isRegular)
    const path = `${rulesPath()}/${rule.id}`
    expect((await w.as(maintainer).delete(path)).status).toBe(204)
    for (const answer of [
      await w.as(maintainer).get(path),
      await w.as(maintainer).put(path, { name: 'x', approvals_required: 1 }),
      await w.as(maintainer).delete(path),
    ])
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Not found' }])
    const elsewhere = await w.make.project()
    const [other] = (await w.as(maintainer).get(rulesPath())).body
    expect((await w.as(w.root).get(`/projects/${elsewhere.id}/approval_rules/${other.id}`)).status).toBe(404)
  })
})
