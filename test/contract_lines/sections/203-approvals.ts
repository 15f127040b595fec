import { expect } from 'vitest'

import { eachFrom, from, teamOn, within } from '../access.ts'
import { accessLine, section, line, unproven } from '../section.ts'

export const statements = section(
  'Approvals (PREMIUM, authentication required)',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme', visibility: 'public' })
    const { id } = project
    const ada = w.make.user()
    const bob = w.make.user()
    for (const user of [ada, bob]) await w.make.member('projects', id, user, 30)
    const { body: rule } = await root.post(`/projects/${id}/approval_rules`, {
      name: 'base',
      approvals_required: 1,
      user_ids: [ada.id, bob.id],
    })
    const team = await teamOn(w, 'projects', project)
    const closed = await w.make.project({ with: 'readme' })
    const closedAt = `/projects/${closed.id}`
    await root.post(`${closedAt}/repository/branches`, { branch: 'topic', ref: 'main' })
    const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic' }
    const { body: closedRequest } = await root.post(`${closedAt}/merge_requests`, request)
    const params = { name: 'base', approvals_required: 1, usernames: ['root'] }
    const { body: closedRule } = await root.post(`${closedAt}/approval_rules`, params)
    const hidden = {
      at: closedAt,
      rule: closedRule,
      request: closedRequest,
      team: await teamOn(w, 'projects', closed),
    }
    return { id, ada, bob, rule, team, hidden, at: `/projects/${id}/approval_rules` }
  },
  [
    accessLine(
      'Approvals (PREMIUM, authentication required)',
      within(
        'hidden',
        eachFrom('reporter', {
          'In a private project, GET …/approvals': (client, { at }) => client.get(`${at}/approvals`),
          'GET …/approval_rules': (client, { at }) => client.get(`${at}/approval_rules`),
          'GET …/approval_rules/:id': (client, { at, rule }) => client.get(`${at}/approval_rules/${rule.id}`),
          'GET …/merge_requests/:iid/approvals': (client, { at, request }) =>
            client.get(`${at}/merge_requests/${request.iid}/approvals`),
        }),
      ),
    ),
    line(
      'GET `/projects/:id/approvals` | | project approval settings',
      'GET → 200',
      async ({ root, id }) => {
        expect((await root.get(`/projects/${id}/approvals`)).status).toBe(200)
      },
      from('stranger', (client, { id }) => client.get(`/projects/${id}/approvals`)),
    ),
    line(
      'POST `/projects/:id/approvals` | optional: approvals_before_merge (deprecated), disable_overriding_approvers_per_merge_request, merge_requests_author_approval, merge_requests_disable_committers_approval, require_password_to_approve, reset_approvals_on_push, selective_code_owner_removals | project approval settings',
      'POST with every switch → 201 with these values',
      async ({ root, id }) => {
        const params = {
          approvals_before_merge: 1,
          disable_overriding_approvers_per_merge_request: true,
          merge_requests_author_approval: true,
          merge_requests_disable_committers_approval: true,
          require_password_to_approve: true,
          reset_approvals_on_push: false,
          selective_code_owner_removals: true,
        }
        const answer = await root.post(`/projects/${id}/approvals`, params)
        expect(answer.status).toBe(201)
        expect(answer.body).toMatchObject(params)
      },
      from('maintainer', (client, { id }) =>
        client.post(`/projects/${id}/approvals`, { require_password_to_approve: false }),
      ),
    ),
    line(
      'GET `/projects/:id/approval_rules` | `page`, `per_page` | array of approval rule',
      'GET …/approval_rules?page=1&per_page=1 → one rule',
      async ({ root, at }) => {
        expect((await root.get(`${at}?page=1&per_page=1`)).body).toHaveLength(1)
      },
      from('stranger', (client, { at }) => client.get(at)),
    ),
    line(
      'GET `/projects/:id/approval_rules/:approval_rule_id` | | approval rule',
      'GET …/approval_rules/:id → 200',
      async ({ root, at, rule }) => {
        expect((await root.get(`${at}/${rule.id}`)).body.name).toBe('base')
      },
      from('stranger', (client, { at, rule }) => client.get(`${at}/${rule.id}`)),
    ),
    line(
      'POST `/projects/:id/approval_rules` | `approvals_required` integer required; `name` string required; `applies_to_all_protected_branches` boolean default false (when true, protected_branch_ids ignored); `group_ids`, `protected_branch_ids`, `user_ids` arrays; `report_type` string (`license_scanning`, `code_coverage`, for report_approver rules); `rule_type` string (`any_approver` is the preconfigured default rule with approvals_required 0; others `regular`); `usernames` string array | approval rule',
      'POST by usernames → 201; without name or approvals_required → 400',
      async ({ root, at, ada }) => {
        const made = await root.post(at, {
          name: 'more',
          approvals_required: 2,
          usernames: [ada.username],
          applies_to_all_protected_branches: true,
          protected_branch_ids: [999_999],
        })
        expect([
          made.status,
          made.body.users[0].username,
          made.body.applies_to_all_protected_branches,
        ]).toEqual([201, ada.username, true])
        expect((await root.post(at, { name: 'x' })).status).toBe(400)
        expect((await root.post(at, { approvals_required: 1 })).status).toBe(400)
      },
      from('maintainer', (client, { at, ada }, name) =>
        client.post(at, { name, approvals_required: 1, user_ids: [ada.id] }),
      ),
    ),
    line(
      'PUT `/projects/:id/approval_rules/:approval_rule_id` | `approvals_required` and `name` required; optional applies_to_all_protected_branches, group_ids, protected_branch_ids, remove_hidden_groups (boolean), user_ids, usernames. Approvers and groups not supplied in users/groups parameters are removed | approval rule',
      'PUT with one user → the other is removed; without name or approvals_required → 400',
      async ({ root, at, rule, ada }) => {
        const { body } = await root.put(`${at}/${rule.id}`, {
          name: 'base',
          approvals_required: 1,
          user_ids: [ada.id],
          remove_hidden_groups: true,
        })
        expect(body.users.map((user: { id: number }) => user.id)).toEqual([ada.id])
      },
      from('maintainer', (client, { at, ada, rule }) =>
        client.put(`${at}/${rule.id}`, { name: 'base', approvals_required: 1, user_ids: [ada.id] }),
      ),
    ),
    line(
      'DELETE `/projects/:id/approval_rules/:approval_rule_id` | | empty',
      'DELETE → 204, empty',
      async ({ root, at }) => {
        const { body } = await root.post(at, { name: 'to-go', approvals_required: 1, usernames: ['root'] })
        expect((await root.delete(`${at}/${body.id}`)).status).toBe(204)
      },
      from('maintainer', async (client, { root, at, ada }, caller) => {
        const params = { name: `of-${caller}`, approvals_required: 1, user_ids: [ada.id] }
        const { body } = await root.post(at, params)
        return client.delete(`${at}/${body.id}`)
      }),
    ),
    line(
      'GET `/projects/:id/merge_requests/:merge_request_iid/approvals` | | merge request approval status',
      'GET …/merge_requests/:iid/approvals → 200',
      async ({ root, id }) => {
        await root.post(`/projects/${id}/repository/branches`, { branch: 'topic', ref: 'main' })
        const { body } = await root.post(`/projects/${id}/merge_requests`, {
          source_branch: 'topic',
          target_branch: 'main',
          title: 'Topic',
        })
        expect(
          (await root.get(`/projects/${id}/merge_requests/${body.iid}/approvals`)).body.approved_by,
        ).toEqual([])
      },
      from('stranger', (client, { id }) => client.get(`/projects/${id}/merge_requests/1/approvals`)),
    ),
    unproven(
      'The body of the deprecated merge-request-level POST `/approvals` and the merge-request-level rule endpoints: not shown.',
      'The contract does not show it; spec core does.',
    ),
  ],
)
