import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { openMergeRequest } from '../../../support/merge-requests.ts'
import { world } from '../../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const approvals = api.MergeRequestApprovals
const project = await here.make.project({ with: 'readme' })
const developer = here.make.user()
await here.make.member('projects', project.id, developer, 30)

it('Gitbeaker sets up rules, approves a merge request and revokes the approval', async () => {
  await approvals.editConfiguration(project.id, { mergeRequestsAuthorApproval: true })
  expect(await approvals.showConfiguration(project.id)).toMatchObject({
    merge_requests_author_approval: true,
  })
  const rule = await approvals.createApprovalRule(project.id, 'all of us', 1, { userIds: [developer.id, 1] })
  const changed = await approvals.editApprovalRule(project.id, rule.id, 'we', 1, { userIds: [developer.id] })
  expect(await approvals.allApprovalRules(project.id)).toEqual([changed])
  expect(await approvals.showApprovalRule(project.id, rule.id)).toMatchObject({
    name: 'we',
    users: [{ id: developer.id }],
  })
  const { iid } = await openMergeRequest(here, project)
  const own = await approvals.createApprovalRule(project.id, 'own', 1, { mergerequestIId: iid, userIds: [1] })
  await approvals.editApprovalRule(project.id, own.id, 'mine', 1, { mergerequestIId: iid })
  expect(await approvals.allApprovalRules(project.id, { mergerequestIId: iid })).toMatchObject([
    { name: 'mine' },
  ])
  expect(await approvals.approve(project.id, iid)).toMatchObject({ approved: true, user_has_approved: true })
  expect(await approvals.showApprovalState(project.id, iid)).toMatchObject({
    approval_rules_overwritten: true,
    rules: [{ name: 'mine', approved: true, approved_by: [{ id: 1 }] }],
  })
  await approvals.unapprove(project.id, iid)
  await approvals.removeApprovalRule(project.id, own.id, { mergerequestIId: iid })
  expect(await approvals.showConfiguration(project.id, { mergerequestIId: iid })).toMatchObject({
    approved: false,
    approvals_left: 1,
  })
  await approvals.removeApprovalRule(project.id, rule.id)
  expect(await approvals.allApprovalRules(project.id)).toEqual([])
})
