import { expect } from 'vitest'

import { eachFrom, from, teamOn, UNAUTHORIZED, within } from '../access.ts'
import { accessLine, section, line } from '../section.ts'

export const statements = section(
  'Merge requests (authentication required on every call)',
  async (w, root) => {
    const project = await w.make.project({ with: 'readme', visibility: 'public' })
    const dev = w.make.user()
    await w.make.member('projects', project.id, dev, 30)
    const at = `/projects/${project.id}`
    const request = async (branch: string, params: object = {}) => {
      await root.post(`${at}/repository/branches`, { branch, ref: 'main' })
      await root.post(`${at}/repository/files/${branch}.txt`, { branch, content: 'x', commit_message: 'New' })
      return (
        await root.post(`${at}/merge_requests`, {
          source_branch: branch,
          target_branch: 'main',
          title: branch,
          ...params,
        })
      ).body
    }
    const closed = await w.make.project({ with: 'readme' })
    const closedAt = `/projects/${closed.id}`
    await root.post(`${closedAt}/repository/branches`, { branch: 'topic', ref: 'main' })
    const topic = { source_branch: 'topic', target_branch: 'main', title: 'Topic' }
    const { body: closedRequest } = await root.post(`${closedAt}/merge_requests`, topic)
    const hidden = { at: closedAt, request: closedRequest, team: await teamOn(w, 'projects', closed) }
    const team = await teamOn(w, 'projects', project)
    return { at, dev, request, hidden, team, first: await request('first') }
  },
  [
    accessLine(
      'Merge requests (authentication required on every call)',
      within(
        'hidden',
        eachFrom('reporter', {
          'In a private project, GET …/merge_requests': (client, { at }) =>
            client.get(`${at}/merge_requests`),
          'GET …/:iid': (client, { at, request }) => client.get(`${at}/merge_requests/${request.iid}`),
        }),
      ),
    ),
    line(
      'GET `/merge_requests`: merge requests visible to the caller; by default only ones created by the caller (`scope=all` for all).',
      'GET /merge_requests by another → none, with scope=all → all that they see: of a private project by a reporter, not by a guest',
      async ({ w, dev, first, hidden }) => {
        expect((await w.as(dev).get('/merge_requests')).body).toEqual([])
        expect(
          (await w.as(dev).get('/merge_requests?scope=all')).body.map(
            (mergeRequest: { id: number }) => mergeRequest.id,
          ),
        ).toContain(first.id)
        const seenBy = async (caller: string) =>
          (await hidden.team.clients[caller].get('/merge_requests?scope=all&per_page=100')).body.map(
            (mergeRequest: { id: number }) => mergeRequest.id,
          )
        for (const caller of ['stranger', 'guest'])
          expect(await seenBy(caller)).not.toContain(hidden.request.id)
        expect(await seenBy('reporter')).toContain(hidden.request.id)
      },
      from('stranger', (client) => client.get('/merge_requests')),
    ),
    line(
      'GET `/projects/:id/merge_requests`: same filters for one project, plus `iids[]` integer array; no `deployed_after`/`deployed_before`.',
      'GET …/merge_requests?iids[]= → that one',
      async ({ root, at, first }) => {
        expect((await root.get(`${at}/merge_requests?iids[]=${first.iid}`)).body).toHaveLength(1)
      },
      from('stranger', (client, { at }) => client.get(`${at}/merge_requests`)),
    ),
    line(
      'Filters: `approved_by_ids` (max 5; PREMIUM), `approver_ids` (PREMIUM), `assignee_id`, `author_id` and `author_username` (mutually exclusive), `created_after`, `created_before`, `deployed_after`, `deployed_before`, `environment`, `in` (`title`, `description`, or both comma-joined; default both), `labels` (comma-separated; `None`, `Any`), `milestone` (`None`, `Any`), `my_reaction_emoji`, `not` (hash accepting labels, milestone, author_id, author_username, assignee_id, assignee_username, reviewer_id, reviewer_username, my_reaction_emoji), `order_by` (`created_at`, `title`, `updated_at`; default `created_at`), `reviewer_id` and `reviewer_username` (mutually exclusive; `None`, `Any`), `scope` (`created_by_me`, `assigned_to_me`, `all`; default `created_by_me`), `search`, `sort` (`asc`, `desc`; default `desc`), `source_branch`, `target_branch`, `state` (`opened`, `closed`, `locked`, `merged`, `all`), `updated_after`, `updated_before`, `view` (`simple`), `with_labels_details` boolean default false, `with_merge_status_recheck` boolean default false, `wip` (`yes`, `no`). Datetime filters use ISO 8601.',
      'GET /merge_requests with each filter → 200; six approved_by_ids, two authors → 400',
      async ({ root, dev }) => {
        const time = '2020-01-01T00:00:00Z'
        const queries = [
          'approved_by_ids[]=1',
          'approver_ids[]=1',
          'assignee_id=1',
          'author_id=1',
          'author_username=root',
          `created_after=${time}`,
          `created_before=${time}`,
          `deployed_after=${time}`,
          `deployed_before=${time}`,
          'environment=production',
          'search=x&in=title',
          'search=x&in=description',
          'search=x&in=title,description',
          'labels=None',
          'labels=Any',
          'labels=a,b',
          'milestone=None',
          'milestone=Any',
          'my_reaction_emoji=star',
          'not[labels]=a',
          'not[milestone]=a',
          'not[author_id]=2',
          'not[author_username]=x',
          'not[assignee_id]=2',
          'not[assignee_username]=x',
          'not[reviewer_id]=2',
          'not[reviewer_username]=x',
          'not[my_reaction_emoji]=star',
          'order_by=created_at',
          'order_by=title',
          'order_by=updated_at',
          'reviewer_id=None',
          'reviewer_id=Any',
          `reviewer_id=${dev.id}`,
          'reviewer_username=x',
          'scope=created_by_me',
          'scope=assigned_to_me',
          'sort=asc',
          'source_branch=x',
          'target_branch=x',
          'state=opened',
          'state=closed',
          'state=locked',
          'state=merged',
          'state=all',
          `updated_after=${time}`,
          `updated_before=${time}`,
          'view=simple',
          'with_labels_details=true',
          'with_merge_status_recheck=true',
          'wip=yes',
          'wip=no',
        ]
        for (const query of queries)
          expect([query, (await root.get(`/merge_requests?${query}`)).status]).toEqual([query, 200])
        const six = [1, 2, 3, 4, 5, 6].map((id) => `approved_by_ids[]=${id}`).join('&')
        for (const query of [six, 'author_id=1&author_username=root', 'reviewer_id=1&reviewer_username=root'])
          expect([query, (await root.get(`/merge_requests?${query}`)).status]).toEqual([query, 400])
      },
    ),
    line(
      'POST `/projects/:id/merge_requests` | required `source_branch`, `target_branch`, `title`; optional `allow_collaboration` (alias `allow_maintainer_to_push`), `approvals_before_merge` (PREMIUM), `assignee_id`, `assignee_ids` (0 or empty unassigns), `description` (max 1,048,576 characters), `labels` comma-separated, `milestone_id`, `remove_source_branch`, `reviewer_ids`, `squash`, `target_project_id` | merge request, 201',
      'POST → 201; a description of 1,048,577 characters or a missing branch → 400',
      async ({ root, at, dev, request }) => {
        const { body: milestone } = await root.post(`${at}/milestones`, { title: 'one' })
        const made = await request('second', {
          allow_collaboration: true,
          approvals_before_merge: 1,
          assignee_ids: [dev.id],
          reviewer_ids: [dev.id],
          description: 'd',
          labels: 'a,b',
          milestone_id: milestone.id,
          remove_source_branch: true,
          squash: true,
        })
        expect(made).toMatchObject({
          labels: ['a', 'b'],
          squash: true,
          description: 'd',
          assignee: { id: dev.id },
        })
        expect((await request('third', { assignee_id: 0 })).assignees).toEqual([])
        await root.post(`${at}/repository/branches`, { branch: 'long', ref: 'main' })
        const long = {
          source_branch: 'long',
          target_branch: 'main',
          title: 'x',
          description: 'x'.repeat(1_048_577),
        }
        expect((await root.post(`${at}/merge_requests`, long)).status).toBe(400)
        expect((await root.post(`${at}/merge_requests`, { title: 'x', target_branch: 'main' })).status).toBe(
          400,
        )
      },
      from('developer', async (client, { root, at }, caller) => {
        const branch = `from-${caller}`
        await root.post(`${at}/repository/branches`, { branch, ref: 'main' })
        const params = { source_branch: branch, target_branch: 'main', title: branch }
        return client.post(`${at}/merge_requests`, params)
      }),
    ),
    line(
      'PUT `/projects/:id/merge_requests/:merge_request_iid` | at least one of: `add_labels`, `allow_collaboration`, `allow_maintainer_to_push`, `assignee_id`, `assignee_ids`, `description`, `discussion_locked`, `labels` (empty string clears), `milestone_id` (0 clears), `remove_labels`, `remove_source_branch`, `reviewer_ids`, `squash`, `state_event` (close/reopen), `target_branch`, `title` | merge request',
      'PUT …/:iid with each → 200; with none → 400; by the author, who is no member → 200',
      async ({ w, root, at, dev, request, team }) => {
        const mergeRequestPath = `${at}/merge_requests/${(await request('fourth', { labels: 'a' })).iid}`
        const put = async (params: object) => (await root.put(mergeRequestPath, params)).body
        expect((await put({ add_labels: 'b' })).labels).toEqual(['a', 'b'])
        expect((await put({ remove_labels: 'a' })).labels).toEqual(['b'])
        expect((await put({ labels: '' })).labels).toEqual([])
        expect((await put({ milestone_id: 0 })).milestone).toBe(null)
        expect((await put({ assignee_id: dev.id })).assignee.id).toBe(dev.id)
        expect((await put({ assignee_ids: [] })).assignees).toEqual([])
        expect((await put({ reviewer_ids: [dev.id] })).reviewers).toHaveLength(1)
        expect(
          await put({
            description: 'd',
            discussion_locked: true,
            remove_source_branch: true,
            squash: true,
            title: 'T',
            allow_collaboration: true,
            allow_maintainer_to_push: true,
          }),
        ).toMatchObject({ description: 'd', discussion_locked: true, squash: true, title: 'T' })
        expect((await put({ state_event: 'close' })).state).toBe('closed')
        expect((await root.put(mergeRequestPath, {})).status).toBe(400)
        const eve = w.make.user()
        const fork = await w.as(eve).post(`${at}/fork`)
        await w.drain()
        const forkAt = `/projects/${fork.body.id}`
        await w.as(eve).post(`${forkAt}/repository/branches`, { branch: 'mine', ref: 'main' })
        const { body: own } = await w.as(eve).post(`${forkAt}/merge_requests`, {
          source_branch: 'mine',
          target_branch: 'main',
          title: 'Mine',
          target_project_id: fork.body.forked_from_project.id,
        })
        expect((await w.as(eve).put(`${at}/merge_requests/${own.iid}`, { title: 'Own' })).body.title).toBe(
          'Own',
        )
        expect(
          (await team.clients.reporter.put(`${at}/merge_requests/${own.iid}`, { title: 'x' })).status,
        ).toBe(403)
      },
      from('developer', (client, { at, first }, title) =>
        client.put(`${at}/merge_requests/${first.iid}`, { title }),
      ),
    ),
    line(
      'DELETE `/projects/:id/merge_requests/:merge_request_iid` | administrators and project owners only | empty',
      'DELETE → 204, empty; by its author, a developer → 403',
      async ({ w, root, at, dev, request }) => {
        const mergeRequestPath = `${at}/merge_requests/${(await request('fifth')).iid}`
        await w.as(dev).post(`${at}/repository/branches`, { branch: 'by-dev', ref: 'main' })
        const params = { source_branch: 'by-dev', target_branch: 'main', title: 'By dev' }
        const { body: own } = await w.as(dev).post(`${at}/merge_requests`, params)
        expect((await w.as(dev).delete(`${at}/merge_requests/${own.iid}`)).status).toBe(403)
        const deleted = await root.delete(mergeRequestPath)
        expect([deleted.status, deleted.text]).toEqual([204, ''])
      },
      from('owner', async (client, { at, request }, caller) =>
        client.delete(`${at}/merge_requests/${(await request(`to-go-${caller}`)).iid}`),
      ),
    ),
    line(
      'PUT `/projects/:id/merge_requests/:merge_request_iid/merge` | `merge_commit_message`, `merge_when_pipeline_succeeds`, `sha` (must match source-branch HEAD or the merge fails), `should_remove_source_branch`, `squash_commit_message`, `squash` | merge request',
      'PUT …/merge with another sha → 409; with messages and squash → merged',
      async ({ root, at, request }) => {
        const made = await request('sixth')
        const path = `${at}/merge_requests/${made.iid}/merge`
        expect((await root.put(path, { sha: 'e'.repeat(40) })).status).toBe(409)
        const merged = await root.put(path, {
          sha: made.sha,
          merge_commit_message: 'M',
          squash_commit_message: 'S',
          squash: true,
          should_remove_source_branch: true,
        })
        expect([merged.status, merged.body.state]).toEqual([200, 'merged'])
        expect(
          (await root.get(`${at}/repository/commits/${merged.body.merge_commit_sha}`)).body.message,
        ).toBe('M')
      },
      from(
        'maintainer',
        async (client, { at, request }, caller) =>
          client.put(`${at}/merge_requests/${(await request(`to-merge-${caller}`)).iid}/merge`),
        { stranger: UNAUTHORIZED, member: UNAUTHORIZED },
      ),
    ),
    line(
      "When `approvals_before_merge` is omitted on create it is inherited from the target project; a supplied value takes effect only if the target project's value is greater than zero and the supplied value exceeds it. Endpoints for a single merge request (read, changes, notes and the like): not shown.",
      'POST /projects/:id/approvals approvals_before_merge=1, then POST …/merge_requests with none, 2 and 0',
      async ({ root, at, request }) => {
        await root.post(`${at}/approvals`, { approvals_before_merge: 1 })
        expect((await request('seventh')).approvals_before_merge ?? 1).toBe(1)
        expect((await request('eighth', { approvals_before_merge: 2 })).approvals_before_merge).toBe(2)
        await root.post(`${at}/approvals`, { approvals_before_merge: 0 })
      },
    ),
  ],
)
