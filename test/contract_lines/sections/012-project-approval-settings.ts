import { expect } from 'vitest'

import { hasFields, section, line } from '../section.ts'

const proof = 'GET /projects/:id/approvals → '

export const statements = section(
  'Project approval settings',
  async (w, root) => {
    const { id } = await w.make.project()
    return { at: `/projects/${id}/approvals`, body: (await root.get(`/projects/${id}/approvals`)).body }
  },
  [
    line('approvals_before_merge | integer (deprecated)', `${proof}integer`, ({ body }) =>
      hasFields(body, { approvals_before_merge: 'integer' }),
    ),
    line('reset_approvals_on_push | boolean', `${proof}boolean`, ({ body }) =>
      hasFields(body, { reset_approvals_on_push: 'boolean' }),
    ),
    line(
      'selective_code_owner_removals | boolean (can be enabled only if reset_approvals_on_push is disabled)',
      'POST /projects/:id/approvals with both switches on → 422 or 400',
      async ({ body, root, at }) => {
        hasFields(body, { selective_code_owner_removals: 'boolean' })
        const both = await root.post(at, {
          reset_approvals_on_push: true,
          selective_code_owner_removals: true,
        })
        expect([400, 422]).toContain(both.status)
        const answer = await root.post(at, {
          reset_approvals_on_push: false,
          selective_code_owner_removals: true,
        })
        expect([answer.status, answer.body.selective_code_owner_removals]).toEqual([201, true])
      },
    ),
    line('disable_overriding_approvers_per_merge_request | boolean', `${proof}boolean`, ({ body }) =>
      hasFields(body, { disable_overriding_approvers_per_merge_request: 'boolean' }),
    ),
    line(
      'merge_requests_author_approval | boolean (true means authors can self-approve)',
      `${proof}boolean`,
      ({ body }) => hasFields(body, { merge_requests_author_approval: 'boolean' }),
    ),
    line('merge_requests_disable_committers_approval | boolean', `${proof}boolean`, ({ body }) =>
      hasFields(body, { merge_requests_disable_committers_approval: 'boolean' }),
    ),
    line('require_password_to_approve | boolean', `${proof}boolean`, ({ body }) =>
      hasFields(body, { require_password_to_approve: 'boolean' }),
    ),
  ],
)
