import { describe, expect, it } from 'vitest'

import { world, type Answer, type TestUser } from '../../support/world.ts'

const here = await world()
const owner = here.make.user()
const maintainer = here.make.user()
const developer = here.make.user()
const admin = here.as(here.root)
const as = here.as(owner)
const group = await here.make.group({ owner, visibility: 'public' })
const project = await here.make.project({ owner, visibility: 'public' })
await here.make.member('groups', group.id, maintainer, 40)
await here.make.member('projects', project.id, maintainer, 40)
await here.make.member('projects', project.id, developer, 30)
const at = `/projects/${project.id}/push_rule`
const ofGroup = `/groups/${group.id}/push_rule`
const answerOf = ({ status, body }: Answer) => [status, body]
const by = (user: TestUser | null) => here.as(user)

const PATTERNS =
  'deny_delete_tag, member_check, prevent_secrets, commit_message_regex, commit_message_negative_regex, branch_name_regex, author_email_regex, file_name_regex, max_file_size, commit_committer_check, commit_committer_name_check, reject_unsigned_commits, reject_non_dco_commits'
const none = {
  commit_message_regex: null,
  commit_message_negative_regex: null,
  branch_name_regex: null,
  deny_delete_tag: false,
  member_check: false,
  prevent_secrets: false,
  author_email_regex: null,
  file_name_regex: null,
  max_file_size: 0,
  commit_committer_check: null,
  reject_unsigned_commits: null,
  reject_non_dco_commits: null,
  commit_committer_name_check: null,
}

