import { expect, it } from 'vitest'

import type { Fields } from '../../../../server/domains/import_export/relations/relation.ts'
import { world } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'
import { recordsOf, takeInto } from './codec.ts'

const w = await world()
const { as, make, root } = w
const source = await make.project()
fill(w, source, [{ files: { a: '1' } }])
const [ada, bob] = [make.user({ username: 'ada' }), make.user({ username: 'bob' })]
await make.member('projects', source.id, ada, 30)
await make.member('projects', source.id, bob, 50)
const at = (path: string) => `/projects/${source.id}/${path}`

/** The records of members identify the users of other records. */
const members = await recordsOf(w, source.id, 'project_members')
const carried = async (name: string, records: Fields[], importer = root) => {
  const { id } = await make.project()
  const taken = await takeInto(w, id, { project_members: members, [name]: records }, { importer })
  return { id, taken, records: await recordsOf(w, id, name) }
}
const plain = (records: readonly Fields[], ...names: string[]) =>
  records.map((record) => {
    const { project_id, ...rest } = record
    expect(project_id).toEqual(expect.any(Number))
    return Object.fromEntries(Object.entries(rest).filter(([name]) => !names.includes(name)))
  })

it('members are imported, owners as maintainers, without unknown users', async () => {
  expect(members.map(({ user, access_level, source_type }) => ({ user, access_level, source_type }))).toEqual(
    [
      expect.objectContaining({ access_level: 50 }),
      { user: { id: ada.id, public_email: null, username: 'ada' }, access_level: 30, source_type: 'Project' },
      { user: { id: bob.id, public_email: null, username: 'bob' }, access_level: 50, source_type: 'Project' },
    ],
  )
  const stranger = {
    ...members[1]!,
    user: { id: 99, public_email: null, username: 'nobody-here' },
    user_id: 99,
  }
  const { id, taken } = await carried('project_members', [
    ...members,
    stranger,
    { access_level: 7, user_id: 1 },
  ])
  const { body } = await as(root).get(`/projects/${id}/members?per_page=100`)
  const levels = body.map((member: { username: string; access_level: number }) => [
    member.username,
    member.access_level,
  ])
  expect(levels).toEqual([
    ['root', 50],
    ['ada', 30],
    ['bob', 40],
  ])
  expect(taken.failed).toEqual([
    expect.objectContaining({
      line_number: 5,
      exception_message: 'access_level is not included in the list',
    }),
  ])
})

it('members of parent groups are exported for users who may see them', async () => {
  const group = await make.group()
  await make.member('groups', group.id, ada, 40)
  const inGroup = await make.project({ namespace_id: group.id })
  await make.member('projects', inGroup.id, bob, 20)
  const records = await recordsOf(w, inGroup.id, 'project_members')
  expect(records.map(({ user_id, source_type }) => [user_id, source_type])).toEqual([
    [bob.id, 'Project'],
    [root.id, 'Namespace'],
    [ada.id, 'Namespace'],
  ])
})

it('protections are imported, within the rights of the importing user', async () => {
  await as(root).post(at('protected_branches'), {
    name: 'release/*',
    push_access_level: 0,
    merge_access_level: 30,
    allow_force_push: true,
    code_owner_approval_required: true,
  })
  await as(root).post(at('protected_tags'), { name: 'v*', create_access_level: 30 })
  const branches = await recordsOf(w, source.id, 'protected_branches')
  expect(branches).toEqual([
    {
      name: 'release/*',
      allow_force_push: true,
      code_owner_approval_required: true,
      project_id: source.id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      merge_access_levels: [{ access_level: 30, user_id: null, group_id: null }],
      push_access_levels: [{ access_level: 0, user_id: null, group_id: null }],
      unprotect_access_levels: expect.any(Array),
    },
  ])
  const tags = await recordsOf(w, source.id, 'protected_tags')
  // The importing user owns the outermost namespace, so no level changes.
  expect(plain((await carried('protected_branches', branches)).records)).toEqual(plain(branches))
  expect(plain((await carried('protected_tags', tags)).records)).toEqual(plain(tags))
  const single = [
    { ...branches[0]!, merge_access_levels: [{ access_level: 30, user_id: ada.id, group_id: null }] },
  ]
  const narrowed = (await carried('protected_branches', single)).records
  expect(narrowed[0]!['merge_access_levels']).toEqual([{ access_level: 40, user_id: null, group_id: null }])
  const bad = await carried('protected_branches', [{ name: 'a b' }, { name: 7 }, {}])
  expect(bad.taken.failed.map(({ exception_message }) => exception_message)).toEqual([
    'name is invalid',
    'name is not a text',
    "name can't be blank",
  ])
})

it('protections are restricted if the importing user does not own the outermost group', async () => {
  const group = await make.group()
  await make.member('groups', group.id, ada, 40)
  const target = await make.project({ namespace_id: group.id })
  const record = {
    name: 'main',
    merge_access_levels: [{ access_level: 30 }],
    push_access_levels: [{ access_level: 0 }, { access_level: 60 }],
    unprotect_access_levels: [],
  }
  await takeInto(w, target.id, { protected_branches: [record] }, { importer: ada })
  const [taken] = await recordsOf(w, target.id, 'protected_branches')
  const levels = (name: string) => (taken![name] as Fields[]).map(({ access_level }) => access_level)
  expect([levels('merge_access_levels'), levels('push_access_levels')]).toEqual([[40], [0, 40]])
})

