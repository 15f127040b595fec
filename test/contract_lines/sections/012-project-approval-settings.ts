import { expect } from 'vitest'

import type { TestUser } from '../../support/world.ts'
import { hasFields, section, line } from '../section.ts'

const proof = 'GET /projects/:id/approvals → '

export const statements = section(
  'Project approval settings',
  async (w, root) => {
    const { id } = await w.make.project({ with: 'readme' })
    const [author, committer] = [w.make.user(), w.make.user()]
    for (const user of [author, committer]) await w.make.member('projects', id, user, 30)
    const at = `/projects/${id}`
    const { body } = await root.get(`${at}/approvals`)
    /** The status of an approval of a new merge request, while the project has these settings. */
    const approval = async (branch: string, settings: object, approver: TestUser, params: object = {}) => {
      await w.as(author).post(`${at}/repository/branches`, { branch, ref: 'main' })
      const commit = { branch, content: branch, commit_message: 'New' }
      await w.as(committer).post(`${at}/repository/files/${branch}.txt`, commit)
      const request = { source_branch: branch, target_branch: 'main', title: branch }
      const { body: made } = await w.as(author).post(`${at}/merge_requests`, request)
      await root.post(`${at}/approvals`, settings)
      return (await w.as(approver).post(`${at}/merge_requests/${made.iid}/approve`, params)).status
    }
    return { at: `${at}/approvals`, body, author, committer, approval }
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
      `${proof}boolean; POST …/merge_requests/:iid/approve by the author while true → 201, while false → 401`,
      async ({ body, approval, author }) => {
        hasFields(body, { merge_requests_author_approval: 'boolean' })
        expect(await approval('own', { merge_requests_author_approval: true }, author)).toBe(201)
        expect(await approval('own-too', { merge_requests_author_approval: false }, author)).toBe(401)
      },
    ),
    line(
      'merge_requests_disable_committers_approval | boolean',
      `${proof}boolean; POST …/merge_requests/:iid/approve by a committer while false → 201, while true → 401`,
      async ({ body, approval, committer }) => {
        hasFields(body, { merge_requests_disable_committers_approval: 'boolean' })
        const name = 'merge_requests_disable_committers_approval'
        expect(await approval('committed', { [name]: false }, committer)).toBe(201)
        expect(await approval('committed-too', { [name]: true }, committer)).toBe(401)
      },
    ),
    line(
      'require_password_to_approve | boolean',
      `${proof}boolean; POST …/merge_requests/:iid/approve while true: without approval_password → 401, with it → 201`,
      async ({ w, body, approval }) => {
        hasFields(body, { require_password_to_approve: 'boolean' })
        const settings = { require_password_to_approve: true }
        expect(await approval('secret', settings, w.root)).toBe(401)
        expect(await approval('secret-too', settings, w.root, { approval_password: w.root.password })).toBe(
          201,
        )
      },
    ),
  ],
)