describe('the rule of a project', () => {
  it('is created, shown, updated and deleted', async () => {
    expect(answerOf(await as.get(at))).toEqual([200, null])
    for (const call of [as.put(at, { member_check: true }), as.delete(at)])
      expect(answerOf(await call)).toEqual([404, { message: '404 Push rule Not Found' }])
    const made = await as.post(at, { deny_delete_tag: true, branch_name_regex: '^a', max_file_size: 5 })
    const rule = {
      id: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
      project_id: project.id,
      ...none,
      deny_delete_tag: true,
      branch_name_regex: '^a',
      max_file_size: 5,
    }
    expect(answerOf(made)).toEqual([201, rule])
    expect(Object.keys(made.body)).toEqual(Object.keys(rule))
    expect(answerOf(await as.post(at, { member_check: true }))).toEqual([
      422,
      { message: 'Project push rule exists' },
    ])
    const changed = await as.put(at, { branch_name_regex: '', reject_unsigned_commits: true })
    expect(answerOf(changed)).toEqual([
      200,
      { ...made.body, branch_name_regex: '', reject_unsigned_commits: true },
    ])
    expect(answerOf(await as.get(at))).toEqual([200, changed.body])
    expect(answerOf(await as.put(at, { reject_unsigned_commits: false }))).toEqual([
      200,
      { ...changed.body, reject_unsigned_commits: null },
    ])
    expect((await as.delete(at)).status).toBe(204)
    expect(answerOf(await as.get(at))).toEqual([200, null])
  })

  it('accepts valid values only', async () => {
    expect(answerOf(await as.post(at, {}))).toEqual([
      400,
      { error: `${PATTERNS} are missing, at least one parameter must be provided` },
    ])
    const pattern = await as.post(at, { branch_name_regex: '(?=x)', file_name_regex: '(' })
    expect(answerOf(pattern)).toEqual([
      400,
      {
        message: {
          branch_name_regex: [expect.stringMatching(/^not valid RE2 syntax: .*\(\?=/)],
          file_name_regex: [expect.stringMatching(/^not valid RE2 syntax: /)],
        },
      },
    ])
    expect(answerOf(await as.post(at, { author_email_regex: 'x'.repeat(512) }))).toEqual([
      400,
      { message: { author_email_regex: ['is too long (maximum is 511 characters)'] } },
    ])
    expect(answerOf(await as.post(at, { max_file_size: -1 }))).toEqual([
      400,
      { message: { max_file_size: ['must be greater than or equal to 0'] } },
    ])
    expect((await as.post(at, { max_file_size: 2 ** 40 })).status).toBe(400)
    expect((await as.post(at, { commit_message_regex: '(a{1000}){1000}' })).status).toBe(400)
    expect(answerOf(await as.post(at, { member_check: 'maybe' }))).toEqual([
      400,
      { error: 'member_check is invalid' },
    ])
    expect(answerOf(await as.get(at))).toEqual([200, null])
  })

  it('is limited to maintainers', async () => {
    expect((await by(maintainer).get(at)).status).toBe(200)
    expect(answerOf(await by(developer).get(at))).toEqual([403, { message: '403 Forbidden' }])
    expect((await by(null).get(at)).status).toBe(401)
  })
})

describe('the rule of a group', () => {
  it('is created, shown, updated and deleted', async () => {
    const missing = [404, { message: '404 Not Found' }]
    expect(answerOf(await as.get(ofGroup))).toEqual(missing)
    expect(answerOf(await as.get(`/-${ofGroup}`))).toEqual([200, null])
    expect(answerOf(await as.put(ofGroup, { member_check: true }))).toEqual(missing)
    expect(answerOf(await as.delete(ofGroup))).toEqual(missing)
    const made = await as.post(ofGroup, { prevent_secrets: true })
    const rule = { id: expect.any(Number), created_at: expect.any(String), ...none, prevent_secrets: true }
    expect(answerOf(made)).toEqual([201, rule])
    expect(Object.keys(made.body)).toEqual(Object.keys(rule))
    expect(answerOf(await as.get(`/-${ofGroup}`))).toEqual([200, rule])
    expect(answerOf(await as.post(ofGroup, { member_check: true }))).toEqual([
      422,
      { message: 'Group push rule exists, try updating' },
    ])
    expect(answerOf(await as.put(ofGroup, { member_check: true }))).toEqual([
      200,
      { ...made.body, member_check: true },
    ])
    expect((await as.delete(ofGroup)).status).toBe(204)
  })

  it('returns 404 to users who are not owners', async () => {
    for (const user of [maintainer, developer])
      for (const answer of [by(user).get(ofGroup), by(user).post(ofGroup, { member_check: true })])
        expect((await answer).status).toBe(404)
    expect((await by(null).get(ofGroup)).status).toBe(401)
  })
})

describe('inheritance', () => {
  const rules = '/-/admin/push_rule'
  const ruleOf = async (kind: string, id: number) => (await admin.get(`/${kind}/${id}/push_rule`)).body

  it('copies the nearest rule to new projects, and leaves the copies unchanged', async () => {
    expect((await by(owner).get(rules)).status).toBe(403)
    expect(answerOf(await admin.get(rules))).toEqual([200, null])
    const instance = await admin.put(rules, { branch_name_regex: 'instance', max_file_size: 3 })
    expect(instance.body).toMatchObject({ branch_name_regex: 'instance', max_file_size: 3 })
    const top = await here.make.group({ owner })
    expect(await ruleOf('groups', top.id)).toMatchObject({ branch_name_regex: 'instance' })
    await as.put(`/groups/${top.id}/push_rule`, { branch_name_regex: 'top', commit_message_regex: 'm' })
    const below = await here.make.group({ owner, parent_id: top.id })
    const inGroup = await here.make.project({ owner, namespace_id: below.id, with: 'readme' })
    const personal = await here.make.project({ owner })
    expect(await ruleOf('projects', inGroup.id)).toMatchObject({
      branch_name_regex: 'top',
      commit_message_regex: 'm',
      max_file_size: 3,
      project_id: inGroup.id,
    })
    expect(await ruleOf('projects', personal.id)).toMatchObject({ branch_name_regex: 'instance' })
    await as.delete(`/groups/${below.id}/push_rule`)
    await as.put(`/groups/${top.id}/push_rule`, { branch_name_regex: 'later' })
    expect(await ruleOf('projects', inGroup.id)).toMatchObject({ branch_name_regex: 'top' })
    const fork = await as.post(`/projects/${inGroup.id}/fork`, {})
    expect(await ruleOf('projects', fork.body.id)).toMatchObject({ branch_name_regex: 'instance' })
    const another = await here.make.project({ owner, namespace_id: below.id })
    expect(await ruleOf('projects', another.id)).toMatchObject({ branch_name_regex: 'later' })
    expect((await admin.delete(rules)).status).toBe(204)
    const free = await here.make.project({ owner })
    expect(await ruleOf('projects', free.id)).toBeNull()
    await here.drain()
  })

  it("uses the instance's value if the project has none", async () => {
    const made = await here.make.project({ owner })
    const rule = `/projects/${made.id}/push_rule`
    await as.post(rule, { member_check: false })
    expect((await as.get(rule)).body).toMatchObject({ commit_committer_check: null })
    await admin.put(rules, { commit_committer_check: true })
    // Who may not change it is not shown it.
    expect((await as.get(rule)).body).not.toHaveProperty('commit_committer_check')
    expect((await admin.get(rule)).body).toMatchObject({ commit_committer_check: true })
    expect(answerOf(await as.put(rule, { commit_committer_check: false }))).toEqual([
      403,
      { message: '403 Forbidden' },
    ])
    expect((await as.put(rule, { commit_committer_check: true, member_check: true })).status).toBe(200)
    expect((await admin.put(rule, { commit_committer_check: false })).body).toMatchObject({
      commit_committer_check: false,
    })
    await admin.delete(rules)
  })
})

it('the trial endpoint tests a pattern', async () => {
  const trial = (params: object) => by(developer).post('/-/push_rules/trial', params)
  const fields = { rule: 'commit_message_regex', pattern: '^b$', text: 'a\nb' }
  expect(answerOf(await trial(fields))).toEqual([200, { problem: null, matches: true }])
  expect(answerOf(await trial({ ...fields, rule: 'branch_name_regex' }))).toEqual([
    200,
    { problem: null, matches: false },
  ])
  expect((await trial({ ...fields, pattern: '(' })).body).toEqual({
    problem: expect.stringContaining('missing'),
    matches: false,
  })
  expect((await by(null).post('/-/push_rules/trial', fields)).status).toBe(401)
})