it('the push rule is imported, even if the instance has a default one', async () => {
  await as(root).post(at('push_rule'), {
    commit_message_regex: '^.{10,}',
    deny_delete_tag: true,
    max_file_size: 5,
    reject_unsigned_commits: true,
  })
  const rule = await recordsOf(w, source.id, 'push_rule')
  expect(rule).toEqual([
    expect.objectContaining({
      commit_message_regex: '^.{10,}',
      deny_delete_tag: true,
      member_check: false,
      max_file_size: 5,
      reject_unsigned_commits: true,
      commit_committer_check: null,
    }),
  ])
  expect(plain((await carried('push_rule', rule)).records)).toEqual(plain(rule))
  const ctx = w.ctx()
  ctx.db.exec(
    "INSERT INTO push_rules (branch_name_regex, created_at, updated_at) VALUES ('^x', ?, ?)",
    ctx.now,
    ctx.now,
  )
  const over = await carried('push_rule', rule)
  ctx.db.exec('DELETE FROM push_rules WHERE project_id IS NULL AND group_id IS NULL')
  expect(plain(over.records, 'created_at', 'updated_at')).toEqual(plain(rule, 'created_at', 'updated_at'))
  expect((await carried('push_rule', [null as unknown as Fields])).taken.failed).toEqual([])
  const bad = await carried('push_rule', [{ max_file_size: -1 }])
  expect(bad.taken.failed[0]!.exception_message).toBe('max_file_size is out of range')
})

it('approval rules are imported with their users and branches', async () => {
  const [branch] = (await as(root).get(at('protected_branches'))).body
  await as(root).post(at('approval_rules'), {
    name: 'Security',
    approvals_required: 2,
    user_ids: [ada.id, bob.id],
    protected_branch_ids: [branch.id],
  })
  await as(root).post(at('approval_rules'), { name: 'All', rule_type: 'any_approver', approvals_required: 1 })
  const rules = await recordsOf(w, source.id, 'approval_rules')
  expect(rules[0]).toMatchObject({
    name: 'Security',
    rule_type: 'regular',
    approvals_required: 2,
    approval_project_rules_users: [{ user_id: ada.id }, { user_id: bob.id }],
    approval_project_rules_protected_branches: [{ branch_name: 'release/*' }],
  })
  const { id } = await make.project()
  const protected_branches = await recordsOf(w, source.id, 'protected_branches')
  const strange = [
    { name: 'x', rule_type: 'code_owner' },
    { name: 'y', rule_type: 'report_approver' },
  ]
  const taken = await takeInto(w, id, {
    project_members: members,
    protected_branches,
    approval_rules: [...rules, ...strange, { name: 'z', rule_type: 3 }],
  })
  expect(taken.failed.map(({ exception_message }) => exception_message)).toEqual([
    'rule_type is not included in the list',
    'report_type is not included in the list',
    'any-approver for the project already exists',
  ])
  const again = await recordsOf(w, id, 'approval_rules')
  expect(plain(again)).toEqual(plain(rules))
})

it('schedules are imported as inactive, owned by the importing user', async () => {
  await as(root).post(at('pipeline_schedules'), {
    description: 'Nightly',
    ref: 'main',
    cron: '5/10 1 * * *',
    cron_timezone: 'Europe/Berlin',
  })
  const schedules = await recordsOf(w, source.id, 'pipeline_schedules')
  expect(schedules).toEqual([
    expect.objectContaining({
      description: 'Nightly',
      cron: '5/10 1 * * *',
      active: true,
      owner_id: root.id,
    }),
  ])
  const { id, taken } = await carried('pipeline_schedules', [
    ...schedules,
    { description: 'x', ref: 'main', cron: 'often' },
    { description: 'x', cron: '* * * * *' },
  ])
  expect(taken.failed.map(({ exception_message }) => exception_message)).toEqual([
    'cron syntax is invalid',
    "ref can't be blank",
  ])
  const again = await recordsOf(w, id, 'pipeline_schedules')
  expect(plain(again)).toEqual(plain([{ ...schedules[0]!, active: false }]))
  expect((await as(root).get(`/projects/${id}/pipeline_schedules`)).body).toHaveLength(1)
})

it('releases are imported with links and milestones, and belong to the ghost user without an author', async () => {
  const milestone = (await as(root).post(at('milestones'), { title: '1.0' })).body
  await as(root).post(at('releases'), {
    tag_name: 'v1',
    ref: 'main',
    name: 'First',
    description: 'Notes',
    milestones: ['1.0'],
    assets: {
      links: [
        { name: 'app', url: 'https://example.test/a', direct_asset_path: '/bin/a', link_type: 'package' },
      ],
    },
  })
  const releases = await recordsOf(w, source.id, 'releases')
  expect(releases).toEqual([
    expect.objectContaining({
      tag: 'v1',
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      links: [expect.objectContaining({ filepath: '/bin/a', link_type: 'package' })],
      milestone_releases: [{ milestone: expect.objectContaining({ title: '1.0', iid: milestone.iid }) }],
    }),
  ])
  const { id, records } = await carried('releases', releases)
  const without = (all: readonly Fields[]) =>
    plain(all, 'milestone_releases', 'author_id').map((release) => JSON.parse(JSON.stringify(release)))
  expect(without(records)).toEqual(without(releases))
  expect(records[0]!['milestone_releases']).toHaveLength(1)
  const shown = await as(root).get(`/projects/${id}/releases/v1`)
  expect(shown.body).toMatchObject({ name: 'First', milestones: [{ title: '1.0' }] })

  const orphan = await carried('releases', [
    { tag: 'v2', author_id: null, links: [{ name: 'x', url: 'javascript:alert(1)' }] },
    { tag: '' },
  ])
  expect(orphan.taken.failed.map(({ relation_name, line_number }) => [relation_name, line_number])).toEqual([
    ['links', 1],
    ['releases', 2],
  ])
  expect((await as(root).get(`/projects/${orphan.id}/releases/v2`)).body.author.username).toBe('ghost')
})
