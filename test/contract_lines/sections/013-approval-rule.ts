import { expect } from 'vitest'

import { teamOn } from '../access.ts'
import { hasFields, hasOnlyFields, section, line } from '../section.ts'

const proof = 'POST /projects/:id/approval_rules → '

export const statements = section(
  'Approval rule',
  async (w, root) => {
    const { id } = await w.make.project({ with: 'readme' })
    const group = await w.make.group()
    const ada = w.make.user()
    await w.make.member('projects', id, ada, 30)
    const at = `/projects/${id}/approval_rules`
    const { body: branches } = await root.get(`/projects/${id}/protected_branches`)
    const params = {
      name: 'people',
      approvals_required: 1,
      user_ids: [ada.id],
      group_ids: [group.id],
      protected_branch_ids: [branches[0].id],
    }
    await root.post(`/projects/${id}/share`, { group_id: group.id, group_access: 30 })
    const { body } = await root.post(at, params)
    const team = await teamOn(w, 'projects', { id, visibility: 'private' })
    return { at, body, team }
  },
  [
    line('id | integer |', `${proof}integer`, ({ body }) => hasFields(body, { id: 'integer' })),
    line('name | string |', `${proof}string`, ({ body }) => expect(body.name).toBe('people')),
    line(
      'rule_type | string | `regular`, `any_approver`, `report_approver`',
      'POST with any_approver → any_approver; report_type → report_approver',
      async ({ body, root, at }) => {
        expect(body.rule_type).toBe('regular')
        expect(
          (await root.post(at, { name: 'all', approvals_required: 0, rule_type: 'any_approver' })).body
            .rule_type,
        ).toBe('any_approver')
        expect(
          (
            await root.post(at, {
              name: 'Coverage-Check',
              approvals_required: 1,
              rule_type: 'report_approver',
              report_type: 'code_coverage',
            })
          ).body.rule_type,
        ).toBe('report_approver')
      },
    ),
    line('eligible_approvers | array of user summary |', `${proof}array of users`, ({ body }) =>
      hasFields(body.eligible_approvers[0], { id: 'integer', username: 'string' }),
    ),
    line('approvals_required | integer |', `${proof}integer`, ({ body }) =>
      expect(body.approvals_required).toBe(1),
    ),
    line('users | array of user summary |', `${proof}array of users`, ({ body }) =>
      hasFields(body.users[0], { id: 'integer', username: 'string' }),
    ),
    line('groups | array of group summary |', `${proof}array of groups`, ({ body }) =>
      hasFields(body.groups[0], { id: 'integer', name: 'string' }),
    ),
    line('applies_to_all_protected_branches | boolean | default false', `${proof}false`, ({ body }) =>
      expect(body.applies_to_all_protected_branches).toBe(false),
    ),
    line(
      'protected_branches | array | id, name, push_access_levels, merge_access_levels, unprotect_access_levels (each `{access_level: integer, access_level_description: string}`), code_owner_approval_required (string)',
      `${proof}array of protected branches`,
      ({ body }) => {
        const [branch] = body.protected_branches
        hasFields(branch, {
          id: 'integer',
          name: 'string',
          push_access_levels: 'array',
          merge_access_levels: 'array',
          unprotect_access_levels: 'array',
          code_owner_approval_required: 'any',
        })
        hasFields(branch.push_access_levels[0], {
          access_level: 'integer',
          access_level_description: 'string',
        })
      },
    ),
    line(
      'contains_hidden_groups | boolean |',
      `${proof}boolean; GET …/:id by a maintainer who does not see the group → true, without the group`,
      async ({ root, at, team }) => {
        const group = await root.post('/groups', { name: 'Unseen', path: 'unseen' })
        await root.post(`${at.replace('/approval_rules', '')}/share`, {
          group_id: group.body.id,
          group_access: 30,
        })
        const params = { name: 'unseen', approvals_required: 1, group_ids: [group.body.id] }
        const { body: rule } = await root.post(at, params)
        expect([rule.contains_hidden_groups, rule.groups.length]).toEqual([false, 1])
        const { body: seen } = await team.clients.maintainer.get(`${at}/${rule.id}`)
        expect([seen.contains_hidden_groups, seen.groups]).toEqual([true, []])
      },
    ),
    line('User summary: id, name, username, state, avatar_url, web_url.', `${proof}users[0]`, ({ body }) =>
      hasOnlyFields(body.users[0], {
        id: 'integer',
        name: 'string',
        username: 'string',
        state: 'string',
        avatar_url: 'string?',
        web_url: 'string',
      }),
    ),
  ],
)
