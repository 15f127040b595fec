import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser } from '../../../support/world.ts'

const w = await world()
let project: { id: number }
let other: { id: number }
let maintainer: TestUser
let developer: TestUser

const DEFAULTS = {
  approvals_before_merge: 0,
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
}

beforeAll(async () => {
  project = await w.make.project()
  other = await w.make.project({ visibility: 'public' })
  maintainer = w.make.user()
  developer = w.make.user()
  await w.make.member('projects', project.id, maintainer, 40)
  await w.make.member('projects', project.id, developer, 30)
})

const path = () => `/projects/${project.id}/approvals`

describe('approval settings', () => {
  it('have defaults, and are visible to readers of merge requests', async () => {
    expect((await w.as(developer).get(path())).body).toEqual(DEFAULTS)
    expect((await w.as(w.make.user()).get(path())).status).toBe(404)
    expect((await w.as(w.make.user()).get(`/projects/${other.id}/approvals`)).body).toEqual(DEFAULTS)
    // Without credentials the answer is the same for a private and a missing project.
    for (const at of [path(), `/projects/${other.id}/approvals`, '/projects/999999/approvals'])
      expect((await w.as(null).get(at)).body).toEqual({ message: '401 Unauthorized' })
  })

  it('are updated one by one by maintainers', async () => {
    const as = w.as(maintainer)
    const changed = await as.post(path(), { merge_requests_author_approval: true })
    expect(changed.status).toBe(201)
    expect(changed.body).toEqual({ ...DEFAULTS, merge_requests_author_approval: true })
    const again = await as.post(path(), {
      merge_requests_author_approval: false,
      require_password_to_approve: 'true',
    })
    expect(again.body).toEqual({ ...DEFAULTS, require_password_to_approve: true })
    await as.post(path(), { require_password_to_approve: false })
    expect((await as.get(path())).body).toEqual(DEFAULTS)
  })

  it('return 403 to other users on update', async () => {
    const refused = await w.as(developer).post(path(), { merge_requests_author_approval: true })
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    expect((await w.as(w.make.user()).post(path(), { merge_requests_author_approval: true })).body).toEqual({
      message: '404 Project Not Found',
    })
    expect((await w.as(null).post(path(), { merge_requests_author_approval: true })).status).toBe(401)
  })

  it('return 400 without changes and for values of the wrong type', async () => {
    const empty = await w.as(maintainer).post(path(), {})
    expect(empty.status).toBe(400)
    expect(empty.body.error).toMatch(
      /^approvals_before_merge, .* are missing, at least one parameter must be provided$/,
    )
    const wrong = await w.as(maintainer).post(path(), { reset_approvals_on_push: 'perhaps' })
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'reset_approvals_on_push is invalid' }])
    const tooMany = await w.as(maintainer).post(path(), { approvals_before_merge: 101 })
    expect(tooMany.body).toEqual({ error: 'approvals_before_merge does not have a valid value' })
  })

  it('allow selective removal only when a push does not remove all approvals', async () => {
    const as = w.as(maintainer)
    const message = {
      selective_code_owner_removals: ['can only be enabled when reset_approvals_on_push is disabled'],
    }
    const refused = await as.post(path(), { selective_code_owner_removals: true })
    expect([refused.status, refused.body]).toEqual([400, { message }])
    const both = await as.post(path(), { selective_code_owner_removals: true, reset_approvals_on_push: true })
    expect(both.body).toEqual({ message })
    const fits = await as.post(path(), {
      selective_code_owner_removals: true,
      reset_approvals_on_push: false,
    })
    expect(fits.body).toMatchObject({ selective_code_owner_removals: true, reset_approvals_on_push: false })
    expect((await as.post(path(), { reset_approvals_on_push: true })).body).toEqual(DEFAULTS)
  })
})

describe('approvals_before_merge', () => {
  const rules = async () => (await w.as(maintainer).get(`/projects/${project.id}/approval_rules`)).body

  it('equals the number of the rule for all members', async () => {
    const as = w.as(maintainer)
    expect(await rules()).toEqual([])
    expect((await as.post(path(), { approvals_before_merge: 2 })).body.approvals_before_merge).toBe(2)
    const [rule] = await rules()
    expect(rule).toMatchObject({ name: 'All Members', rule_type: 'any_approver', approvals_required: 2 })
    await as.put(`/projects/${project.id}`, { approvals_before_merge: 3 })
    expect((await rules()).map((rule: { approvals_required: number }) => rule.approvals_required)).toEqual([
      3,
    ])
    const changes = { name: 'All Members', approvals_required: 1 }
    await as.put(`/projects/${project.id}/approval_rules/${rule.id}`, changes)
    expect((await as.get(path())).body.approvals_before_merge).toBe(1)
    expect((await as.get(`/projects/${project.id}`)).body.approvals_before_merge).toBe(1)
    await as.delete(`/projects/${project.id}/approval_rules/${rule.id}`)
    expect((await as.get(path())).body.approvals_before_merge).toBe(0)
  })

  it('creates the rule with the project', async () => {
    const made = await w.make.project({ owner: maintainer, approvals_before_merge: 4 })
    const list = await w.as(maintainer).get(`/projects/${made.id}/approval_rules`)
    expect(list.body).toMatchObject([{ rule_type: 'any_approver', approvals_required: 4 }])
  })
})
